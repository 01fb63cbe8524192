; Objective-C.

(class_interface . "@interface" . (identifier) @name) @definition.class
(class_implementation . "@implementation" . (identifier) @name) @definition.class
(protocol_declaration . "@protocol" . (identifier) @name) @definition.protocol
(method_definition (identifier) @name (compound_statement) @body) @definition.method
(function_definition
  declarator: [
    (function_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  ]
  body: (_) @body) @definition.function

(comment) @comment
(preproc_include) @import
