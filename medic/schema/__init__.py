"""YAML entries to validated knowledge."""
