; Make.

(rule (targets . (word) @name) (recipe) @body) @definition.target
(define_directive name: (_) @name) @definition.macro
(makefile (variable_assignment name: (_) @name) @definition.variable)

(comment) @comment
