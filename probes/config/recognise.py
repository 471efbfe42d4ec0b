"""Which framework a file or a command speaks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePath

from medic.facts import Document, GivenFile, Launch, Word
from medic.records import replace
from medic.run_config import PLAIN
from medic.text.patterns import regex

from ..flags.key_names import AT_TOP, guess, known_tables, normal
from .carriers import Carrier, Stated, settle, unknown
from .keys import Framework, Keys, Paths, parts_of
from .readers import command
from .readers import document as tree
from .telling import in_braces, named, only_called, told_by_command, told_by_file

SLURM = "slurm"
# Frameworks with blocks whose names at the top of a file are theirs, as those of files without are.
_OF_OWN_NAMES = frozenset(("axolotl", "deepspeed", "accelerate"))

# Programs that hand their ranks to torchrun, as these variables say (ms-swift cli/main.py,
# LLaMA-Factory launcher.py).
_BY_ENVIRONMENT = frozenset(("swift", "megatron", "llamafactory-cli"))
# Of these one that starts as many ranks as GPUs are visible where no variable says how many (launcher.py,
# ``get_device_count``).
_ONE_A_GPU = frozenset(("llamafactory-cli",))
_DEVICES = regex(r"[0-9]+(?:,[0-9]+)*")
_VARIABLES = {"NPROC_PER_NODE": "--nproc_per_node", "NNODES": "--nnodes"}


class Recogniser:
    """The frameworks of the knowledge, ready to read files and commands."""

    def __init__(self, frameworks: Iterable[Framework]) -> None:
        entries = list(frameworks)
        plain = next((f for f in entries if f.name == PLAIN), None)
        self.plain = Keys(plain) if plain is not None else None
        self.keys = [Keys(f, self.plain) for f in entries if f.name != PLAIN]
        self._tables = known_tables(entries)
        self._signs: dict[tuple[str, ...], set[Keys]] = {}
        for keys in self.keys:
            for sign in keys.first_signs:
                self._signs.setdefault(sign, set()).add(keys)

    def _told_by(self, paths: Paths) -> Callable[[Keys], int]:
        """How many of the paths tell a framework: asked of those of which one is a sign at all."""
        none: set[Keys] = set()
        signed = none.union(*(self._signs.get(ending, none) for ending in paths.endings))
        return lambda keys: keys.specificity(paths) if keys in signed else 0

    # --- files ------------------------------------------------------------------------------

    def file(
        self, given: GivenFile, document: Document, handed: Mapping[str, str] | None = None
    ) -> Stated | None:
        """What a file states, read as its best framework; None if it states nothing known.

        ``handed``: see there.
        """
        told_by = self._told_by(tree.key_paths(document.root))
        name = PurePath(given.name).name
        owner = (handed or {}).get(name)
        sizes = [
            (
                told_by_file(
                    keys, given, name, document, told_by, handed=keys.framework.name == owner
                ),
                keys,
            )
            for keys in self.keys
        ]
        if document.syntax == "yaml" and not any(n for n, _ in sizes) and in_braces(document):
            as_json = replace(document, syntax="json")
            sizes = [
                (told_by_file(keys, given, name, as_json, told_by, handed=False), keys)
                for keys in self.keys
            ]
        plain = self.plain if document.syntax != "python" else None
        best = self._best(sizes, lambda keys: tree.carriers(document, keys), plain, file=True)
        if best is None or best[0] is self.plain:
            best = self._guessed(document) or best
        if best is None:
            return None
        names = tree.mentions(document.root)
        stated = _stated(given.name, *best)
        settings = tree.settings(document, stated.framework)
        return replace(stated, document=document, given=given, mentions=names, settings=settings)

    def _best(
        self,
        sizes: Iterable[tuple[int, Keys]],
        read: Callable[[Keys], list[Carrier]],
        plain: Keys | None,
        *,
        file: bool = False,
    ) -> tuple[Keys, list[Carrier]] | None:
        """The framework told by the most keys, of equals the one with names of its own, then the
        one that reads most; else ``plain`` names, if they read anything. A file that tells another and
        what builds on it is that of the latter; flags may be those of a script of one's own.
        """
        told = [(size, keys, read(keys)) for size, keys in sizes if size]
        if told:
            names = {keys.framework.name for _, keys, _ in told} if file else set()
            _, keys, found = max(
                told,
                key=lambda t: (
                    t[0],
                    not names.isdisjoint(t[1].framework.builds_on),
                    t[1].plain is None,
                    len(t[2]),
                ),
            )
            return keys, found
        found = read(plain) if plain is not None else []
        return (plain, found) if plain is not None and found else None

    def _guessed(self, document: Document) -> tuple[Keys, list[Carrier]] | None:
        """The framework that knows nearly all keys of a file's top, which no few of them tell."""
        if document.root is None or document.syntax == "python":
            return None
        top = [normal(str(key.value)) for key, _ in document.root.items]
        plain = self.plain.framework if self.plain is not None else None
        found = guess(top, self._tables, plain)
        if found is None or not (found.keys_stand == AT_TOP or found.name in _OF_OWN_NAMES):
            return None
        keys = next(one for one in self.keys if one.framework.name == found.name)
        return keys, tree.carriers(document, keys)

    # --- commands ---------------------------------------------------------------------------

    def handed(self, launches: Iterable[Launch]) -> dict[str, str]:
        """The name of a file -> the framework to which a flag of a launch hands it."""
        takes = {
            flag: keys.framework.name
            for keys in self.keys
            for told in (keys.framework.recognise,)
            for flag in (*told.named_by, *told.block_by)
        }
        return _behind(launches, takes)

    def blocks(self, launches: Iterable[Launch]) -> dict[str, str]:
        """The name of a file -> the block of its framework that it holds."""
        told = (keys.framework.recognise.block_by for keys in self.keys)
        return _behind(launches, {flag: block for one in told for flag, block in one.items()})

    def launcher(self, launch: Launch) -> Stated | None:
        """What the launcher's own options state."""
        for keys in self.keys:
            if keys.framework.role == "launcher" and _launches(keys, launch):
                words = command.in_full(launch.launcher_words[1:], launch.launcher)
                stated = _stated(launch.span.file, keys, command.carriers(words, keys))
                if _has_open_word(words) or _starts_open(
                    launch
                ):  # it may hold any option: no default is sure
                    unset = frozenset(keys.framework.defaults) - stated.values.keys()
                    stated = replace(stated, unknown=stated.unknown | unset)
                if keys.framework.name == SLURM and _starts_one(words):
                    stated = self._of_a_driver(launch, stated)
                return replace(stated, settings=command.settings(words, keys.framework.name))
        return self._environment(launch) if launch.launcher in _BY_ENVIRONMENT else None

    def _of_a_driver(self, launch: Launch, step: Stated) -> Stated:
        """A step of one task, without what its program states of the ranks: a driver (Ray's) has
        them started elsewhere in the allocation, of which the step is a part."""
        script = self.script(launch)
        own = script.values.keys() if script is not None else ()
        return replace(step, values={k: v for k, v in step.values.items() if k not in own})

    def _environment(self, launch: Launch) -> Stated | None:
        """What torchrun gets from the variables of a program that starts it."""
        keys = next((keys for keys in self.keys if keys.framework.name == "torchrun"), None)
        around = dict(launch.environment)
        devices = around.get("CUDA_VISIBLE_DEVICES", "")
        if launch.launcher in _ONE_A_GPU and _DEVICES.fullmatch(devices):
            around.setdefault("NPROC_PER_NODE", str(len(devices.split(","))))
        given = [(flag, around.get(name, "")) for name, flag in _VARIABLES.items()]
        if keys is None or not around.get("NPROC_PER_NODE", "").isdigit():
            return None
        span = launch.launcher_words[0].span if launch.launcher_words else launch.span
        words = [Word(span, t, t) for flag, text in given if text for t in (flag, text)]
        found = command.carriers(words, keys)
        unplaced = [replace(one, origin=replace(one.origin, span=None)) for one in found]
        return _stated(launch.span.file, keys, unplaced)

    def batch(self, launch: Launch) -> Stated | None:
        """What the job asks of Slurm for this command."""
        keys = next((keys for keys in self.keys if keys.framework.name == SLURM), None)
        if keys is None or not launch.batch:
            return None
        stated = _stated(launch.span.file, keys, command.carriers(launch.batch, keys))
        return replace(stated, settings=command.settings(launch.batch, SLURM))

    def script(self, launch: Launch) -> Stated | None:
        """What the flags of the training script state."""
        names = [flag.name.lstrip("-") for flag in command.flags(launch.arguments)]
        told_by = self._told_by(Paths(("_".join(parts_of([name])),) for name in names))
        sizes = [(told_by_command(keys, launch, told_by), keys) for keys in self.keys]
        if any(size and not only_called(keys, launch, told_by) for size, keys in sizes):
            sizes = [(0 if only_called(keys, launch, told_by) else n, keys) for n, keys in sizes]
        best = self._best(
            sizes, lambda keys: command.carriers(given_to(launch, keys), keys), self.plain
        )
        mentioned = frozenset(w.value for w in launch.arguments if w.value)
        if best is not None:
            stated = _stated(launch.span.file, *best)
            settings = command.settings(given_to(launch, best[0]), stated.framework.name)
            return replace(stated, mentions=mentioned, settings=settings)
        if self.plain is None:
            return None
        plain = self.plain.framework
        settings = command.settings(launch.arguments, plain.name)
        return Stated(launch.span.file, plain, {}, mentions=mentioned, settings=settings)


def given_to(launch: Launch, keys: Keys) -> tuple[Word, ...]:
    """The arguments; a first word without a name stands behind the flag that it is for."""
    called = launch.script.value if launch.script is not None else None
    first, flag = launch.arguments[:1], keys.framework.positional.get(called or "")
    unnamed = first and first[0].value and first[0].value[:1].isalnum() and "=" not in first[0].raw
    if not flag or not unnamed:
        return launch.arguments
    name = f"--{flag}"
    return (Word(first[0].span, name, name), *launch.arguments)


def _behind(launches: Iterable[Launch], takes: Mapping[str, str]) -> dict[str, str]:
    """The name of each file that one of the flags names -> what the flag stands for."""
    return {
        PurePath(flag.value).name: takes[name]
        for launch in launches
        for flag in command.flags((*launch.launcher_words[1:], *launch.arguments))
        if flag.value and (name := flag.name.lstrip("-")) in takes
    }


def _launches(keys: Keys, launch: Launch) -> bool:
    """Whether the entry is the launch's; ``srun`` only where it starts the ranks itself."""
    mine = keys.framework.name != SLURM or launch.launcher == "srun"
    return mine and named(keys, launch)


def _starts_open(launch: Launch) -> bool:
    """The same of a first word that looks like the script, which stands behind it."""
    first = launch.script
    unknown = first is not None and first.value is None and first.raw.strip('"').startswith("$")
    return unknown and any(word.raw.endswith(".py") for word in launch.arguments)


def _has_open_word(words: Sequence[Word]) -> bool:
    """Whether options stand in a variable whose value is not known: ``torchrun $ARGS``."""
    before = ["", *(word.raw for word in words)]
    return any(
        word.value is None
        and word.raw.strip('"').startswith("$")
        and (not last.startswith("-") or "=" in last)
        for word, last in zip(words, before, strict=False)
    )


def _starts_one(words: Sequence[Word]) -> bool:
    """Whether ``srun`` starts one task: ``--ntasks=1``, ``-n 1``."""
    given = [f.value for f in command.flags(words) if f.name.lstrip("-") in ("ntasks", "n")]
    return given[-1:] == ["1"] or any(word.value == "-n1" for word in words)


def _stated(name: str, keys: Keys, found: Sequence[Carrier]) -> Stated:
    values = settle(found)
    return Stated(name, keys.framework, values, unknown(found, values))
