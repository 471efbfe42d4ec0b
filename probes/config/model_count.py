"""The number of parameters that a run prints at its start: it wins over what the shape gives."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice

from medic.errors import Unreadable
from medic.facts import Source
from medic.probe import Look
from medic.records import replace
from medic.run_config import Origin, RunConfig, Value
from medic.text.patterns import regex

_MAX_LINES, _MAX_LOGS = 2000, 4  # a start is over after so many lines
_SIZES = {"": 1, "k": 10**3, "m": 10**6, "b": 10**9}
_NUMBER = r"(?P<{0}>\d[\d,_]*(?:\.\d+)?) ?(?P<{0}_size>million|billion|[kKmMbB])?\b"
# nanoGPT "number of parameters: 3.63M", peft "all params: 136,832", "model has 3.6M parameters".
_COUNT = regex(
    r"(?i)(?:\b(?:total|all|model|number of(?: model)?|num)[ _]?param(?:eter)?s?\b\s*[:=]\s*"
    + _NUMBER.format("named")
    + r")|(?:\bmodel\b[^\n]{0,30}?(?:has|with|:)\s+"
    + _NUMBER.format("counted")
    + r"\s+param(?:eter)?s?\b)"
)
_PART = regex(r"(?i)rank|parallel|stage|trainable param|decayed|embedding|lora|adapter")


def with_printed_count(look: Look, config: RunConfig) -> RunConfig:
    """The config with the parameters that its logs state, where no file states them and the logs
    agree."""
    if config.get("parameters") is not None or not look.files("log"):
        return config
    found: dict[int, Source] = {}
    for log in look.files("log")[:_MAX_LOGS]:
        with suppress(Unreadable):
            for line, text in islice(look.lines(log.path), _MAX_LINES):
                count = printed_count(text)
                if count:
                    found.setdefault(count, Source(log.name, line, text=text))
    if len(found) != 1:
        return config
    count, source = next(iter(found.items()))
    value = Value(count, Origin("printed", note=source.where()))
    return replace(config, values={**config.values, "parameters": value})


def printed_count(line: str) -> int | None:
    """Parameters of the whole model that a line states; None for those of a part."""
    match = _COUNT.search(line) if "aram" in line and not _PART.search(line) else None
    if match is None:
        return None
    name = "named" if match["named"] else "counted"
    size = (match[f"{name}_size"] or "")[:1].lower()
    return round(float(match[name].replace(",", "").replace("_", "")) * _SIZES[size])
