; Ruby. `class << self` has no name of its own, so its methods are the class's.

(class name: (_) @name body: (_)? @body) @definition.class
(module name: (_) @name body: (_)? @body) @definition.module
(method name: (_) @name body: (_)? @body) @definition.method
(singleton_method name: (_) @name body: (_)? @body) @definition.method
(program (assignment left: (constant) @name) @definition.constant)
(call method: (identifier) @_define arguments: (argument_list . (simple_symbol) @name) block: (_) @body
  (#eq? @_define "define_method")) @definition.method

(comment) @comment
(program (call method: (identifier) @_require (#any-of? @_require "require" "require_relative")) @import)
