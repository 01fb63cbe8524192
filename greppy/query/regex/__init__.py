"""Regular expressions: what a pattern means, what RE2 is told, and which trigrams a file must hold to match it."""
