; Dart. A function is its signature and the body that follows it, so the two are siblings.

(class_definition name: (identifier) @name body: (_) @body) @definition.class
(mixin_declaration (identifier) @name (class_body) @body) @definition.mixin
(extension_declaration name: (identifier) @name body: (_) @body) @definition.extension
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum
(enum_constant name: (identifier) @name) @definition.constant
(type_alias (type_identifier) @name) @definition.type

(function_signature name: (identifier) @name) @definition.function
(getter_signature name: (identifier) @name) @definition.function
(setter_signature name: (identifier) @name) @definition.function
(constructor_signature name: (identifier) @name) @definition.method
(factory_constructor_signature (identifier) @name) @definition.method
(method_signature) @outer
(function_body) @tail

(comment) @comment
(documentation_comment) @comment
(import_or_export) @import
