"""Training data: what its files hold, sampled with limits, and whether it fits the run."""
