"""Experiments as files: changed copies of the user's own, each with its diff."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medic.entries import Experiment
from medic.errors import UsageError
from medic.i18n import Text
from medic.index.knowledge import Index
from medic.records import dataclass
from medic.run_config import Change, RunConfig

if TYPE_CHECKING:
    from medic.edits import Patch


@dataclass(frozen=True)
class Made:
    """One trial's files: new content by name, the diff to the user's own, what was left out."""

    name: str
    files: Mapping[str, bytes]
    diff: str
    left_out: tuple[Change, ...] = ()
    scripts: tuple[str, ...] = ()


def make(
    experiment: Experiment,
    facts: Mapping[type[Any], Any],
    index: Index,
    scripts: Sequence[str] = (),
) -> tuple[Made, ...]:
    """The trials of an experiment as files; launch scripts come along, pointed at the copies.

    Raises UsageError if the config does not carry the trials.
    """
    from medic.changes import MissingError, trials

    config = facts.get(RunConfig) or RunConfig()
    try:
        planned = trials(experiment, config)
    except MissingError as lacking:
        names = ", ".join(lacking.names)
        raise UsageError(
            f"the files do not state: {names}; give the config and the launch script",
            f"文件中没有给出：{names}；请给出配置文件和启动脚本",
        ) from None
    made = []
    for trial in planned:
        patch, left = _patch(trial.required, trial.wanted, config, facts, index)
        made.append(Made(trial.name, _contents(patch, scripts), patch.diff, left, tuple(scripts)))
    return tuple(made)


def _patch(
    required: tuple[Change, ...],
    wanted: tuple[Change, ...],
    config: RunConfig,
    facts: Mapping[type[Any], Any],
    index: Index,
) -> tuple[Patch, tuple[Change, ...]]:
    """The patch of all that can be written together. Raises UsageError if what must be cannot."""
    from medic.edits import patch_for

    frameworks = list(index.frameworks.values())
    kept: list[Change] = []
    left: list[Change] = []
    best: Patch | None = None
    for change in (*required, *wanted):
        if change.old == change.new and isinstance(change.old, type(change.new)):
            continue
        patch, refused = patch_for([*kept, change], config, facts, frameworks, _read)
        if patch is not None:
            best = patch
            kept.append(change)
        elif change in required:
            why = refused[0] if refused else Text("no place", "没有位置")
            raise UsageError(f"{change.field}: {why.en}", f"{change.field}：{why.zh}")
        else:
            left.append(change)
    if best is None:
        from medic.edits import Patch

        return Patch((), ""), tuple(left)
    return best, tuple(left)


def _contents(patch: Patch, scripts: Sequence[str]) -> dict[str, bytes]:
    from medic.edits import changed

    names = sorted({*scripts, *patch.hashes})
    return {name: changed(name, patch.edits, _read(name)) for name in names}


def _read(path: str) -> bytes:
    return Path(path).read_bytes()


def write(made: tuple[Made, ...], folder: Path) -> list[Path]:
    """Writes each trial into its own folder. Raises UsageError if a file is there already."""
    targets: dict[Path, bytes] = {}
    for trial in made:
        own = folder / trial.name
        moved = {name: own / Path(name).name for name in trial.files}
        for name, data in trial.files.items():
            targets[moved[name]] = _pointed(data, moved) if name in trial.scripts else data
        targets[own / "changes.patch"] = trial.diff.encode()
    for path in targets:
        if path.exists():
            raise UsageError(
                "is there already; nothing was written", "已存在；未写入任何文件", at=str(path)
            )
    for path, data in targets.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return list(targets)


def _pointed(script: bytes, moved: Mapping[str, Path]) -> bytes:
    """A launch script whose words for the moved files name the copies."""
    text = script.decode("utf-8", "surrogateescape")
    for name, copy in moved.items():
        base = re.escape(Path(name).name)
        text = re.sub(rf"(?<![\w./$}}-])[\w./-]*{base}(?![\w.-])", str(copy), text)
    return text.encode("utf-8", "surrogateescape")
