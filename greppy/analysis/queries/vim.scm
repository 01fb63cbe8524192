; Vim script.

(function_definition (function_declaration name: (_) @name) (body)? @body) @definition.function

(comment) @comment
