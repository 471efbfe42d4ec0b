"""The command line of a training run: how it is launched, and which flags its script accepts."""
