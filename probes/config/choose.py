"""Which of several files belong to the launch, and which are other configurations beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath

from medic.i18n import Text
from medic.records import dataclass
from medic.text.namesakes import words_of

from .carriers import Stated, same

_ASIDE = frozenset(
    ["old", "bak", "backup", "copy", "prev", "previous", "example", "template", "default", "sample"]
)  # fmt: skip


@dataclass(frozen=True)
class Command:
    """A launch: what its launcher, its script and its batch job state."""

    launcher: Stated | None
    script: Stated | None
    batch: Stated | None = None
    program: str = ""  # the script that it starts

    @property
    def stated(self) -> tuple[Stated, ...]:
        return tuple(s for s in (self.launcher, self.script, self.batch) if s is not None)

    @property
    def mentions(self) -> frozenset[str]:
        return self.script.mentions if self.script else frozenset()


def the_command(commands: Sequence[Command], files: Sequence[Stated]) -> Command | None:
    """The launch that names one of the files, else the one that states most; a later one wins."""
    best: tuple[tuple[bool, int, int], Command] | None = None
    for i, command in enumerate(commands):
        names = any(mentioned(file, command.mentions) for file in files)
        score = (names, sum(len(s.values) for s in command.stated), i)
        if best is None or score > best[0]:
            best = (score, command)
    return best[1] if best else None


def of_one_launch(
    files: Sequence[Stated], mentions: Iterable[str], launcher: str = "", program: str = ""
) -> tuple[list[Stated], list[tuple[Stated, Text]]]:
    """(the files of the launch, (left out, why)).

    Files of a folder that state the same things otherwise stand for different runs. Of them the
    one stays that the command or another file names, else the one nearest to the root, else the
    one that states most, else the newest. Of several engine or launcher files that nobody names
    none is read, nor is a file of another launcher than the one in use (``launcher``). Files that
    the user named all belong to the launch, and so does its ``program`` beside a file of the same
    names that the command hands to it: nanoGPT's train.py runs that file in its own globals.
    """
    words = set(mentions)
    belongs = {id(f) for f in files if _explicit(f) or mentioned(f, words)}
    spoken = {f.framework.name for f in files if id(f) in belongs}
    belongs |= {id(f) for f in files if f.framework.name in spoken and mentioned(f, (program,))}
    left = [(f, why) for f in files if (why := _beside(f, files, belongs, launcher))]
    gone = {id(file) for file, _ in left}
    kept: list[Stated] = []
    candidates = [f for f in files if id(f) not in gone]
    for file in sorted(candidates, key=lambda f: (id(f) not in belongs, *_order(f, files))):
        rival = next((other for other in kept if _alternatives(file, other, belongs)), None)
        if rival is not None:
            left.append((file, _instead(file, rival)))
        else:
            kept.append(file)
    places = {id(file): i for i, file in enumerate(files)}
    return sorted(kept, key=lambda file: places[id(file)]), left


def _instead(file: Stated, rival: Stated) -> Text:
    """Why another one was read: with the first thing that the two state otherwise."""
    for field in sorted(file.values.keys() & rival.values.keys()):
        mine, other = file.values[field], rival.values[field]
        if not same(mine.value, other.value):
            why = Text(
                "another configuration ({key} {mine} there, {other} in {f}); {f} was read",
                "另一份配置（其中 {key} 为 {mine}，{f} 中为 {other}）；已读取 {f}",
            )
            key = ".".join(mine.origin.path) or mine.origin.key or field
            return why.fill(key=key, mine=mine.value, other=other.value, f=rival.name)
    return Text("another configuration; {f} was read", "另一份配置；已读取 {f}").fill(f=rival.name)


def _beside(file: Stated, files: Sequence[Stated], belongs: set[int], launcher: str) -> Text | None:
    """Why an engine or launcher file is not read; None if it may be."""
    if file.role not in ("engine", "launcher") or id(file) in belongs:
        return None
    if file.role == "launcher" and launcher and file.framework.name != launcher:
        return Text("the launcher in use is {l}", "实际使用的启动器是 {l}").fill(l=launcher)
    fellows = [other for other in files if other.role == file.role]
    if len(fellows) > 1 and not any(id(other) in belongs for other in fellows):
        return Text(
            "one of several files of its kind, and nothing names one",
            "同类文件有多个，且没有任何地方指明用哪个",
        )
    return None


def is_put_aside(name: str) -> bool:
    """Whether a file is called what copies and examples are called."""
    return bool(words_of(name) & _ASIDE)


def _order(file: Stated, files: Sequence[Stated]) -> tuple[bool, int, bool, float, str]:
    most = max(len(f.values) for f in files if f.role == file.role)
    modified = file.given.modified if file.given else 0.0
    aside, depth = is_put_aside(file.name), len(PurePath(file.name).parts)
    return aside, depth, len(file.values) * 2 < most, -modified, file.name


def _explicit(file: Stated) -> bool:
    return file.given is not None and file.given.named


def mentioned(file: Stated, mentions: Iterable[str]) -> bool:
    """Whether a command names a file."""
    own = PurePath(file.name)
    for mention in mentions:
        parts = PurePath(mention.split("=")[-1]).parts
        if parts and parts[-1] == own.name:
            return True
    return False


def _alternatives(one: Stated, other: Stated, belongs: set[int]) -> bool:
    """Whether two files stand for different runs: they share most of what they state, or differ."""
    if one.role != other.role or {id(one), id(other)} <= belongs:
        return False
    shared = one.values.keys() & other.values.keys()
    if any(not same(one.values[f].value, other.values[f].value) for f in shared):
        return True
    return bool(shared) and len(shared) * 2 >= min(len(one.values), len(other.values))
