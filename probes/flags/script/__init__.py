"""Reads what a training script makes of its command line, without importing or running it."""
