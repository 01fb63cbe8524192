; PHP.

(namespace_definition name: (_) @name body: (_) @body) @definition.namespace
(class_declaration name: (name) @name body: (_) @body) @definition.class
(interface_declaration name: (name) @name body: (_) @body) @definition.interface
(trait_declaration name: (name) @name body: (_) @body) @definition.trait
(enum_declaration name: (name) @name body: (_) @body) @definition.enum
(enum_case name: (name) @name) @definition.constant
(function_definition name: (name) @name body: (_) @body) @definition.function
(method_declaration name: (name) @name body: (_)? @body) @definition.method
(assignment_expression left: (variable_name (name) @name)
  right: [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)]) @definition.function
(const_declaration (const_element (name) @name) @definition.constant)

(expression_statement) @outer
(attribute_list) @attribute
(comment) @comment
(namespace_use_declaration) @import
(namespace_definition !body) @import
