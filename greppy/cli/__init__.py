"""The command line: one file a verb; the only reader of argv and the environment."""
