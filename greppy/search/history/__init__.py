"""The commits in which matching lines came and went."""
