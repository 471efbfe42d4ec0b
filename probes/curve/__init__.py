"""Metrics over steps: what the curves show, and what they rule out."""
