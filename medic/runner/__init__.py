"""Finds the probes, runs them with limits, keeps what they saw."""
