; Python.

(class_definition
  name: (identifier) @name
  body: (block . (string)? @docstring) @body) @definition.class

(function_definition
  name: (identifier) @name
  body: (block . (string)? @docstring) @body) @definition.function

(decorated_definition) @outer

(assignment left: (identifier) @name right: (lambda) @body) @definition.function
(module (assignment left: (identifier) @name) @definition.variable)
(type_alias_statement left: (type) @name) @definition.type

(module . (string) @docstring)
(comment) @comment

[
  (import_statement)
  (import_from_statement)
  (future_import_statement)
] @import
