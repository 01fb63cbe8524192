; Elm.

(value_declaration (function_declaration_left . (lower_case_identifier) @name) body: (_) @body) @definition.function
(type_annotation) @attribute
(type_declaration name: (_) @name) @definition.enum
(type_alias_declaration name: (_) @name) @definition.type

(block_comment) @comment
(line_comment) @comment
[(import_clause) (module_declaration)] @import
