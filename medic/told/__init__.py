"""What a person says of the run in words, and what is taken from it."""
