"""Programs, and configurations that Hydra looks up by name, that are not where the command says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePath

from medic.facts import Launch, Repair, Word
from medic.records import dataclass
from medic.run_config import Span
from medic.text.patterns import regex
from medic.text.slips import digits_of

from .distance import letters_apart
from .option_words import option_word
from .script_text import ScriptText
from .slip import respelt

MAX_BESIDE = 500  # names of a folder
_SHORTEST = 4
_NAME = regex(r"[\w+-][\w.+-]*(?:/[\w.+-]+)*")
_CONFIG = (".yaml", ".yml")


@dataclass(frozen=True)
class Absent:
    path: str
    span: Span
    repair: Repair | None


def absent_program(script: ScriptText, launch: Launch) -> Iterator[Absent]:
    """A program of nearly that name lies where it should be; without one the files that are given
    may be no whole project."""
    word = launch.script
    path = (word.value or "") if word is not None else ""
    if word is None or not path.endswith(".py") or not _NAME.fullmatch(path):
        return
    base = Path(script.file).absolute().parent
    folder = base / PurePath(path).parent
    # A script in a folder of its own may be started from the one above it.
    if any((root / path).exists() for root in (base, base.parent, Path())):
        return
    near = _near(folder, PurePath(path).name)
    if near and script.text.count(path) == 1:
        right = str(PurePath(path).parent / near)
        own = word.raw == path
        yield Absent(path, word.span, respelt(word, right) if own else None)


def _near(folder: Path, name: str) -> str:
    """The one file of a folder whose name is a letter away, or has two swapped."""
    stem = PurePath(name).stem
    if len(stem) < _SHORTEST:
        return ""
    try:
        beside = [one.name for one, _ in zip(folder.glob("*.py"), range(MAX_BESIDE), strict=False)]
    except OSError:
        return ""
    near = [one for one in beside if letters_apart(stem, PurePath(one).stem, 1) == 1]
    found = [one for one in near if digits_of(one) == digits_of(name)]
    return found[0] if len(found) == 1 else ""


def absent_hydra(script: ScriptText, launch: Launch) -> Iterator[Absent]:
    """``--config-path conf --config-name one``: Hydra counts the folder from the program's own
    (documentation: Hydra's command line flags). Only where the folder holds others."""
    words = (*launch.launcher_words, *launch.arguments)
    name, place = (
        option_word(words, "--config-name", "-cn"),
        option_word(words, "--config-path", "-cp"),
    )
    program = (launch.script.value or "") if launch.script is not None else ""
    if name is None or place is None or not _NAME.fullmatch(name[1]) or not place[1]:
        return
    start = Path(script.file).absolute().parent
    folder = start / PurePath(program).parent / place[1]
    wanted = name[1].removesuffix(".yaml")
    if (
        not (start / program).is_file()
        or _there(folder, wanted)
        or not _holds_others(folder)
        or "$" in name[0].raw + place[0].raw
    ):
        return
    yield Absent(
        f"{place[1].rstrip('/')}/{wanted}.yaml", name[0].span, _meant(folder, name[0], wanted)
    )


def _there(folder: Path, name: str) -> bool:
    return any((folder / f"{name}{ending}").exists() for ending in _CONFIG)


def _holds_others(folder: Path) -> bool:
    try:
        return any(
            one.suffix in _CONFIG
            for one, _ in zip(folder.iterdir(), range(MAX_BESIDE), strict=False)
        )
    except OSError:
        return False


def _meant(folder: Path, word: Word, wanted: str) -> Repair | None:
    every = zip(folder.iterdir(), range(MAX_BESIDE), strict=False)
    near = [
        one.stem
        for one, _ in every
        if one.suffix in _CONFIG and letters_apart(one.stem, wanted, 1) == 1
    ]
    if len(near) != 1 or len(wanted) < _SHORTEST or wanted not in word.raw:
        return None
    return respelt(word, word.raw.replace(wanted, near[0]))
