"""What the user gave: the evidence in files and folders."""
