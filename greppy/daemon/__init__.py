"""The warm daemon: the same answers, from processes that are there already."""
