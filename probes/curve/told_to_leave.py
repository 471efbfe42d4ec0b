"""Settings that tell a run what of a checkpoint not to take: its states, or its place in the data.

Sources: Megatron-LM ``training/arguments.py`` (``--no-load-optim``, ``--finetune``: "do not load
optimizer or rng state from checkpoint and set iteration to 0"), ms-swift ``resume_only_model``,
OLMo ``reset_optimizer_state`` and ``restore_dataloader``, transformers ``ignore_data_skip``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from medic.facts import Source
from medic.probe import source_of
from medic.run_config import RunConfig, Setting
from medic.text.patterns import regex

# Name -> the value that leaves them out, and what is left out.
STATES: Mapping[str, tuple[bool, tuple[str, ...]]] = {
    "no_load_optim": (True, ("optimizer",)),
    "finetune": (True, ("optimizer", "scheduler", "step")),
    "resume_only_model": (True, ("optimizer", "scheduler")),
    "reset_optimizer_state": (True, ("optimizer",)),
    "reset_trainer_state": (True, ("step",)),
}
DATA: Mapping[str, bool] = {"ignore_data_skip": True, "restore_dataloader": False}
_FROM = regex(r"\b(?:from|at|in) +['\"]?([^\s'\",]+)")
_WORDS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


class Left(NamedTuple):
    """``what`` is not taken; ``name`` is the setting that says so."""

    name: str
    what: tuple[str, ...]
    source: Source


def states(config: RunConfig) -> Left | None:
    """The setting by which the states of a checkpoint are not loaded."""
    for name, (value, what) in STATES.items():
        one = config.setting(name)
        if one is not None and _truth(one) is value:
            return Left(name, what, _source(one))
    return None


def data(config: RunConfig) -> Left | None:
    """The setting by which a resumed run reads its data from the first sample on."""
    for name, value in DATA.items():
        one = config.setting(name)
        if one is not None and _truth(one) is value:
            return Left(name, ("data",), _source(one))
    return None


def _source(setting: Setting) -> Source:
    return source_of(setting.origin, f"{setting.origin.key}: {setting.value}")


def printed(line: str) -> tuple[str, ...]:
    """What is not taken by a setting that a log prints; the optimizer's state if it names none."""
    found = (what for name, (_, what) in STATES.items() if line.lstrip().startswith(name))
    return next(found, ("optimizer",))


def _truth(setting: Setting) -> bool | None:
    """None of a value that is neither."""
    value = setting.value
    return value if isinstance(value, bool) else _WORDS.get(str(value).strip().lower())


def is_own(config: RunConfig, line: str) -> bool:
    """Whether a line says that the checkpoint came from the folder into which the run saves."""
    folder, found = config.get("output_dir"), _FROM.search(line)
    if not isinstance(folder, str) or found is None:
        return False
    folder, place = folder.rstrip("/"), found[1].rstrip("/")
    return bool(folder) and (place == folder or place.startswith(f"{folder}/"))
