"""Running processes of a job: their stacks and state, from outside, live or as saved dumps."""
