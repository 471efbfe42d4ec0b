"""Metrics over steps: the curves of a run, and what their shapes say."""
