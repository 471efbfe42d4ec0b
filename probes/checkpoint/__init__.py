"""Checkpoints: names, shapes and dtypes, read from headers without loading anything."""

PROBE_MODULES = ("index", "keys", "saved_states")
