"""Peak GPU memory of one training step of a dense decoder model, in bytes."""
