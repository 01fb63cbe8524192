"""The index: files of analyses keyed by blob hash, and snapshots that point into them. See `greppy.index.format`."""
