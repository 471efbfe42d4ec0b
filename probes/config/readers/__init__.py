"""One reader a way of stating the run: a file's tree, or a command's flags."""

# Switches that step the optimizer within the backward pass: there the norm of all gradients never
# exists, and clipping is refused (torchtune) or has no effect.
IN_BACKWARD = frozenset(
    ("optimizer_in_bwd", "optimizer_in_backward", "optim_in_bwd", "early_step_in_backward")
)
