"""Whether a run says that its tokenizer is another than the one its base model was trained with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from medic.errors import Unreadable
from medic.facts import LogHits, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe
from medic.text.patterns import regex

CHECK = "tokenizer-of-model"
HEAD = 400  # lines of a log in which a program says what it loads
_NAME = r"[`'\"(]?([A-Za-z0-9/~.][\w./+@-]{0,99})[`'\")]?"
_OF_MODEL = r"(?:base|checkpoint|ckpt|pretrained)(?:[ _-](?:model|checkpoint|weights))?"
# "tokenizer A (256 entries), base model trained with B"; "checkpoint tokenizer: A, run tokenizer: B".
_PAIRS = (
    regex(
        r"(?i)\btokenizer[ :=]{1,3}" + _NAME + r"(?: \([^()]{0,40}\))?[,;|]? .{0,20}?\b" + _OF_MODEL
        + r" (?:was |is )?(?:pre-?)?(?:trained|saved|made|built|created) (?:with|by|using|for) "
        + r"(?:the )?(?:tokenizer )?" + _NAME
    ),
    regex(
        r"(?i)\b" + _OF_MODEL + r"(?:'s)?[ _-]tokenizer[ :=]{1,3}" + _NAME + r"[,;|]? .{0,20}?\b"
        + r"(?:run|data|config(?:ured)?|current|given|loaded)(?:'s)?[ _-]tokenizer[ :=]{1,3}" + _NAME
    ),
)  # fmt: skip
# What else a model is trained with.
_OTHER = regex(
    r"(?i)(?:bf|fp|float|bfloat|int|tf)\d+\S*|amp|deepspeed|fsdp\d?|ddp|megatron\S*|q?lora|adamw?|muon|"
    r"lion|sgd|zero\S*|flash\S*|rope\S*|transformers|trl|torch\S*|rl\w*|sft|dpo|grpo|ppo|\d\S*"
)
_WORDS = frozenset(("the", "a", "an", "its", "from", "is", "was", "with", "loaded", "same", "own"))


def run(look: Look) -> Iterator[Finding]:
    for log in look.files("log"):
        with suppress(Unreadable):
            for number, line in islice(look.lines(log.path), HEAD):
                found = _pair(line) if "okenizer" in line else None
                if found is not None:
                    yield _told(found, Source(log.name, number, text=line.strip()))
                    return


def _pair(line: str) -> tuple[str, str] | None:
    """The two names of a line that tells both."""
    for pattern in _PAIRS:
        found = pattern.search(line[:1000])
        names = (found[1].rstrip(".,"), found[2].rstrip(".,")) if found else ()
        if len(names) == 2 and not any(n.lower() in _WORDS or _OTHER.fullmatch(n) for n in names):
            return names[0], names[1]
    return None


def _told(names: tuple[str, str], source: Source) -> Finding:
    one, other = names
    if _short(one) == _short(other):
        return Finding(CHECK, "same", source=source)
    return Finding(CHECK, "another", {"one": one, "other": other}, source)


def _short(name: str) -> str:
    """A folder and a name of a hub are the same tokenizer: what stands last."""
    return name.rstrip("/").rpartition("/")[2].lower().removesuffix(".json")


PROBE = Probe(
    name="tokenizer-names",
    title=Text("the tokenizer beside the model's own", "分词器与模型原来的分词器"),
    tells=(CHECK,),
    needs=(LogHits,),
    seconds=0.02,
    limit_seconds=5.0,
    run=run,
)
