; Starlark (Bazel).

(function_definition
  name: (identifier) @name
  body: (block . (expression_statement (string))? @docstring) @body) @definition.function

(comment) @comment
