"""Before launch, on the node: whether this machine has what the launch asks of it."""

from medic.preflight.result import Preflight, Result, Scene
from medic.preflight.scene import look_at

__all__ = ["Preflight", "Result", "Scene", "look_at"]
