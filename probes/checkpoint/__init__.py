"""Checkpoints: names, shapes and dtypes, read from headers without loading anything."""
