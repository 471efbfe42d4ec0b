"""Experiments as files: changed copies of the user's own, each with its diff."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medic.entries import Experiment
from medic.errors import UsageError
from medic.i18n import Text
from medic.index.knowledge import Index
from medic.records import dataclass, replace
from medic.run_config import Change, RunConfig
from medic.text.patterns import regex

if TYPE_CHECKING:
    from medic.edits import Patch


@dataclass(frozen=True)
class Made:
    """One trial's files: new content by name, the diff to the user's own, what was left out.

    ``unnamed``: copies of configurations that no script names, see ``placed``.
    """

    name: str
    files: Mapping[str, bytes]
    diff: str
    left_out: tuple[Change, ...] = ()
    scripts: tuple[str, ...] = ()
    unnamed: tuple[Path, ...] = ()


# Where a launcher and a logger write: trials that share a folder write over each other.
_LOGS = regex(
    r"(--(?:logs?|logging|tensorboard)[-_]dir(?:=|[ \t]+))([^\s\"']+|\"[^\"\n]+\"|'[^'\n]+')"
)


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
    from medic.edits import differences

    config = facts.get(RunConfig) or RunConfig()
    try:
        planned = trials(experiment, config)
    except MissingError as lacking:
        names = ", ".join(lacking.names)
        raise UsageError(
            f"the files do not state: {names}; give the config and the launch script",
            f"文件中没有给出：{names}；请给出配置文件和启动脚本",
        ) from None
    patches = [_patch(t.required, t.wanted, config, facts, index) for t in planned]
    # Each trial has a copy of every file that one of them changes: then none depends on the original.
    every = sorted({*scripts, *(name for patch, _ in patches for name in patch.hashes)})
    made = []
    for trial, (patch, left) in zip(planned, patches, strict=True):
        files = _contents(patch, every)
        files |= {name: _parted(files[name], trial.name) for name in scripts}
        shown = differences(files, _read)
        made.append(Made(trial.name, files, shown, left, tuple(scripts)))
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


def _contents(patch: Patch, names: Sequence[str]) -> dict[str, bytes]:
    from medic.edits import changed

    return {name: changed(name, patch.edits, _read(name)) for name in names}


def _parted(script: bytes, trial: str) -> bytes:
    """A launch script whose folders for logs are the trial's own."""

    def own(found: re.Match[str]) -> str:
        flag, path = found.groups()
        end = path[-1] if path[-1] in "\"'" else ""
        return f"{flag}{path.removesuffix(end).rstrip('/')}-{trial}{end}"

    text = script.decode("utf-8", "surrogateescape")
    return _LOGS.sub(own, text).encode("utf-8", "surrogateescape")


def _read(path: str) -> bytes:
    return Path(path).read_bytes()


def placed(made: Sequence[Made], folder: Path) -> tuple[Made, ...]:
    """The trials as they are below ``folder``: their scripts name the copies."""
    from medic.edits import differences

    found = []
    for trial in made:
        moved = _moved(trial, folder)
        files = {
            name: _pointed(data, moved) if name in trial.scripts else data
            for name, data in trial.files.items()
        }
        commands = b"".join(files[name] for name in trial.scripts)
        unnamed = [
            copy
            for name, copy in moved.items()
            if trial.scripts and name not in trial.scripts and os.fsencode(copy) not in commands
        ]
        shown = differences(files, _read)
        found.append(replace(trial, files=files, diff=shown, unnamed=tuple(unnamed)))
    return tuple(found)


def _moved(trial: Made, folder: Path) -> dict[str, Path]:
    return {name: folder / trial.name / Path(name).name for name in trial.files}


def write(made: Sequence[Made], folder: Path) -> list[Path]:
    """Writes each of the trials that are ``placed`` there into its own folder. Raises UsageError if
    a file is there already."""
    targets: dict[Path, bytes] = {}
    for trial in made:
        moved = _moved(trial, folder)
        targets |= {moved[name]: data for name, data in trial.files.items()}
        targets[folder / trial.name / "changes.patch"] = os.fsencode(trial.diff)
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
    """A launch script whose words for the moved files name the copies. A run that was copied names
    them by another folder; of several folders only the one that the file lies in is the file's."""
    text = script.decode("utf-8", "surrogateescape")
    for name, copy in moved.items():
        base = re.escape(Path(name).name)
        word = re.compile(rf"(?<![\w./${{}}-])[\w./${{}}-]*{base}(?![\w.-])")
        words = {w for w in word.findall(text) if Path(w).name == Path(name).name}
        if len(words) > 1:
            words = {w for w in words if _same_end(w, name)}
        for one in words:
            text = re.sub(
                rf"(?<![\w./${{}}-]){re.escape(one)}(?![\w.-])",
                str(_as_named(one, copy)).replace("\\", r"\\"),
                text,
            )
    return text.encode("utf-8", "surrogateescape")


def _as_named(word: str, copy: Path) -> Path:
    """The copy as the script names the file: from wherever it is started, or from one folder."""
    return copy.absolute() if word.startswith(("/", "$")) else copy


def _same_end(word: str, name: str) -> bool:
    """Whether ``conf/a.yaml`` or ``./conf/a.yaml`` may be /job/conf/a.yaml."""
    return Path(name).parts[-len(parts) :] == parts if (parts := Path(word).parts) else False
