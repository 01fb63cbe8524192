"""What a blob yields: its language, its text, its chunks and their terms."""
