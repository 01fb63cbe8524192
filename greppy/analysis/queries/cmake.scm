; CMake.

(function_def (function_command (argument_list . (argument) @name))) @definition.function
(macro_def (macro_command (argument_list . (argument) @name))) @definition.macro

(line_comment) @comment
(bracket_comment) @comment
