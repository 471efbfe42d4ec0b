"""Names that a framework has, and one of its programs has not: another one of them does."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from medic.facts import Launch
from medic.text.patterns import regex

from .own_programs import path_of, program_of

# What each takes instead. ms-swift (swift/arguments, swift/megatron/arguments) and OpenRLHF
# (openrlhf/cli) have a parser a program, which refuses what the others take.
_MEGATRONS = {
    "lr": "learning_rate",
    "train_iters": "max_steps",
    "micro_batch_size": "per_device_train_batch_size",
    "clip_grad": "max_grad_norm",
    "lr_warmup_fraction": "warmup_ratio",
    "lr_warmup_iters": "warmup_steps",
    "lr_decay_style": "lr_scheduler_type",
    "log_interval": "logging_steps",
}
_TRAINERS = {
    "learning_rate": "lr",
    "max_steps": "train_iters",
    "per_device_train_batch_size": "micro_batch_size",
    "max_grad_norm": "clip_grad",
    "warmup_ratio": "lr_warmup_fraction",
    "warmup_steps": "lr_warmup_iters",
    "lr_scheduler_type": "lr_decay_style",
}
_TRAINING = regex(r"(?:^|/)(?:sft|pt|rlhf)(?:\.py)?$")
_PROGRAMS = {
    "ms-swift": (_TRAINING, _MEGATRONS),
    "megatron-swift": (_TRAINING, _TRAINERS),
    "openrlhf": (
        regex(r"(?:^|/)openrlhf/cli/train_ppo(?:_ray)?\.py$"),
        {"learning_rate": "actor_learning_rate"},
    ),
}
# OpenRLHF's releases with groups of flags: --actor.adam.lr.
_GROUPED = {"adam.lr": "actor.adam.lr", "adam.weight_decay": "actor.adam.weight_decay"}
_NOTHING: Mapping[str, str] = {}


def lacks(launch: Launch, framework: str, flags: Collection[str]) -> Mapping[str, str]:
    """name -> what the program of a launch has for it. ``flags``: the names that it is given."""
    found = _PROGRAMS.get(framework)
    if found is None or program_of(launch) != framework or not found[0].search(path_of(launch)):
        return _NOTHING
    grouped = framework == "openrlhf" and any("." in one for one in flags)
    return _GROUPED if grouped else found[1]
