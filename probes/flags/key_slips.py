"""Slips of keys that no distance of letters tells: a colon too many, a word too many or too few."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from medic.facts import Document, Node, Renamed, Repair
from medic.i18n import Text
from medic.text.patterns import regex
from medic.text.slips import meant_variable

from .key_names import Names, normal
from .lightning_keys import trainer_slips

_COLON = Text(
    "two colons behind {meant}: the first one belongs to the key, which nothing reads",
    "{meant} 后面有两个冒号：第一个冒号成了键名的一部分，没有程序会读取它",
)
_NOTHING_READS = Text(
    "{name}: nothing reads this variable; {meant} is meant",
    "{name}：没有程序读取该变量，应为 {meant}",
)
_KNOWN_VARIABLE = Text("the only known variable that is near", "唯一相近的已知变量")
_EQUALS = Text(
    "an equals sign stands for the colon behind {key}: the line is text, and no key",
    "{key} 后面用了等号而不是冒号：这一行只是文本，不是键",
)
_NO_COLON = Text(
    "the colon behind {key} is missing: the line is text, and no key",
    "{key} 后面缺少冒号：这一行只是文本，不是键",
)
# Blocks of environment variables: of Megatron's tests, of job files, of launchers.
_VARIABLES = frozenset(("env", "envs", "env_vars", "environment", "environment_variables"))
_WORD_AND_MORE = regex(r"([A-Za-z_][\w.-]*)( = | )\S")
_ONE_COLON = Text("the key as it is meant", "去掉多余的冒号")
# Words that say nothing of what a key sets: train_logging_steps is meant for logging_steps.
_IDLE = frozenset(("train", "training", "my", "num", "value", "default"))
_MIN_WORDS = 2
# How nanotron tells the model of a block: is_llama_config: true.
_IS_MODEL = regex(r"is_\w+_config")
# What no canonical field is behind, or whose name elsewhere is a block: one thing by many names.
_ALIKE = (
    frozenset(("lora_target", "lora_target_modules", "target_modules")),
    frozenset(("optim", "optimizer")),
    frozenset(("lora_r", "lora_rank", "r", "rank")),
    frozenset(("gradient_checkpointing", "use_gradient_checkpointing", "activation_checkpointing",
               "enable_gradient_checkpointing", "enable_activation_checkpointing")),
)  # fmt: skip


def of_document(
    document: Document, known: Collection[str], reader: str
) -> Iterator[tuple[Node, Text, Repair | None]]:
    """Slips of a file of the framework ``reader``, or of nobody's; ``known`` are variables."""
    yield from with_colon(document)
    yield from variables(document, known)
    if reader == "lightning" and document.root is not None:
        yield from trainer_slips(document.root, document.syntax)


def with_colon(document: Document) -> Iterator[tuple[Node, Text, Repair | None]]:
    """Keys of YAML that end in a colon: ``bf16:: true``."""
    if document.syntax != "yaml" or document.root is None:
        return
    for key in _keys_of(document.root):
        name = str(key.value)
        if name.endswith(":") and not key.quoted and name.rstrip(":").strip():
            meant = name.rstrip(":").strip()
            step = Renamed(key.span, "yaml", name, meant)
            yield key, _COLON.fill(meant=meant), Repair((step,), safe=False, why=_ONE_COLON)


def variables(
    document: Document, known: Collection[str]
) -> Iterator[tuple[Node, Text, Repair | None]]:
    """Names in a block of environment variables that are a slip away from one that is read."""
    if document.root is None or document.syntax == "python":
        return
    for name, block in document.root.items:
        if block.kind != "mapping" or normal(str(name.value)) not in _VARIABLES:
            continue
        for key, _ in block.items:
            written = str(key.value)
            meant = meant_variable(written, known) if written == written.upper() else None
            if meant is not None:
                step = Renamed(key.span, document.syntax, written, meant)
                what = _NOTHING_READS.fill(name=written, meant=meant)
                yield key, what, Repair((step,), safe=False, why=_KNOWN_VARIABLE)


def keys_as_text(
    node: Node, parents: tuple[str, ...], names: Names
) -> Iterator[tuple[Node, Text, Repair | None]]:
    """A block of which nothing is left but a line without its colon: YAML takes that for text."""
    for key, value in node.items:
        path = (*parents, normal(str(key.value)))
        if value.kind == "mapping":
            yield from keys_as_text(value, path, names)
        elif _is_below(key, value):
            match = _WORD_AND_MORE.match(value.raw)
            known = match is not None and names.has((*path, normal(match[1])))
            if match is not None and known:
                yield value, (_EQUALS if "=" in match[2] else _NO_COLON).fill(key=match[1]), None


def _is_below(key: Node, value: Node) -> bool:
    """Whether a plain value stands alone on the line below its key."""
    plain = value.kind == "scalar" and isinstance(value.value, str) and not value.quoted
    below = value.span.line == value.span.end_line and value.span.line > key.span.line
    return plain and below and value.raw[:1] not in "|>"


def _keys_of(node: Node) -> Iterator[Node]:
    for key, value in node.items:
        yield key
        yield from _keys_of(value)
    for element in node.elements:
        yield from _keys_of(element)


def of_own_model(block: Collection[str], names: Names) -> bool:
    """Whether a block says that it is of a model that the framework is not known to have."""
    return any(_IS_MODEL.fullmatch(one) and one not in names.leaves for one in block)


def of_family(name: str, siblings: frozenset[str], names: Names) -> bool:
    """Whether a fork has the setting: others stand beside it that begin alike, and that the
    framework does not have either (sequence_parallel_size, sequence_parallel_mode)."""
    stem = name.rpartition("_")[0]
    strange = (one for one in siblings if one not in names.leaves and one != name)
    return stem.count("_") > 0 and any(one.startswith(stem) for one in strange)


def word_apart(name: str, candidates: Sequence[str]) -> str:
    """The one known name that has a word more before or behind it, or lacks an idle one."""
    words = name.split("_")
    found = []
    if len(words) > _MIN_WORDS:
        idle = [words[1:]] if words[0] in _IDLE else []
        idle += [words[:-1]] if words[-1] in _IDLE else []
        found = [one for one in candidates if one.split("_") in idle]
    if not found and len(words) >= _MIN_WORDS:
        found = [one for one in candidates if words in (one.split("_")[1:], one.split("_")[:-1])]
    return found[0] if len(found) == 1 else ""


def another_name(
    name: str, candidates: Sequence[str], settings: Sequence[str], siblings: frozenset[str]
) -> str:
    """The one known name of the same thing, of several the one that sets what every framework has
    (``settings``); ``r`` and ``rank`` are LoRA's beside other settings of it only."""
    if name in ("r", "rank") and not any(one.startswith("lora_") for one in siblings):
        return ""
    found = {one for alike in _ALIKE if name in alike for one in candidates if one in alike}
    found = found if len(found) == 1 else found.intersection(settings)
    return next(iter(found)) if len(found) == 1 else ""


def dashed(key: Node, parents: tuple[str, ...], names: Names) -> bool:
    """Whether a key has dashes where the framework's name has none, and it tells them apart."""
    framework = names.framework
    if "-" not in str(key.value) or "takes-dashes" in framework.traits or key.raw.startswith("-"):
        return False
    below = framework.known_below.values()
    written = {*framework.known, *(k.key for k in framework.keys), *(n for b in below for n in b)}
    first = str(key.value).partition("-")[0]
    own = any("-" in name and name.rpartition(".")[2].startswith(first) for name in written)
    return not own and names.has((*parents, normal(str(key.value))))


def spelt_like(name: str, key: str) -> str:
    """A name with the dashes of the key that it stands for."""
    word = key.strip("\"'")
    dashes = len(word) - len(word.lstrip("-"))
    inner = name.replace("_", "-") if "-" in word[dashes:] and "_" not in word else name
    return "-" * dashes + inner
