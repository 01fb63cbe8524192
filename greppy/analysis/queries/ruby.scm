; Ruby. `class << self` has no name of its own, so its methods are the class's.

(class name: (_) @name body: (_)? @body) @definition.class
(module name: (_) @name body: (_)? @body) @definition.module
(method name: (_) @name body: (_)? @body) @definition.method
(singleton_method name: (_) @name body: (_)? @body) @definition.method
(body_statement (assignment left: (constant) @name) @definition.constant)
(alias name: (_) @name) @definition.property
(program (assignment left: (constant) @name) @definition.constant)
(program (call !receiver method: (identifier) @keyword) @definition.call)
(call !receiver method: (identifier) @keyword arguments: (argument_list . (simple_symbol) @name) block: (_) @body)
  @definition.call

(comment) @comment
