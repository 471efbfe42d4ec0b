"""Hides what a shared report should not carry."""
