; Swift.

(class_declaration declaration_kind: "class" name: (_) @name body: (_) @body) @definition.class
(class_declaration declaration_kind: "actor" name: (_) @name body: (_) @body) @definition.class
(class_declaration declaration_kind: "struct" name: (_) @name body: (_) @body) @definition.struct
(class_declaration declaration_kind: "enum" name: (_) @name body: (_) @body) @definition.enum
(enum_entry name: (simple_identifier) @name @definition.constant)
(class_declaration declaration_kind: "extension" name: (_) @name body: (_) @body) @definition.extension
(protocol_declaration name: (_) @name body: (_) @body) @definition.protocol
(function_declaration name: _ @name body: (_)? @body) @definition.function
(protocol_function_declaration name: _ @name) @definition.method
(init_declaration "init" @name body: (_)? @body) @definition.method
(deinit_declaration "deinit" @name body: (_) @body) @definition.method
(subscript_declaration "subscript" @name) @definition.method
(property_declaration name: (pattern) @name computed_value: (_) @body) @definition.method
(typealias_declaration name: (_) @name) @definition.type
(source_file (property_declaration name: (pattern) @name) @definition.constant)

(comment) @comment
(multiline_comment) @comment
(import_declaration) @import
