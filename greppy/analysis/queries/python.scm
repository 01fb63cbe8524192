; Python, also Cython and Starlark where they agree. The body of a definition begins after its colon.

(class_definition name: (identifier) @name body: (block) @body) @definition.class
(function_definition name: (identifier) @name body: (block) @body) @definition.function
(decorated_definition) @outer

(module (assignment left: (identifier) @name right: (_) @body) @definition.variable)
(module (assignment left: (identifier) @name right: (lambda) @body) @definition.function)
(module (type_alias_statement left: (type) @name) @definition.type)

(module . (string) @docstring)
(class_definition body: (block . (string) @docstring))
(function_definition body: (block . (string) @docstring))
(comment) @comment

(module [(import_statement) (import_from_statement) (future_import_statement)] @import)
