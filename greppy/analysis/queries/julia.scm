; Julia.

(module_definition name: (_) @name) @definition.module
(function_definition (signature (call_expression . (_) @name))) @definition.function
(assignment . (call_expression . (identifier) @name)) @definition.function
(macro_definition (signature (call_expression . (_) @name))) @definition.macro
(struct_definition (type_head (_) @name)) @definition.struct
(abstract_definition (type_head (_) @name)) @definition.type

(line_comment) @comment
(block_comment) @comment
[(import_statement) (using_statement)] @import
