"""The first answer about a large project that has no index yet: from a scan of its files."""
