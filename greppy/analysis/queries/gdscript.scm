; GDScript.

(class_definition name: (_) @name body: (_) @body) @definition.class
(function_definition name: (_) @name body: (_) @body) @definition.function

(comment) @comment
