; C#.

(namespace_declaration name: (_) @name body: (_) @body) @definition.namespace
(class_declaration name: (identifier) @name body: (_) @body) @definition.class
(struct_declaration name: (identifier) @name body: (_) @body) @definition.struct
(interface_declaration name: (identifier) @name body: (_) @body) @definition.interface
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum
(record_declaration name: (identifier) @name body: (_)? @body) @definition.record
(delegate_declaration name: (identifier) @name) @definition.type
(method_declaration name: (identifier) @name body: (_)? @body) @definition.method
(constructor_declaration name: (identifier) @name body: (_)? @body) @definition.method
(destructor_declaration name: (identifier) @name body: (_)? @body) @definition.method
(operator_declaration operator: _ @name body: (_)? @body) @definition.method
(local_function_statement name: (identifier) @name body: (_)? @body) @definition.function
(property_declaration name: (identifier) @name accessors: (accessor_list (accessor_declaration body: (_)))) @definition.method

(property_declaration name: (identifier) @name) @definition.property
(enum_member_declaration name: (identifier) @name) @definition.constant
(comment) @comment
(using_directive) @import
(file_scoped_namespace_declaration name: (_)) @import
