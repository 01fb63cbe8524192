; Lua. Functions of a table are qualified with it.

(function_declaration name: [
  (identifier) @name
  (dot_index_expression table: (_) @receiver field: (_) @name)
  (method_index_expression table: (_) @receiver method: (_) @name)
] body: (_)? @body) @definition.function
(assignment_statement
  (variable_list name: (_) @name)
  (expression_list value: (function_definition body: (_)? @body))) @definition.function
(chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name))) @definition.variable)

(variable_declaration) @outer
(comment) @comment
