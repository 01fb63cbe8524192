; HCL: Terraform. A block is named by its type and labels.

(block . (identifier) @name . (block_start) @body) @definition.block
(block . (identifier) @receiver . (string_lit) @name . (block_start) @body) @definition.block
(block . (identifier) @receiver . (string_lit) @receiver . (string_lit) @name . (block_start) @body) @definition.block

(comment) @comment
