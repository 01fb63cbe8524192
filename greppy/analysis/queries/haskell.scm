; Haskell.

(function name: (_) @name) @definition.function
(bind name: (_) @name) @definition.function
(signature name: (_)) @attribute
(data_type name: (_) @name) @definition.type
(newtype name: (_) @name) @definition.type
(type_synomym name: (_) @name) @definition.type
(type_family name: (_) @name) @definition.type
(data_family name: (_) @name) @definition.type
(field name: (field_name) @name) @definition.property
(class name: (_) @name) @definition.class
(instance name: (_) @name) @definition.impl

(comment) @comment
(haddock) @comment
(import) @import
