"""Before launch: what in the files will fail or silently go wrong."""
