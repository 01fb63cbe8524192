; Erlang. Clauses of one function are one form.

(fun_decl clause: (function_clause name: (_) @name body: (_) @body)) @definition.function
(record_decl name: (_) @name) @definition.record
(type_alias name: (type_name name: (_) @name)) @definition.type
(pp_define lhs: (macro_lhs name: (_) @name)) @definition.constant
(spec) @attribute

(comment) @comment
[(module_attribute) (export_attribute) (import_attribute)] @import
