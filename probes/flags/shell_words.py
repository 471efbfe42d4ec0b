"""Words of tools around a launch: subcommands, limits, modules that are unloaded again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import PurePosixPath

from medic.facts import Command, Document, Launch, Word
from medic.i18n import Text
from medic.text.patterns import regex
from medic.text.slips import is_swapped

from .distance import letters_apart
from .launchers import ALIASES, FRAMEWORKS, WRAPPERS
from .script_text import ScriptText
from .slip import Slip, respelt

# Subcommands as the manuals of the tools list them (Environment Modules and Lmod, conda, ray).
_CONDA = frozenset(
    "activate deactivate create install update remove env run info list init clean config".split()  # noqa: SIM905
)
_SUBCOMMANDS: dict[str, frozenset[str]] = {
    "module": frozenset(
        """
        load unload purge list use unuse add swap switch restore avail spider show save reset rm del
        whatis keyword display help try-load is-loaded initadd initrm refresh update
        """.split()  # noqa: SIM905
    ),
    "conda": _CONDA,
    "mamba": _CONDA,
    "ray": frozenset("start stop job status up down submit exec attach memory timeline".split()),  # noqa: SIM905
}
# ray job submit: the word behind two of them.
_JOBS = frozenset("submit stop status logs list delete".split())  # noqa: SIM905
_SUBCOMMANDS |= {
    "swift": FRAMEWORKS["swift"]
    | frozenset("infer export deploy eval merge-lora app web-ui sample rollout".split()),  # noqa: SIM905
    "llamafactory-cli": FRAMEWORKS["llamafactory-cli"]
    | frozenset("chat export eval api webui webchat version env help".split()),  # noqa: SIM905
    "accelerate": frozenset("launch config env test estimate-memory merge-weights".split()),  # noqa: SIM905
}
_SHORTEST = 4
_WRAPPED = 40  # words among which a tool is looked for: srun --nodes 2 accelerate launch
_ACTIVATE = "activate"
_LIMIT_OPTION = regex(r"-[SHabcdefiklmnpqrstuvxPRT]+")
_LIMIT = regex(r"\d+|unlimited|hard|soft")
_UNLIMITED = "unlimited"
_NO_SUBCOMMAND = Text(
    "{tool} has no subcommand {word}; {meant} is meant", "{tool} 没有 {word} 子命令，应为 {meant}"
)
_NO_FILE = Text(
    "the script of an environment is called {meant}, not {word}",
    "环境的激活脚本名为 {meant}，而不是 {word}",
)
_NO_LIMIT = Text(
    "ulimit {option} takes a number, unlimited, hard or soft, not {word}: the limit stays as it was",
    "ulimit {option} 只接受数字、unlimited、hard 或 soft，不接受 {word}：限制不会改变",
)
_PURGED = Text(
    "module purge unloads what line {line} has loaded, and nothing is loaded behind it",
    "module purge 会卸载第 {line} 行加载的模块，之后没有再加载",
)


def shell_words(
    script: ScriptText, document: Document, launches: Sequence[Launch]
) -> Iterator[Slip]:
    for command in document.commands:
        yield from _subcommand(command)
        yield from _activation(command)
        yield from _limit(command)
    yield from _purged(script, document, launches)


def _subcommand(command: Command) -> Iterator[Slip]:
    words = command.words
    wrapped = ALIASES.get(words[0].raw, words[0].raw) in WRAPPERS if words else False
    for at, tool in enumerate(words[: _WRAPPED if wrapped else 1]):
        known = _SUBCOMMANDS.get(tool.raw, frozenset())
        if known and [one.raw for one in words[at : at + 2]] == ["ray", "job"]:
            known, at = _JOBS, at + 1  # noqa: PLW2901
        if known and at + 1 < len(words):
            yield from _misspelt(words[at], words[at + 1], known)
            return


def _misspelt(tool: Word, word: Word, known: Collection[str]) -> Iterator[Slip]:
    name = word.value or ""
    if not name.isalpha() or name in known:
        return
    near = [one for one in known if _is_near(name, one)]
    if len(near) == 1:
        what = _NO_SUBCOMMAND.fill(tool=tool.raw, word=name, meant=near[0])
        yield Slip(what, word.span, respelt(word, near[0]))


def _is_near(name: str, other: str) -> bool:
    long = min(len(name), len(other)) >= _SHORTEST
    return (long and letters_apart(name, other, 1) == 1) or is_swapped(name, other)


def _activation(command: Command) -> Iterator[Slip]:
    """``source env/bin/activte``."""
    words = command.words
    if len(words) < 2 or words[0].raw not in ("source", "."):
        return
    path = PurePosixPath(words[1].raw.strip("\"'"))
    if path.parent.name == "bin" and letters_apart(path.name, _ACTIVATE, 1):
        text = words[1].raw.replace(f"bin/{path.name}", f"bin/{_ACTIVATE}")
        what = _NO_FILE.fill(meant=_ACTIVATE, word=path.name)
        yield Slip(what, words[1].span, respelt(words[1], text))


def _limit(command: Command) -> Iterator[Slip]:
    words = command.words
    if len(words) != 3 or words[0].raw != "ulimit" or not _LIMIT_OPTION.fullmatch(words[1].raw):
        return
    value = words[2].value
    if value is not None and value and not _LIMIT.fullmatch(value):
        near = letters_apart(value, _UNLIMITED) is not None
        what = _NO_LIMIT.fill(option=words[1].raw, word=value)
        yield Slip(what, words[2].span, respelt(words[2], _UNLIMITED) if near else None)


def _purged(script: ScriptText, document: Document, launches: Sequence[Launch]) -> Iterator[Slip]:
    """``module load cuda`` and then ``module purge`` before the training, at the margin of the
    script. A file that is read in between or behind may load modules itself.
    """
    loaded: Command | None = None
    purge: Command | None = None
    for command in sorted(document.commands, key=lambda one: one.span.start):
        words = [word.raw for word in command.words[:2]]
        at_margin = script.line_text(command.span.line)[:1] not in ("", " ", "\t")
        if words[:1] == ["ml"] or (words[:1] in (["source"], ["."]) and not _activates(command)):
            loaded = purge = None
        if words[:1] != ["module"] or len(words) < 2:
            continue
        if words[1] == "purge":
            purge = command if loaded is not None and at_margin else None
        else:
            purge, loaded = None, command if words[1] in ("load", "add") and at_margin else None
    behind = [one for one in launches if purge is not None and one.span.start > purge.span.start]
    if purge is not None and loaded is not None and behind:
        yield Slip(_PURGED.fill(line=loaded.span.line), purge.span)


def _activates(command: Command) -> bool:
    path = command.words[1].raw.strip("\"'") if len(command.words) > 1 else ""
    return path == _ACTIVATE or path.endswith(f"/bin/{_ACTIVATE}")
