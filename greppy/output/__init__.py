"""Results to terminal text and JSON."""
