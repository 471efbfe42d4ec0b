"""The commands of a script that start training, and those that it only keeps for others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from medic.facts import Command, Document, Launch, Launches, Word
from medic.i18n import Text
from medic.probe import Look
from medic.records import replace
from medic.text.patterns import regex

from .launch import is_module, launch_of, program_name, text_of
from .launchers import LAUNCHERS, NO_TRAINING, PYTHON, TRAINS

# Variables of a script that launchers and ranks read; whether they are exported is not known.
_FOR_LAUNCHERS = regex(
    r"^(?:MASTER_|NCCL_|CUDA_|PYTORCH_|TORCH_|NPROC|NNODES|NODE_RANK|WORLD_SIZE|OMP_|FORCE_TORCHRUN|"
    r"ACCELERATE_|SLURM_|PET_|GLOO_|VLLM_|SGLANG_)"
)
MAX_COMMANDS = 2_000
MAX_LAUNCHES = 200  # each is judged by dozens of checks
_MANY_LAUNCHES = Text(
    "more than {n} launches: only the first {n} were checked",
    "启动命令超过 {n} 条：只检查了前 {n} 条",
)
_MANY_COMMANDS = Text(
    "more than {n} commands: launches behind the first {n} were not checked",
    "命令超过 {n} 条：第 {n} 条之后的启动命令没有检查",
)


def launches_of(document: Document) -> list[Launch]:
    """The training commands of a script, those with a distributed launcher first, and of many
    the first ones: ``not_all`` says so."""
    return _every(document)[:MAX_LAUNCHES]


def not_all(document: Document) -> Text | None:
    """What ``launches_of`` leaves out; None where it holds every launch."""
    if len(_every(document)) > MAX_LAUNCHES:
        return _MANY_LAUNCHES.fill(n=MAX_LAUNCHES)
    if len(document.commands) > MAX_COMMANDS:
        return _MANY_COMMANDS.fill(n=MAX_COMMANDS)
    return None


def _every(document: Document) -> list[Launch]:
    shared = {
        name: value
        for name, value in document.variables.items()
        if value is not None and _FOR_LAUNCHERS.match(name)
    }
    commands = (*document.commands, *document.brought)[:MAX_COMMANDS]
    found = [one for command in commands if (one := launch_of(command, shared)) is not None]
    other = [one for one in found if not serves(one)]
    kept = () if training(other) else _kept(document, shared)
    return _named(other) or [*kept] or [one for one in found if serves(one)] or training(other)


def unreached_of(document: Document) -> list[Launch]:
    """Those of branches that the script does not take as it stands: another setting does."""
    found = (launch_of(command) for command in document.unreached[:MAX_COMMANDS])
    return [one for one in found if one is not None][:MAX_LAUNCHES]


def servers_of(document: Document) -> list[Launch]:
    """The servers that a script starts beside its training; they are launches of a script that
    trains nothing."""
    found = (launch_of(command) for command in document.commands[:MAX_COMMANDS])
    servers = [one for one in found if one is not None and serves(one)]
    known = {one.span for one in _every(document)}
    return [one for one in servers if one.span not in known][:MAX_LAUNCHES]


def serves(launch: Launch) -> bool:
    """Whether it answers requests with a model that is trained already."""
    return launch.launcher == "vllm" or text_of(launch.script).startswith("vllm.entrypoints.")


def _kept(document: Document, shared: Mapping[str, str]) -> Iterator[Launch]:
    """The launch of a script that only sets variables for others: one holds the command, the rest
    its options. Where several hold one there is no telling whose the options are.
    """
    held = [words for words in document.held.values() if words and _is_here(document, words)]
    heads = {at: one for at, words in enumerate(held) if (one := _of_words(words, shared))}
    if len(heads) != 1:
        return
    (head, launch), *_ = heads.items()
    options = [
        word
        for at, words in enumerate(held)
        if at != head and text_of(words[0]).startswith("--")
        for word in words
    ]
    if options:
        yield replace(launch, arguments=(*launch.arguments, *options))


def _is_here(document: Document, words: Sequence[Word]) -> bool:
    """Whether the words are written in the script itself."""
    return all(word.span.file == document.file and word.span.line > 0 for word in words)


def _of_words(words: Sequence[Word], shared: Mapping[str, str]) -> Launch | None:
    if program_name(words[0]) not in LAUNCHERS and not PYTHON.match(program_name(words[0])):
        return None
    first, last = words[0].span, words[-1].span
    span = replace(first, end=last.end, end_line=last.end_line, end_column=last.end_column)
    return launch_of(Command(span, tuple(words)), shared)


def launches_in(look: Look, path: str) -> list[Launch]:
    """Those of one script, of the launches that are known."""
    known = look.fact(Launches).launches if look.has(Launches) else ()
    return [launch for launch in known if launch.span.file == path]


def training(launches: Iterable[Launch]) -> list[Launch]:
    """Of several commands those that train: by a launcher, else by their name, else all."""
    every = [launch for launch in launches if _may_train(launch)]
    return _named(every) or every


def _named(launches: Iterable[Launch]) -> list[Launch]:
    """Those that train by a launcher, or by their name."""
    every = [launch for launch in launches if _may_train(launch)]
    launched = [one for one in every if one.launcher != "python"]
    named = [one for one in every if one.launcher == "python" and TRAINS.search(_label(one))]
    return [*launched, *named]


def _label(launch: Launch) -> str:
    return PurePosixPath(text_of(launch.script)).name if launch.script else ""


def _may_train(launch: Launch) -> bool:
    label = _label(launch)
    top = label.split(".")[0] if is_module(launch) else label
    return top not in NO_TRAINING
