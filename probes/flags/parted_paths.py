"""Paths that a blank parts, behind flags that take one path in all parsers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import Word
from medic.patterns import regex

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
_FLAG = regex(r"^--[A-Za-z][\w.-]*$")
_PIECE = regex(r"^[A-Za-z0-9_][\w-]*$")


def second_words(words: Sequence[Word]) -> Iterator[tuple[str, Word]]:
    """(flag, word) of the rest of a path that a blank parts: ``--output_dir out/run 1 --lr …``.

    The first word has the path's beginning, the rest no sign of a path, and a flag follows.
    """
    for at in range(len(words) - 3):
        flag, value, rest, after = (words[at + n].raw for n in range(4))
        name = normal(flag.lstrip("-"))
        if not _FLAG.match(flag) or not (name in _ONE_PATH or name.endswith("_dir")):
            continue
        parted = (
            "/" in value
            and "--" not in value
            and not value.startswith("-")
            and _PIECE.match(rest) is not None
        )
        if parted and _FLAG.match(after.partition("=")[0]):
            yield flag, words[at + 2]
