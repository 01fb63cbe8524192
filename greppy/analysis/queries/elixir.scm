; Elixir. Definitions are calls; `CALLS` in `pairing.py` knows their keywords.
; A pattern that waited for the `do` block would make deeply nested calls quadratic.

(call target: (identifier) @keyword
  (arguments . [
    (alias) @name
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name))
  ])) @definition.call

(unary_operator operator: "@" operand: (call target: (identifier))) @attribute
(comment) @comment
