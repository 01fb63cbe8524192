"""git greppy: search and navigation of code that lives in git."""

__version__ = "0.1.0"
