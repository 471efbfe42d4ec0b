"""What differs between a checkpoint and the model that is to load it, by names and shapes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from medic.i18n import Text, plain
from medic.records import dataclass, field, replace
from medic.text.numbers_in_short import in_short
from medic.text.patterns import regex

from .renaming import Rule, find_rule

Shape = tuple[int, ...] | None  # None: not known

# Buffers that a model computes itself, so that their absence changes nothing.
_BUFFERS = regex(
    r"(?:^|\.)(?:inv_freq|masked_bias|position_ids|num_batches_tracked|freqs_cis|freqs|cos_cached|"
    r"sin_cached|attention_mask|causal_mask|mask|_extra_state|total_ops|total_params|rope_cache)$"
)
_MASK = regex(r"(?:^|\.)attn(?:\.attention)?\.bias$")  # GPT-2's causal mask, 4-dimensional
_HEAD = regex(r"(?:^|\.)(?:lm_head|output|output_layer|embed_out|head|to_logits)\.weight$")
_POSITIONS = regex(r"(?:^|[._])(?:wpe|pos\w*)(?:[._]|$)")
_LAYER = regex(r"^(.*?\.)?(\d+)\.")
# Below this share of the smaller side the two are not the same kind of model.
SAME_FAMILY = 0.5
MIN_VOCABULARY = 256  # a first dimension below this is a head of classes
FEW = 2
# Megatron-Core's and Megatron-LM's column and row parallel modules.
_PARALLEL = regex(
    r"linear_(?:qkv|proj|fc[12])\.weight|query_key_value\.(?:weight|bias)|"
    r"dense_(?:h_to_4h|4h_to_h)\.weight|self_attention\.dense\.weight"
)
BARE = ("weight", "bias")  # of a module that was loaded alone: it may be any
LAYER_TENSORS = 4  # as many absent names of one layer mean that the layer is absent
SHOWN = 5


@dataclass(frozen=True)
class Comparison:
    """``missing`` names the model wants, ``unexpected`` ones only the checkpoint has."""

    outcome: str
    rule: Rule = field(default_factory=Rule)
    matched: int = 0
    total: int = 0
    missing: tuple[str, ...] = ()
    unexpected: tuple[str, ...] = ()
    mismatched: tuple[tuple[str, Shape, Shape], ...] = ()
    layers: tuple[int, ...] = ()
    harmless: tuple[str, ...] = ()
    factor: int = 0  # by which the sizes differ, where it is one

    def value(self) -> dict[str, Any]:
        """For a finding: counts, first names, the prefix, and the renaming as Python."""
        first = next(iter(self.mismatched), ("", None, None))
        return {
            "prefix": _prefix(self.rule),
            "change": _change(self.rule),
            "snippet": self.rule.snippet() if self.rule.changes() else "",
            "matched": self.matched,
            "total": self.total,
            "missing": len(self.missing),
            "unexpected": len(self.unexpected),
            "mismatched": len(self.mismatched),
            "missing_names": self.missing[:SHOWN],
            "unexpected_names": self.unexpected[:SHOWN],
            "layers": in_short(self.layers),
            "tensor": first[0],
            "checkpoint_shape": show_shape(first[1]),
            "model_shape": show_shape(first[2]),
            "harmless": self.harmless[:SHOWN],
            "factor": self.factor,
        }


def compare(
    have: Mapping[str, Shape], wanted: Mapping[str, Shape], *, partial: bool = False
) -> Comparison:
    """A checkpoint's tensors against the model's.

    ``partial``: both hold only the names that a failed load listed, not those that agree.
    """
    rule = find_rule(have, wanted)
    names = rule.mapping(have, wanted)
    ours = {names[n]: shape for n, shape in have.items()}
    shared = ours.keys() & wanted.keys()
    harmless = frozenset(_harmless(ours, wanted))
    found = Comparison(
        outcome="same",
        rule=rule,
        matched=len(shared),
        total=len(wanted),
        missing=tuple(n for n in wanted if n not in ours and n not in harmless),
        unexpected=tuple(n for n in ours if n not in wanted and n not in harmless),
        mismatched=tuple(
            (n, ours[n], wanted[n])
            for n in ours
            if n in shared and None not in (ours[n], wanted[n]) and ours[n] != wanted[n]
        ),
        harmless=tuple(sorted(harmless)),
    )
    if partial:
        return _judged_partial(found)
    if not found.matched or found.matched < SAME_FAMILY * min(len(ours), len(wanted)):
        return replace(found, outcome="different-model", rule=Rule())
    return _judged(found, _whole_layers((*found.missing, *found.unexpected), ours, wanted))


def _judged(c: Comparison, layers: tuple[int, ...]) -> Comparison:
    if not (c.missing or c.unexpected) and (factor := _split_by(c.mismatched)):
        return replace(c, outcome="split-differs", layers=layers, factor=factor)
    if any(not _is_vocabulary(*m) for m in c.mismatched):
        return replace(c, outcome="shapes-differ", layers=layers)
    if c.missing or c.unexpected:
        return replace(c, outcome="layers-missing", layers=layers)
    if c.mismatched:
        return replace(c, outcome="vocabulary-changed")
    return replace(c, outcome="prefix-only" if c.rule.changes() else "same")


def _split_by(mismatched: Collection[tuple[str, Shape, Shape]]) -> int:
    """The whole factor by which all sizes differ, each along one dimension; 0 if there is none.

    A tensor split cuts the vocabulary and the layers alike. A wider model changes two dimensions of
    its square matrices, a wider feed-forward part no embedding, and a vocabulary no layer.
    """
    factors = {_factor(saved, current) for _, saved, current in mismatched}
    kinds = {_is_vocabulary(*one) for one in mismatched}
    return factors.pop()[0] if len(factors) == 1 and len(kinds) == 2 else 0


def _may_be_split(c: Comparison) -> int:
    """The factor, where the only one or two tensors that are told are such as a tensor split cuts:
    a list of all would tell whether the rest is cut, too."""
    if c.missing or c.unexpected or not 0 < len(c.mismatched) <= FEW:
        return 0
    factors = {_factor(saved, current) for _, saved, current in c.mismatched}
    told = len(factors) == 1 and all(_may_be_parallel(name) for name, _, _ in c.mismatched)
    factor = factors.pop()[0] if told else 0
    return factor if factor & (factor - 1) == 0 else 0


def _may_be_parallel(name: str) -> bool:
    return name in BARE or _PARALLEL.search(name) is not None


def _factor(saved: Shape, current: Shape) -> tuple[int, bool]:
    """(factor, whether the checkpoint's is the larger one) of shapes that differ so; else 0."""
    pairs = [(a, b) for a, b in zip(saved or (), current or (), strict=False) if a != b]
    if len(saved or ()) != len(current or ()) or len(pairs) != 1 or 0 in pairs[0]:
        return 0, False
    ours, theirs = pairs[0]
    small, large = sorted(pairs[0])
    return (large // small if large % small == 0 else 0), ours > theirs


def _judged_partial(c: Comparison) -> Comparison:
    """What agrees was not listed, so that only names on both sides tell of another model."""
    if c.missing and c.unexpected and not c.matched:
        return replace(c, outcome="different-model", rule=Rule())
    counted = Counter(at[1] for n in (*c.missing, *c.unexpected) if (at := layer_of(n)))
    layers = tuple(sorted(n for n, count in counted.items() if count >= LAYER_TENSORS))
    if factor := _may_be_split(c):
        return replace(c, outcome="evenly-different", layers=layers, factor=factor)
    return _judged(c, layers)


def _harmless(ours: Mapping[str, Shape], wanted: Mapping[str, Shape]) -> tuple[str, ...]:
    """Names on one side only whose absence changes nothing."""
    odd = [n for n in ours if n not in wanted] + [n for n in wanted if n not in ours]
    both = {**wanted, **ours}
    return tuple(n for n in odd if is_buffer(n, both[n]) or _is_tied_head(n, ours, wanted))


def is_buffer(name: str, shape: Shape) -> bool:
    """A mask or a table that the model computes itself."""
    if _BUFFERS.search(name):
        return True
    return _MASK.search(name) is not None and shape is not None and len(shape) == 4


def is_head(name: str) -> bool:
    """An output layer, which a file may leave out where it is the embedding's."""
    return _HEAD.search(name) is not None


def is_embedding(name: str) -> bool:
    """Whether it may be the table of the tokens, with which a head shares its weights."""
    return "emb" in name or "wte" in name


def _is_tied_head(name: str, ours: Mapping[str, Shape], wanted: Mapping[str, Shape]) -> bool:
    """A head on one side only, of the shape of an embedding that both sides have."""
    shape = ours.get(name) or wanted.get(name)
    if not _HEAD.search(name) or shape is None:
        return False
    return any(
        is_embedding(n)
        for n, other in ours.items()
        if other == shape and n != name and wanted.get(n) == shape
    )


def _is_vocabulary(name: str, ours: Shape, wanted: Shape) -> bool:
    """Only the rows differ, outside the layers, and not those of a table of positions."""
    if ours is None or wanted is None or _LAYER.match(name) or _POSITIONS.search(name):
        return False
    if name in BARE and _factor(ours, wanted)[0]:
        return False
    same_rest = len(ours) == len(wanted) > 0 and ours[1:] == wanted[1:]
    return same_rest and min(ours[0], wanted[0]) >= MIN_VOCABULARY


def layer_of(name: str) -> tuple[str, int] | None:
    """(the list's name, index) of the first numbered part of a name."""
    found = _LAYER.match(name)
    return (found[1] or "", int(found[2])) if found else None


def _whole_layers(
    odd: Iterable[str], ours: Collection[str], wanted: Collection[str]
) -> tuple[int, ...]:
    """Numbers of layers of which one side has nothing at all."""
    found = {layer_of(n) for n in odd}
    if not found:
        return ()
    sides = [{layer_of(n) for n in side} for side in (ours, wanted)]
    return tuple(sorted({at[1] for at in found if at and not all(at in side for side in sides)}))


def show_shape(shape: Shape) -> str:
    return "" if shape is None else "[" + ", ".join(map(str, shape)) + "]"


def _prefix(rule: Rule) -> str:
    dropped = "".join(p + "." for p in rule.drops)
    return dropped + rule.strip or rule.add


def _change(rule: Rule) -> Text:
    parts = ", ".join(p + "." for p in (*rule.drops,)) or rule.strip
    if rule.wraps:
        return Text("the model is wrapped, the checkpoint is not", "模型带有包装，而检查点没有")
    if parts and rule.add:
        return Text(f"{parts} becomes {rule.add}", f"{parts} 改为 {rule.add}")
    if parts:
        return Text(f"without {parts}", f"去掉 {parts}")
    if rule.add:
        return Text(f"with {rule.add} in front", f"前面加上 {rule.add}")
    return plain("")
