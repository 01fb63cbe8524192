; Solidity.

(contract_declaration name: (_) @name body: (_) @body) @definition.class
(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(library_declaration name: (_) @name body: (_) @body) @definition.class
(struct_declaration name: (_) @name) @definition.struct
(enum_declaration name: (_) @name) @definition.enum
(function_definition name: (_) @name body: (_)? @body) @definition.function
(modifier_definition name: (_) @name body: (_)? @body) @definition.function
(constructor_definition "constructor" @name body: (_) @body) @definition.method

(comment) @comment
(import_directive) @import
