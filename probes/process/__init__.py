"""Running processes of a job: their stacks and state, from outside, live or as saved dumps."""

PROBE_MODULES = ("stacks", "stack_places")
