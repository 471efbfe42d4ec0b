"""The consultation: look, ask, answer, conclude, keep, look again."""
