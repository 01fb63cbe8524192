"""Exact search: the lines that `git grep` gives, from the same snapshot, in the same order."""
