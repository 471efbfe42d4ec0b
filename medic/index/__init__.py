"""The knowledge at run time: compiled, stored, read on demand."""
