; Go. Methods are qualified with the type of their receiver.

(function_declaration name: (identifier) @name body: (_)? @body) @definition.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @receiver
    (generic_type type: (_) @receiver)
    (pointer_type (type_identifier) @receiver)
    (pointer_type (generic_type type: (_) @receiver))
  ]))
  name: (field_identifier) @name body: (_)? @body) @definition.method
(type_spec name: (type_identifier) @name type: (struct_type) @body) @definition.struct
(type_spec name: (type_identifier) @name type: (interface_type) @body) @definition.interface
(type_spec name: (type_identifier) @name) @definition.type
(type_alias name: (type_identifier) @name) @definition.type
(method_elem name: (field_identifier) @name) @definition.property
(source_file (const_declaration (const_spec name: (identifier) @name) @definition.constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @definition.variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @definition.variable)))
(source_file (const_declaration "(") @definition.constant)
(source_file (var_declaration (var_spec_list)) @definition.variable)
(source_file (type_declaration "(") @definition.type)

[(type_declaration) (const_declaration) (var_declaration)] @outer
(comment) @comment
(import_declaration) @import
