; Clojure. Definitions are lists; `CALLS` in `pairing.py` knows their keywords.

(list_lit . (sym_lit) @keyword . [(sym_lit) @name (meta_lit)]) @definition.call

(comment) @comment
