"""Gradients of GPUs that are sent by gloo, the library for CPUs."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig
from medic.text.patterns import regex

NAME = "gloo-between-gpus"
NEEDS: tuple[str, ...] = ()
# Of the ranks' process group; a rendezvous, an attention or a plot has a backend, too.
_BACKEND = regex(
    r"(?:^|[._-])(?:dist(?:ributed)?|ddp|comm(?:unication)?|process_group|pg|torch_distributed)"
    r"[._-]?backend$"
)
_GPUS = regex(r"gpus?(?:[._-]|$)|cuda")
# They start on GPUs alone.
_ON_GPUS = frozenset(("megatron", "torchtitan", "nemo", "megatron-swift"))


def check(config: RunConfig) -> LintResult:
    """``cpu:gloo,cuda:nccl`` is right: each kind of tensor has its own."""
    named = [s for s in config.settings if _BACKEND.search(".".join(s.path).lower())]
    if not named:
        return NotChecked(("distributed_backend",))
    gloo = [s for s in named if str(s.value).strip().lower() == "gloo"]
    if not gloo:
        return Passes()
    if not _on_gpus(config):
        return NotChecked(("accelerator",))
    return Fires(gloo[0].path[-1], {"key": gloo[0].path[-1]})


def _on_gpus(config: RunConfig) -> bool:
    frameworks = {s.origin.framework for s in config.settings}
    asked = any(
        _GPUS.search(".".join(s.path).lower())
        and str(s.value).lower() not in ("0", "false", "none", "cpu")
        for s in config.settings
    )
    return (
        bool(frameworks & _ON_GPUS) or asked or config.get("precision") in ("fp16", "bf16", "fp8")
    )
