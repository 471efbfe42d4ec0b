"""The plan of a renamed copy of a checkpoint: each tensor of the copy from bytes of the original."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from medic.errors import UsageError
from medic.i18n import Text
from medic.records import dataclass, field, replace

from .fusing import is_unproven, join_for, split_for, unordered
from .located import WIDTHS, Located
from .renaming import WRAPPERS, Rule, find_rule
from .row_orders import Orders

Shape = tuple[int, ...]
NO_ORDER = Orders()
_UNORDERED = Text("rows of {fused} in an order that is not known", "{fused} 的行，其顺序未知")
_IN_ORDER = Text(
    "neither the names nor the shapes nor a config.json beside them tell the order of the fused rows (q, k, v "
    "one after another, head by head, or in blocks): --in-order converts them, if you know that q, k and v "
    "follow one another",
    "名称、形状和同目录的 config.json 都说明不了融合行的顺序（q、k、v 依次排列、按头交错或分块）："
    "若确知 q、k、v 依次排列，加 --in-order 即可转换",
)


@dataclass(frozen=True)
class Range:
    file: str
    start: int
    size: int


@dataclass(frozen=True)
class Output:
    """One tensor of the copy: its bytes are those of ``ranges`` in order. ``how``: copied, split
    (rows of a fused tensor) or fused (several tensors stacked)."""

    name: str
    dtype: str
    shape: Shape
    ranges: tuple[Range, ...]
    sources: tuple[str, ...]
    how: str = "copied"

    @property
    def size(self) -> int:
        return sum(r.size for r in self.ranges)


@dataclass(frozen=True)
class Plan:
    """``left_out`` (name, why) of the original, ``missing`` (name, why) of the wanted model."""

    outputs: tuple[Output, ...]
    rule: Rule
    left_out: tuple[tuple[str, Text], ...] = ()
    missing: tuple[tuple[str, Text], ...] = ()
    notes: tuple[Text, ...] = field(default_factory=tuple)
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return sum(o.size for o in self.outputs)


def by_rule(have: Mapping[str, Located], strip: str = "", add: str = "") -> Plan:
    """Renames by what is asked; with neither, takes off the parts that only wrappers add.

    Raises UsageError for a rename to an empty name, or of two tensors to one name.
    """
    rule = Rule(strip=strip, add=add)
    if not strip and not add:
        inside = {p for n in have for p in n.split(".")} & WRAPPERS
        rule = Rule(drops=tuple(sorted(inside)))
    names = rule.mapping(have, ())
    empty = next((n for n in have if n and not names[n]), None)
    if empty is not None:
        raise UsageError(
            f"nothing would be left of the name {empty}: nothing is written",
            f"参数名 {empty} 改名后为空：未写文件",
        )
    _refuse_collision(names)
    outputs, left = [], []
    for name, found in have.items():
        if found.why:
            left.append((name, found.why))
        else:
            outputs.append(_copied(names[name], found))
    return Plan(tuple(outputs), rule, tuple(left), (), _shared(have))


def _refuse_collision(names: Mapping[str, str]) -> None:
    """Raises UsageError where two names become one: which of the two is right, nothing tells."""
    taken: dict[str, str] = {}
    for name, new in names.items():
        other = taken.setdefault(new, name)
        if other != name:
            raise UsageError(
                f"{other} and {name} would both become {new}: nothing is written",
                f"{other} 与 {name} 都会改名为 {new}：未写文件",
            )


def with_metadata(plan: Plan, kept: Mapping[str, str], parted: Sequence[str]) -> Plan:
    """The plan whose copy carries what the original's header says beside the tensors.

    ``parted``: the keys of which two files of the original say different things.
    """
    told = tuple(
        Text(
            f"the shards' headers differ in {key}: the copy says {kept[key][:60]}, as the first does",
            f"各分片头部的 {key} 不一致：副本沿用第一个分片的 {kept[key][:60]}",
        )
        for key in parted
    )
    return replace(plan, metadata=kept, notes=(*plan.notes, *told))


def refuse_useless(have: Mapping[str, Located], strip: str) -> None:
    """Raises UsageError for a ``strip`` that no name starts with."""
    if strip and not any(n.startswith(strip) for n in have):
        first = next(iter(have), "-")
        raise UsageError(
            f"no name starts with {strip} (the first is {first}): nothing is written",
            f"没有以 {strip} 开头的参数名（第一个是 {first}）：未写文件",
        )


def by_model(
    have: Mapping[str, Located], wanted: Mapping[str, Shape], orders: Orders = NO_ORDER
) -> Plan:
    """Renames, splits and joins so that the names and shapes are those of another checkpoint.

    ``orders``: of which side the rows of fused projections are known to lie one after another.
    """
    shapes = {n: found.shape for n, found in have.items()}
    rule = rule_for(shapes, wanted)
    names = rule.mapping(shapes, wanted)
    _refuse_collision(names)
    ours = {names[n]: found for n, found in have.items()}
    renamed = {n: found.shape for n, found in ours.items()}
    outputs, missing, used = [], [], set[str]()
    for name, shape in wanted.items():
        output, why = _make(name, shape, ours, renamed, wanted, orders)
        if output is None:
            missing.append((name, why))
        else:
            outputs.append(output)
            used.update(output.sources)
    doubted = {fused for n, _ in missing if (fused := unordered(n, renamed, wanted))}
    left = [
        (found.name, _why_left(found, names[found.name], wanted, doubted))
        for found in have.values()
        if found.name not in used
    ]
    notes = (*_shared(have), *((_IN_ORDER,) if doubted else ()))
    return Plan(tuple(outputs), rule, tuple(left), tuple(missing), notes)


def rule_for(have: Mapping[str, Shape], wanted: Mapping[str, Shape]) -> Rule:
    """The renaming by all names, else by those that are no projection: fused ones match none."""
    rule = find_rule(have, wanted)
    if rule.changes():
        return rule
    return find_rule([n for n in have if "proj" not in n], [n for n in wanted if "proj" not in n])


def _make(
    name: str,
    shape: Shape,
    ours: Mapping[str, Located],
    renamed: Mapping[str, Shape],
    wanted: Mapping[str, Shape],
    orders: Orders,
) -> tuple[Output | None, Text]:
    """The wanted tensor from what is there, or why it cannot be made."""
    found = ours.get(name)
    if found is not None:
        if found.why:
            return None, found.why
        if found.shape == shape:
            return _copied(name, found), Text("", "")
        return None, Text(
            f"{found.name} has shape {list(found.shape)}, not {list(shape)}",
            f"{found.name} 的形状是 {list(found.shape)}，而不是 {list(shape)}",
        )
    cut = split_for(name, renamed, wanted, orders)
    if cut is not None and not ours[cut.source].why:
        whole = ours[cut.source]
        ranges = tuple(_rows(whole, first, count) for first, count in cut.pieces)
        return Output(name, whole.dtype, shape, ranges, (whole.name,), "split"), Text("", "")
    join = join_for(name, renamed, wanted, orders)
    parts = [ours[p] for p in join.sources] if join else []
    if join and not any(p.why for p in parts) and len({p.dtype for p in parts}) == 1:
        ranges = tuple(_rows(parts[n], first, count) for n, first, count in join.pieces)
        sources = tuple(p.name for p in parts)
        return Output(name, parts[0].dtype, shape, ranges, sources, "fused"), Text("", "")
    fused = unordered(name, renamed, wanted)
    if fused:
        source = ours[fused].name if fused in ours else name
        return None, _UNORDERED.fill(fused=source)
    return None, Text("the checkpoint has nothing for it", "检查点中没有对应的张量")


def _copied(name: str, found: Located) -> Output:
    ranges = (Range(found.file, found.start, found.size),)
    return Output(name, found.dtype, found.shape, ranges, (found.name,))


def _rows(whole: Located, first: int, count: int) -> Range:
    """Rows of a row-major tensor lie together."""
    row = WIDTHS[whole.dtype] * math.prod(whole.shape[1:])
    return Range(whole.file, whole.start + first * row, count * row)


def _why_left(
    found: Located, name: str, wanted: Mapping[str, Shape], doubted: Collection[str]
) -> Text:
    """Why nothing takes a tensor that the other model knows as ``name``, or not at all."""
    if found.why:
        return found.why
    if name in wanted:
        want = list(wanted[name])
        return Text(
            f"the other model has {name} with shape {want}, not {list(found.shape)}",
            f"目标模型的 {name} 形状是 {want}，而不是 {list(found.shape)}",
        )
    if is_unproven(found.name) or name in doubted:
        return Text(
            "fused, but no shape proves the order of its rows (by head or one after another)",
            "是融合权重，但形状不能证明行的排列（按头交错或依次排列）",
        )
    return Text("the other model has no such tensor", "目标模型没有这个张量")


def _shared(have: Mapping[str, Located]) -> tuple[Text, ...]:
    """Tied tensors become two copies: a safetensors file shares nothing."""
    seen: dict[tuple[str, int, Shape], str] = {}
    found = []
    for name, one in have.items():
        key = (one.storage, one.start, one.shape)
        if one.storage and key in seen:
            found.append((seen[key], name))
        elif one.storage:
            seen[key] = name
    if not found:
        return ()
    first, second = found[0]
    return (
        Text(
            f"{len(found)} tensors share the data of another ({second} of {first}): each is written",
            f"有 {len(found)} 个张量与另一个共用数据（{second} 与 {first}）：各写一份",
        ),
    )
