"""Sizes that a training script's own parser has by default, where its command gives no others."""

from __future__ import annotations

from collections.abc import Mapping

from medic.entries import Framework
from medic.facts import Option, Parsers
from medic.records import replace
from medic.run_config import Origin, RunConfig, Value
from medic.text.patterns import regex

# What an estimate needs of numbers; a parser of one's own has them under the names of the entry ``plain``.
FIELDS = (
    "hidden_size", "num_layers", "num_heads", "num_kv_heads", "ffn_size", "vocab_size",
    "micro_batch_size", "sequence_length", "gradient_accumulation_steps",
)  # fmt: skip

_WHOLE = regex(r"[0-9]{1,12}")


def with_defaults(config: RunConfig, parsers: Parsers | None, plain: Framework) -> RunConfig:
    """The config of a launch of no framework, with the whole numbers that the one parser beside it
    has by default. What is stated stays; two parsers may be of two programs."""
    known = parsers.parsers if parsers is not None else ()
    found = _defaults(known[0].options, plain) if len(known) == 1 else {}
    new = {name: value for name, value in found.items() if config.get(name) is None}
    return replace(config, values={**config.values, **new}) if new else config


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
