"""What a training script's own parser is given by its command, else has by default."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

from medic.entries import Framework
from medic.facts import Launch, Launches, Option, Parsers
from medic.memory.habits import told
from medic.records import replace
from medic.run_config import Origin, RunConfig, Scalar, Value
from medic.text.patterns import regex

# What an estimate needs of numbers; a parser of one's own has them under the names of the entry ``plain``.
FIELDS = (
    "hidden_size", "num_layers", "num_heads", "num_kv_heads", "ffn_size", "vocab_size",
    "micro_batch_size", "sequence_length", "gradient_accumulation_steps",
)  # fmt: skip
# What a program hands its options on to, and an estimate needs: settings of a trainer or of a loop of one's own.
_HANDED = (*FIELDS, "base_model", "optimizer", "activation_checkpointing", "lora_rank")

_WHOLE = regex(r"[0-9]{1,12}")
Told = dict[str, str]


def with_defaults(
    config: RunConfig, parsers: Parsers | None, plain: Framework
) -> tuple[RunConfig, Told]:
    """The config of a launch of no framework, with the whole numbers that the one parser beside it
    has by default, and those in words. What is stated stays; two parsers may be of two programs."""
    known = parsers.parsers if parsers is not None else ()
    found = _defaults(known[0].options, plain) if len(known) == 1 else {}
    new = {name: value for name, value in found.items() if config.get(name) is None}
    words = {name: _words(value.value, value.origin) for name, value in new.items()}
    return (replace(config, values={**config.values, **new}), words) if new else (config, words)


def _defaults(options: tuple[Option, ...], plain: Framework) -> Mapping[str, Value]:
    fields = {key.key.removeprefix("**."): key.field for key in plain.keys}
    found: dict[str, Value] = {}
    for option in options:
        names = (name.lstrip("-").replace("-", "_") for name in option.names)
        field = next((fields[name] for name in names if name in fields), "")
        if field in FIELDS and _WHOLE.fullmatch(option.default):
            origin = Origin("default", note=f"{option.source.file}:{option.source.line}")
            found.setdefault(field, Value(int(option.default), origin))
    return found


def with_options(
    config: RunConfig, program: str, launches: Launches | None, tables: Sequence[Framework]
) -> tuple[RunConfig, Told]:
    """The config of the Python ``program``, with what its own options hand on to a trainer or to its own loop: the
    values that its one launch gives, else their defaults, and those in words. What is stated elsewhere stays.

    ``tables``: the frameworks whose names the program's settings have.
    """
    from medic.syntax.python_asked import asked

    try:
        body = Path(program).read_bytes()
    except OSError:
        return config, {}
    started = [one for one in launches.launches if _starts(one, program)] if launches else []
    given = dict(_given(started[0])) if len(started) == 1 else {}
    if len(started) > 1:
        return config, {}
    fields = {key.key.removeprefix("**."): key.field for table in tables for key in table.keys}
    new: dict[str, Value] = {}
    words: Told = {}
    for name, one in asked(body, given).items():
        field = fields.get(name, "")
        origin = config.origin(field)
        free = origin is None or origin.source == "default" or origin.syntax == "python"
        if field not in _HANDED or not free or one.value is None:
            continue
        where = Origin("file" if one.given else "default", note=f"{program}:{one.line}")
        new[field] = Value(one.value, where)
        if not one.given:
            words[field] = _words(one.value, where)
    return replace(config, values={**config.values, **new}), words


def _words(value: Scalar, origin: Origin) -> str:
    place = origin.note.rpartition("/")[2]
    return f"{told({'': value})['']} ({place})"


def _starts(launch: Launch, program: str) -> bool:
    script = launch.script.value if launch.script is not None else None
    return script is not None and script.rpartition("/")[2] == program.rpartition("/")[2]


def _given(launch: Launch) -> Iterator[tuple[str, str | None]]:
    """(option, word behind it), an option without its dashes."""
    words = [word.value for word in launch.arguments]
    for word, after in zip_longest(words, words[1:], fillvalue=""):  # behind the last is nothing
        if word is None or not word.startswith("-"):
            continue
        name, sign, value = word.partition("=")
        behind = value if sign else after
        if behind is not None and behind.startswith("--"):
            behind = ""  # a switch: what follows is an option of its own
        yield name.lstrip("-").replace("-", "_"), behind
