; TypeScript; `tsx.scm` is the same. Functions that are values take the name that they are bound to.

(function_declaration name: (identifier) @name body: (_) @body) @definition.function
(generator_function_declaration name: (identifier) @name body: (_) @body) @definition.function
(function_signature name: (identifier) @name) @definition.function
(class_declaration name: (type_identifier) @name body: (_) @body) @definition.class
(abstract_class_declaration name: (type_identifier) @name body: (_) @body) @definition.class
(interface_declaration name: (type_identifier) @name body: (_) @body) @definition.interface
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum
(enum_body (enum_assignment name: (_) @name) @definition.constant)
(enum_body name: (property_identifier) @name @definition.constant)
(type_alias_declaration name: (type_identifier) @name) @definition.type
(internal_module name: (_) @name body: (_) @body) @definition.namespace
(module name: (_) @name body: (_) @body) @definition.module

(method_definition name: (_) @name body: (_) @body) @definition.method
(abstract_method_signature name: (_) @name) @definition.method
(public_field_definition name: (_) @name
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
  ]) @definition.function

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
  (ambient_declaration)
  (lexical_declaration)
  (variable_declaration)
  (expression_statement)
] @outer

(decorator) @attribute
(comment) @comment
(import_statement) @import
