; Perl.

(subroutine_declaration_statement name: (bareword) @name body: (_) @body) @definition.function
(method_declaration_statement name: (bareword) @name body: (_) @body) @definition.method
(package_statement name: (package) @name (block) @body) @definition.module
(class_statement name: (package) @name (block) @body) @definition.class

(comment) @comment
(pod) @comment
(use_statement) @import
