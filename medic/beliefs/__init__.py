"""What to believe of the causes, given the findings."""
