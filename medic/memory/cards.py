"""The card that a launch names, how many of them, and the ranks that they give."""

from __future__ import annotations

from medic.errors import UsageError
from medic.index.knowledge import Index
from medic.memory.named import called, key, names
from medic.nearest import did_you_mean
from medic.records import replace
from medic.run_config import Origin, RunConfig, Value
from medic.text.patterns import regex

UNITS = {"": 1, "b": 1, "mb": 10**6, "mib": 2**20, "g": 2**30, "gb": 10**9, "gib": 2**30}
ECC = 0.92  # least share of the named GiB that a card tells
ROUNDED = 0.02  # how far what a card tells is from round GB
MOST = 2**42  # bytes, more than any card has
_SIZE = regex(r"(\d+(?:\.\d+)?)\s*([a-z]*)")
_CARDS = regex(r"(\d{1,5})\s*[x×*]\s*(\S.*)")  # 4xA100-80G
_CARDS_BEHIND = regex(r"(\S.*?)\s*[x×*]\s*(\d{1,3})")  # A100-80G x4, but not rtx4090
# Words of a driver's name that tell nothing of the memory (NVIDIA H100 80GB HBM3).
_MAKE = regex(r"nvidia|tesla|geforce|sxm\d?|pcie|hbm\w*|gpu")
_PARTS = regex(r"[a-z0-9]+")
_SHARES = ("tensor_parallel_size", "pipeline_parallel_size", "context_parallel_size")


def counted(words: str) -> tuple[int, str]:
    """How many cards the words name (0: not said), and the card: ``4xA100-80G``. Raises UsageError
    where it is none of a card."""
    if not any(mark in words for mark in "x×*"):  # most name one card: no pattern is compiled
        return 0, words
    before, behind = (one.fullmatch(words.strip()) for one in (_CARDS, _CARDS_BEHIND))
    if before is not None and (int(before[1]) or not before[2].isdigit()):
        count, card = int(before[1]), before[2]
    elif behind is None or behind[1].isdigit():  # 0x41 is not 41 cards
        return 0, words
    else:
        count, card = int(behind[2]), behind[1]
    if count:
        return count, card
    raise UsageError(f'--gpu: "{words}" names 0 cards', f"--gpu：“{words}” 的卡数为 0")


def gpu_of(index: Index, words: str) -> tuple[str, int]:
    """Name and bytes of a card: ``h100-80g``, ``80GiB`` or a number of bytes."""
    exact = words.strip().lower()
    for one in index.raw["gpus"]:
        if exact in called(index, "gpus", one):
            return one, index.raw["gpus"][one]["memory"]
    wanted = _plain(words)
    for one in index.raw["gpus"] if wanted else ():
        if wanted in map(_plain, called(index, "gpus", one)):
            return one, index.raw["gpus"][one]["memory"]
    sized = _with_size(index, wanted)
    if sized:
        return sized, index.raw["gpus"][sized]["memory"]
    size = _SIZE.fullmatch(words.strip().lower().replace(",", "").replace("_", ""))
    if size is not None and size[2] in UNITS:
        total = int(float(size[1]) * UNITS[size[2]])
        if 2**20 <= total <= MOST:
            return words, total
    hint = did_you_mean(key(words), names(index, "gpus"))
    raise UsageError(
        f'--gpu: no card "{words}"{hint.en} (a size such as 80GiB will do)',
        f"--gpu：没有名为 “{words}” 的显卡{hint.zh}（也可写大小，如 80GiB）",
    )


def _with_size(index: Index, wanted: tuple[str, ...]) -> str:
    """The card whose memory is named beside it where its own name does not tell it (``rtx4090-24g``):
    in GiB, of which ECC takes up to a sixteenth, or in GB; empty where it has another."""
    last = _SIZE.fullmatch(wanted[-1]) if len(wanted) > 1 else None
    if last is None or last[2] != "g":
        return ""
    for one in index.raw["gpus"]:
        if wanted[:-1] not in map(_plain, called(index, "gpus", one)):
            continue
        memory, told = index.raw["gpus"][one]["memory"], float(last[1])
        if (
            ECC <= memory / (told * UNITS["gib"]) <= 1
            or abs(memory / (told * UNITS["gb"]) - 1) < ROUNDED
        ):
            return str(one)
    return ""


def _plain(words: str) -> tuple[str, ...]:
    """What of a card's name tells it from others."""
    parts = (one for one in _PARTS.findall(words.lower()) if not _MAKE.fullmatch(one))
    return tuple(f"{n[:-2]}g" if n.endswith("gb") else n for n in parts)


def on_cards(config: RunConfig, cards: int) -> RunConfig:
    """The run on so many cards, of each node or in all. Raises UsageError where its ranks say that
    there are others."""
    nodes, each = config.integer("nodes"), config.integer("gpus_per_node")
    if each is None and nodes is not None and config.get("world_size") is None:
        return _ranks(_ranks(config, "gpus_per_node", cards), "world_size", nodes * cards)
    for name, told in (("gpus_per_node", each), ("world_size", config.integer("world_size")),
                       ("data_parallel_size", _replicated(config))):  # fmt: skip
        if told is None:
            continue
        if told == cards or (name != "gpus_per_node" and told % cards == 0):
            return config
        raise UsageError(
            f"--gpu names {cards} cards, {name} is {config.integer(name)}: leave one of them out",
            f"--gpu 写了 {cards} 张卡，而 {name} 为 {config.integer(name)}：请去掉其中一个",
        )
    return _ranks(config, "world_size", cards)


def _replicated(config: RunConfig) -> int | None:
    """Ranks that the replicas and the ranks of each take."""
    ranks = config.integer("data_parallel_size")
    for name in _SHARES:
        ranks = ranks * (config.integer(name) or 1) if ranks is not None else None
    return ranks


def _ranks(config: RunConfig, name: str, count: int) -> RunConfig:
    return replace(config, values={**config.values, name: Value(count, Origin("given"))})
