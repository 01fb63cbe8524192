; Rust. An impl is named for its type, so that its functions are `Type.method`.

(function_item name: (_) @name body: (_) @body) @definition.function
(function_signature_item name: (_) @name) @definition.function
(struct_item name: (_) @name) @definition.struct
(union_item name: (_) @name) @definition.union
(enum_item name: (_) @name body: (_) @body) @definition.enum
(trait_item name: (_) @name body: (_) @body) @definition.trait
(impl_item type: [
    (type_identifier) @name
    (generic_type type: (_) @name)
    (scoped_type_identifier name: (_) @name)
    (reference_type type: (_) @name)
    (_)
  ] body: (_) @body) @definition.impl
(mod_item name: (_) @name body: (_) @body) @definition.module
(macro_definition name: (_) @name) @definition.macro
(source_file (const_item name: (_) @name) @definition.constant)
(source_file (static_item name: (_) @name) @definition.constant)
(source_file (type_item name: (_) @name) @definition.type)

(enum_variant name: (identifier) @name) @definition.constant
(impl_item body: (declaration_list (const_item name: (identifier) @name) @definition.constant))
(attribute_item) @attribute
(line_comment) @comment
(block_comment) @comment
[(use_declaration) (extern_crate_declaration)] @import
