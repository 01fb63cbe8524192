; OCaml.

(value_definition (let_binding pattern: (value_name) @name (parameter) body: (_) @body)) @definition.function
(value_definition (let_binding pattern: (value_name) @name body: (function_expression) @body)) @definition.function
(value_definition (let_binding pattern: (value_name) @name body: (fun_expression) @body)) @definition.function
(value_definition (let_binding pattern: (value_name) @name body: (_) @body)) @definition.constant
(type_definition (type_binding name: (_) @name)) @definition.type
(module_definition (module_binding (module_name) @name)) @definition.module
(class_definition (class_binding name: (_) @name)) @definition.class

(comment) @comment
(open_module) @import
