"""Dumps of PyTorch's flight recorder: what each rank was communicating when they were written."""
