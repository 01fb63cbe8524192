"""Plan → candidates → score → lines. See `greppy.search.engine`."""
