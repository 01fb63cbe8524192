; Protocol buffers.

(message (message_name) @name (message_body) @body) @definition.struct
(enum (enum_name) @name (enum_body) @body) @definition.enum
(enum_field . (identifier) @name) @definition.constant
(service (service_name) @name) @definition.interface
(rpc (rpc_name) @name) @definition.method

(comment) @comment
[(import) (package) (syntax)] @import
