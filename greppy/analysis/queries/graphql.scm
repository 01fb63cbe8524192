; GraphQL.

(object_type_definition (name) @name) @definition.class
(interface_type_definition (name) @name) @definition.interface
(enum_type_definition (name) @name) @definition.enum
(enum_value_definition (enum_value (name) @name)) @definition.constant
(input_object_type_definition (name) @name) @definition.struct
(union_type_definition (name) @name) @definition.type
(scalar_type_definition (name) @name) @definition.type
(operation_definition (name) @name (selection_set) @body) @definition.function
(fragment_definition (fragment_name (name) @name)) @definition.function

(comment) @comment
