"""The faults of the laboratory, as ``faults/*.yaml`` describes them.

Each entry is a run of ``script/``: changed as the fault says, launched, and left as a folder. Keys:
``causes`` (any of them is right; none for a healthy run), ``style`` of the log, ``config`` (changed
values by path; null removes none, ``drop`` does), ``config-text`` (old, new), ``patch`` (of a script
file: pairs of old and new), ``files`` (beside them, by path), ``arguments`` (of the script), ``torchrun`` (more options), ``command``
(instead of torchrun), ``log-dir`` (``tee``: a file a rank, too), ``data`` (what is wrong with
it), ``data-in-run`` (it lies in the run folder), ``env``, ``limits`` (RLIMIT_…), ``port: taken``, ``small-disk`` (size of the output's file
system), ``stages`` (runs one after the other, with ``arguments`` and ``config`` of their own, and
``then``: what happens to the checkpoint between them), ``seconds`` (after which it is stopped).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Stage:
    """One launch."""

    arguments: str = ""
    config: dict[str, Any] = field(default_factory=dict)
    then: str = ""


@dataclass(frozen=True)
class Fault:
    name: str
    causes: tuple[str, ...] = ()
    style: str = "plain"
    config: dict[str, Any] = field(default_factory=dict)
    drop: bool = False
    config_text: tuple[str, ...] = ()
    patch: dict[str, list[list[str]]] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    arguments: str = ""
    torchrun: str = ""
    command: str = ""
    log_dir: str = ""
    data: dict[str, Any] = field(default_factory=dict)
    data_in_run: bool = False
    env: dict[str, str] = field(default_factory=dict)
    limits: dict[str, int] = field(default_factory=dict)
    port: str = ""
    small_disk: str = ""
    stages: tuple[Stage, ...] = (Stage(),)
    seconds: int = 60


def faults() -> dict[str, Fault]:
    """All faults and healthy runs by name."""
    found: dict[str, Fault] = {}
    for file in sorted((HERE / "faults").glob("*.yaml")):
        for name, entry in yaml.safe_load(file.read_text("utf-8")).items():
            found[name] = _fault(name, entry)
    return found


def _fault(name: str, entry: dict[str, Any]) -> Fault:
    values = {key.replace("-", "_"): value for key, value in entry.items()}
    for key in ("causes", "config_text"):
        values[key] = tuple(values.get(key, ()))
    values["stages"] = tuple(Stage(**stage) for stage in values.get("stages", [{}]))
    return Fault(name=name, **values)
