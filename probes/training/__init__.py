"""Training loops that are written out: what is missing, and what stands in the wrong order."""
