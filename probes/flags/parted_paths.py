"""Paths that a blank parts, behind flags that take one path in all parsers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import Word
from medic.text.patterns import regex

from .key_names import normal

# One path each, in all parsers that have them.
_ONE_PATH = frozenset(
    """
    output_dir save_path save_dir ckpt_path cache_dir model_name_or_path tokenizer_name_or_path
    tokenizer_name logging_dir resume_from_checkpoint tensorboard_dir tokenizer_model vocab_file
    merge_file deepspeed deepspeed_config pretrain data_cache_dir image_folder save load
    tensorboard_path base_model download_dir
    """.split()  # noqa: SIM905
)
# Files of data: a parser may take several, each with its ending.
_FILES = frozenset(
    """
    data_path train_file validation_file test_file eval_file train_data_path eval_data_path dataset
    train_data_file eval_data_file data_file dataset_path train_path
    """.split()  # noqa: SIM905
)
_FLAG = regex(r"^--[A-Za-z][\w.-]*$")
_PIECE = regex(r"^[A-Za-z0-9_][\w.-]*$")
_ENDING = regex(r"\.(?:jsonl?|parquet|csv|tsv|txt|arrow|bin|gz)$")
_FEW = 4


def is_one_path(name: str) -> bool:
    """Whether a flag of this name takes one path in all parsers that have it."""
    return name in _ONE_PATH or name.endswith("_dir")


def second_words(words: Sequence[Word], *, shown: bool) -> Iterator[tuple[str, Word]]:
    """(flag, word) of the rest of a path that a blank parts: ``--output_dir out/run 1 --lr …``.

    The first word has the path's beginning, the rest no sign of a path, and a flag or nothing
    follows. Where the parser is not ``shown`` to be known, no other word may stand alone: it would
    have arguments without a flag.
    """
    found = list(_parted(words))
    if shown or (len(found) == 1 and alone_among(words)):
        yield from found


def alone_among(words: Sequence[Word]) -> bool:
    """Whether one word alone has no flag, among several flags."""
    flags = sum(_FLAG.match(word.raw.partition("=")[0]) is not None for word in words)
    return flags > _FEW and _stray(words) == 1


def _parted(words: Sequence[Word]) -> Iterator[tuple[str, Word]]:
    for at in range(len(words) - 2):
        flag, value, rest = (words[at + n].raw for n in range(3))
        after = words[at + 3].raw if at + 3 < len(words) else "--end"
        name = normal(flag.lstrip("-"))
        if not _FLAG.match(flag) or not _FLAG.match(after.partition("=")[0]):
            continue
        one = is_one_path(name)
        file = name in _FILES and not _ENDING.search(value) and _ENDING.search(rest) is not None
        parted = "/" in value and "--" not in value and not value.startswith("-")
        if (one or file) and parted and _PIECE.match(rest) is not None:
            yield flag, words[at + 2]


def _stray(words: Sequence[Word]) -> int:
    """How many words follow neither a flag nor are one."""
    texts = [word.raw for word in words]
    before = ["", *texts[:-1]]
    return sum(
        not text.startswith("-") and (not last.startswith("-") or "=" in last)
        for text, last in zip(texts, before, strict=True)
    )
