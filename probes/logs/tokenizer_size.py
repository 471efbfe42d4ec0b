"""Whether the tokenizer has more tokens than the embedding has rows, where a lookup failed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from medic.errors import Unreadable
from medic.facts import Hit, LogHits, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of, logs_of
from medic.run_config import RunConfig
from medic.text.patterns import regex

from .digits import whole

CHECK = "token-ids"
_FAILED = frozenset({"cuda-kernel-error", "python-exception"})
_LOOKUP = regex(
    r"(?i)srcIndex < srcSelectDimSize|index out of range in self|device-side assert|embedding"
)
_TOKENS = regex(
    r"(?i)\blen\(tokenizer\)\D{0,4}(\d{3,8})|\btokenizer\b.{0,24}\b(?:vocab(?:ulary)?[ _]?size|length|size)\b"
    r"\D{0,4}(\d[\d,]{2,10})"
)
_ROWS = regex(
    r"\bEmbedding\((\d{3,8}), \d|(?i:\bmodel\b.{0,12}\bvocab(?:ulary)?[ _]?size\b)\D{0,4}(\d[\d,]{2,10})"
)
_DIGITS = 8  # of an id, as of the sizes in a log
_MOST = 4 << 20  # bytes of a file of added tokens


class Size(NamedTuple):
    """How many tokens, or rows, and where that is said."""

    number: int
    source: Source


def run(look: Look) -> Iterator[Finding]:
    logs = logs_of(look)
    failed = next((h for h in logs.hits if _of_lookup(h)), None)
    if failed is None or logs.ended == "well":
        return
    tokens, rows = _tokens(look, logs), _rows(look, logs)
    if tokens is None or rows is None or tokens.number <= rows:
        return
    value = {"tokens": tokens.number, "vocabulary": rows}
    yield Finding(CHECK, "tokenizer-larger", value, tokens.source, (failed.source,))


def _of_lookup(hit: Hit) -> bool:
    return hit.symptom in _FAILED and not hit.benign and _LOOKUP.search(hit.source.text) is not None


def _tokens(look: Look, logs: LogHits) -> Size | None:
    """As the log says; else the largest id of the tokens that were added, beside the model's config."""
    for hit in logs.marks:
        found = _TOKENS.search(hit.source.text[:400]) if hit.signature == "tokenizer-size" else None
        if found:
            return Size(whole((found[1] or found[2]).replace(",", "")), hit.source)
    for given in look.files("model-config", "config"):
        if given.name.rpartition("/")[2] != "config.json":
            continue
        for name, ids in (("added_tokens.json", _values), ("tokenizer_config.json", _decoder)):
            most = max(ids(_load(look, Path(given.path).with_name(name))), default=None)
            if most is not None:
                folder = given.name.rpartition("/")[0]
                return Size(most + 1, Source(f"{folder}/{name}" if folder else name))
    return None


def _rows(look: Look, logs: LogHits) -> int | None:
    for hit in logs.marks:
        found = _ROWS.search(hit.source.text[:400]) if hit.signature == "tokenizer-size" else None
        if found:
            return whole((found[1] or found[2]).replace(",", ""))
    return config_of(look).integer("vocab_size")


def _load(look: Look, path: Path) -> dict[str, Any]:
    try:
        with look.open(str(path), _MOST) as file:
            data = json.load(file)
    except (Unreadable, OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _values(data: dict[str, Any]) -> list[int]:
    return [v for v in data.values() if type(v) is int]


def _decoder(data: dict[str, Any]) -> list[int]:
    added = data.get("added_tokens_decoder")
    ids = added if isinstance(added, dict) else ()
    return [int(k) for k in ids if k.isdecimal() and len(k) <= _DIGITS]


PROBE = Probe(
    name="tokenizer-size",
    title=Text("the tokenizer's size beside the embedding's", "分词器大小与词嵌入行数"),
    tells=(CHECK,),
    needs=(LogHits,),
    wants=(RunConfig,),
    reliability="exact",
    seconds=0.01,
    run=run,
)
