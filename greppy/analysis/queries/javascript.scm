; JavaScript. Functions that are values take the name that they are bound to.

(function_declaration name: (identifier) @name body: (_) @body) @definition.function
(generator_function_declaration name: (identifier) @name body: (_) @body) @definition.function
(class_declaration name: (identifier) @name body: (_) @body) @definition.class
(method_definition name: (_) @name body: (_) @body) @definition.method
(field_definition property: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method

(variable_declarator name: (identifier) @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
    (call_expression arguments: (arguments . [
      (arrow_function body: (_) @body)
      (function_expression body: (_) @body)]))
  ]) @definition.function
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @definition.class

(assignment_expression left: (member_expression) @name
  right: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
  ]) @definition.function
(assignment_expression left: (member_expression) @name right: (class body: (_) @body)) @definition.class

(pair key: (_) @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
  ]) @definition.function

(export_statement !declaration value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)
  (class body: (_) @body)]) @definition.function

(program (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant))
(program (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable))
(export_statement declaration: (lexical_declaration
  (variable_declarator name: (identifier) @name) @definition.constant))

[
  (export_statement)
  (lexical_declaration)
  (variable_declaration)
  (expression_statement)
] @outer

(decorator) @attribute
(comment) @comment
(import_statement) @import
