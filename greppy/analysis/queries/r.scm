; R.

(program (binary_operator lhs: (identifier) @name rhs: (function_definition body: (_) @body)) @definition.function)
(program (binary_operator lhs: (identifier) @name) @definition.variable)

(comment) @comment
