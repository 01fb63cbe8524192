; Scala.

(class_definition name: (_) @name body: (_)? @body) @definition.class
(object_definition name: (_) @name body: (_)? @body) @definition.object
(trait_definition name: (_) @name body: (_)? @body) @definition.trait
(enum_definition name: (_) @name body: (_) @body) @definition.enum
[(simple_enum_case name: (_) @name) (full_enum_case name: (_) @name)] @definition.constant
(function_definition name: (_) @name body: (_) @body) @definition.function
(function_declaration name: (_) @name) @definition.function
(type_definition name: (_) @name) @definition.type
(compilation_unit (val_definition pattern: (identifier) @name) @definition.constant)

(comment) @comment
(block_comment) @comment
[(import_declaration) (package_clause)] @import
