; SQL.

(create_table (object_reference name: (_) @name)) @definition.table
(create_view (object_reference name: (_) @name)) @definition.view
(create_function (object_reference name: (_) @name)) @definition.function
(create_index column: (_)? @body) @definition.index
(create_type (object_reference name: (_) @name)) @definition.type
(create_trigger (object_reference name: (_) @name)) @definition.trigger

(statement) @outer
(comment) @comment
(marginalia) @comment
