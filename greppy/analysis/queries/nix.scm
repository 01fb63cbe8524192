; Nix.

(binding attrpath: (_) @name expression: (function_expression) @body) @definition.function

(comment) @comment
