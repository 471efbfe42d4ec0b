"""Peak GPU memory of one training step of a dense decoder model, in bytes."""

from medic.memory.estimate import estimate

__all__ = ["estimate"]
