"""Flags whose name says that a value belongs to them, whatever program reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import Word
from medic.patterns import regex

from .key_names import normal

# What is a number or a path in every parser. A switch is named for what it does.
_ENDS = frozenset(
    """
    path dir file folder ratio epochs iters alpha dropout decay port steps interval workers
    json yaml coeff coef theta temperature eps epsilon momentum threshold fraction prob size length
    rank limit seed epoch
    """.split()  # noqa: SIM905
)
_DOES = frozenset(
    """
    use no do is with without enable disable overwrite skip freeze keep reset auto allow force print
    show only add dynamic variable adaptive fixed same scale normalize compute count track finetune
    train tune learn reuse share tie ignore drop remove apply dump write read create make clear
    shuffle average predict pin exact strict debug profile early trust push merge init per set
    """.split()  # noqa: SIM905
)
# Words of names like pad_to_max_length and group_by_length.
_JOINS = frozenset(
    ("by", "to", "on", "in", "of", "and", "or", "from", "for", "with", "maintain", "preserve")
)
_PARTS = frozenset(("train", "tune", "finetune"))
_MOVES = frozenset(("save", "load", "log", "resume"))
_MOVED = frozenset(("path", "dir", "file", "folder", "steps", "interval"))
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


def takes_value(name: str) -> bool:
    """Whether a name of several words ends in what has a value: ``data_path``, ``lora_alpha``."""
    words = normal(name).replace(".", "_").split("_")
    if words[-2:] == ["or", "path"] and words[0] not in _DOES:
        return True
    if len(words) < 2 or words[-1] not in _ENDS or not _JOINS.isdisjoint(words):
        return False
    if words[0] in _PARTS:
        return words[-1] in _MOVED
    return words[-1] in _MOVED if words[0] in _MOVES else words[0] not in _DOES


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
