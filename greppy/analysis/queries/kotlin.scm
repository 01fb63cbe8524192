; Kotlin.

(class_declaration "class" (type_identifier) @name (class_body)? @body) @definition.class
(class_declaration "interface" (type_identifier) @name (class_body)? @body) @definition.interface
(class_declaration "enum" (type_identifier) @name (enum_class_body) @body) @definition.enum
(enum_entry (simple_identifier) @name) @definition.constant
(object_declaration (type_identifier) @name (class_body)? @body) @definition.object
(companion_object (type_identifier)? @name (class_body) @body) @definition.object
(function_declaration (simple_identifier) @name (function_body)? @body) @definition.function
(secondary_constructor "constructor" @name) @definition.method
(type_alias (type_identifier) @name) @definition.type
(source_file (property_declaration (variable_declaration (simple_identifier) @name)) @definition.constant)
(companion_object (class_body (property_declaration (variable_declaration (simple_identifier) @name)) @definition.constant))
(object_declaration (class_body (property_declaration (variable_declaration (simple_identifier) @name)) @definition.constant))

(line_comment) @comment
(multiline_comment) @comment
[(import_header) (package_header)] @import
