; Zig. Types are values that constants hold.

(Decl (FnProto function: (IDENTIFIER) @name) (Block)? @body) @definition.function
(Decl (VarDecl variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr (ContainerDecl) @body)))) @definition.struct
(source_file (Decl (VarDecl variable_type_function: (IDENTIFIER) @name)) @definition.constant)
(TestDecl (STRINGLITERALSINGLE) @name (Block) @body) @definition.function

(line_comment) @comment
(doc_comment) @comment
(container_doc_comment) @comment
