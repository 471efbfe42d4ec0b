"""What the logs of a run say: failures by rank and time, steps, tracebacks, how it ended."""
