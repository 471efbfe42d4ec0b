"""Text as bytes, characters and patterns."""
