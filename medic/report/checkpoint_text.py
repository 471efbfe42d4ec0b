"""Differences of two checkpoints and the plan of a renamed copy, for a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from medic.facts import CheckpointIndex
from medic.i18n import Text
from medic.report.dumps import dumps

SHOWN = 12
_OUTCOMES = {
    "same": Text(
        "names and shapes agree (values are not compared)", "参数名和形状一致（未比较数值）"
    ),
    "prefix-only": Text(
        "names and shapes agree once the names are changed (values are not compared)",
        "改名后参数名和形状一致（未比较数值）",
    ),
    "layers-missing": Text("tensors are missing on one side", "一方缺少张量"),
    "vocabulary-changed": Text("only the vocabulary's rows differ", "只有词表的行数不同"),
    "split-differs": Text("another split", "切分不同"),
    "evenly-different": Text("another split, or another width", "切分不同，或宽度不同"),
    "shapes-differ": Text("shapes differ", "形状不同"),
    "fused-or-split": Text(
        "the same model, with projections joined on one side",
        "同一模型，只是一方的投影权重是融合的",
    ),
    "adapter": Text(
        "an adapter and a model that has every module of it ({n})",
        "一个适配器和它所属的模型：其 {n} 个模块在模型中都有",
    ),
    "adapter-of-other": Text(
        "an adapter, and a model that it does not fit: {n} of its {total} modules do",
        "一个适配器和与之不符的模型：其 {total} 个模块中只有 {n} 个相符",
    ),
    "different-model": Text("not the same model", "不是同一个模型"),
}


_ONE_FILE = Text("A and B are one and the same", "A 与 B 是同一个")
_DTYPES = Text("dtype: A {a}, B {b} ({n} tensors)", "类型：A {a}，B {b}（{n} 个张量）")


_GONE = Text(
    "{n} of its files not on disk, and what they hold not compared: {names}",
    "有 {n} 个文件不在磁盘上，其内容未参与比较：{names}",
)
_TIED = Text(
    "{sign}'s config.json ties the output layer to the embedding: no head is lacking there, and the other "
    "side has one of its own",
    "{sign} 的 config.json 写明输出层与词嵌入共用权重：它并不缺少输出层，而另一方有单独的输出层",
)
_UNORDERED = Text(
    "{n} projections are fused on one side and split on the other, and nothing tells the order of the fused "
    "rows: remap converts them with --in-order only, if you know that q, k and v follow one another",
    "有 {n} 个投影权重一方融合、一方拆分，且无从得知融合行的顺序：若确知 q、k、v 依次排列，"
    "remap 加 --in-order 才会转换",
)
_HOLLOW = Text(
    "names and shapes as the file says; the weights lie in the ranks' *_optim_states.pt (ZeRO-3)",
    "参数名和形状取自该文件；权重在各 rank 的 *_optim_states.pt 中（ZeRO-3）",
)


def diff_lines(found: Any) -> list[str]:
    compared = found.comparison
    rows = [*_head("A", found.first), *_head("B", found.second)]
    outcome = _OUTCOMES[compared.outcome].fill(
        n=f"{compared.matched:,}", total=f"{compared.total:,}"
    )
    rows.append(str(_ONE_FILE if found.is_one_file else outcome))
    if compared.outcome.startswith("adapter"):
        return rows + _adapter_rows(compared)
    if compared.rule.changes():
        words = Text(
            "{n} of {total} names of B are in A once it is renamed so:",
            "A 这样改名后，B 的 {total} 个参数名中有 {n} 个在 A 中：",
        )
        rows.append(str(words.fill(n=f"{compared.matched:,}", total=f"{compared.total:,}")))
        rows += [f"    {line}" for line in compared.rule.snippet().splitlines()]
    rows += _listed(Text("only in A", "只在 A 中"), compared.unexpected)
    rows += _listed(Text("only in B", "只在 B 中"), compared.missing)
    other = [f"{n}: A {_shape(a)}, B {_shape(b)}" for n, a, b in compared.mismatched]
    rows += _listed(Text("other shapes", "形状不同"), other)
    rows += _listed(Text("no matter (buffers, tied head)", "无关紧要（缓冲区、共享输出层）"),
                    compared.harmless)  # fmt: skip
    rows += [str(_TIED.fill(sign=sign)) for sign in found.tied]
    rows += [str(_DTYPES.fill(a=a, b=b, n=f"{n:,}")) for a, b, n in found.dtypes]
    if ordered := found.fused - found.unordered:
        count = "1 projection is" if ordered == 1 else "{n} projections are"
        words = Text(
            f"{count} fused on one side and split on the other: "
            "medic checkpoint remap A OUT.safetensors --like B converts them",
            "有 {n} 个投影权重一方融合、一方拆分：medic checkpoint remap A OUT.safetensors --like B 可转换",
        )
        rows.append(str(words.fill(n=ordered)))
    if found.unordered:
        rows.append(str(_UNORDERED.fill(n=found.unordered)))
    return rows


def _adapter_rows(compared: Any) -> list[str]:
    rows = _listed(Text("modules that the model lacks", "模型中没有的模块"), compared.missing)
    other = [
        str(
            Text("{name}: the adapter {a}, the model {b}", "{name}：适配器 {a}，模型 {b}").fill(
                name=name, a=_shape(a), b=_shape(b)
            )
        )
        for name, a, b in compared.mismatched
    ]
    return rows + _listed(Text("other sizes", "尺寸不同"), other)


def _head(sign: str, index: CheckpointIndex) -> list[str]:
    states = ", ".join(name for name, there in index.states.items() if there) or "-"
    step = ""
    if index.step is not None:
        step = str(Text(", step {n}", "，步数 {n}").fill(n=f"{index.step:,}"))
    count = "1 tensor" if len(index.tensors) == 1 else "{n} tensors"
    words = Text(
        f"{{sign}}: {{file}}: {{format}}, {count}{{step}}; other states: {{states}}",
        "{sign}：{file}：{format}，{n} 个张量{step}；其他状态：{states}",
    )
    filled = words.fill(
        sign=sign, file=index.file, format=index.format, n=f"{len(index.tensors):,}",
        step=step, states=states,
    )  # fmt: skip
    return [str(filled), *(f"    {note}" for note in _notes(index))]


def _notes(index: CheckpointIndex) -> list[str]:
    """What of the model is not in the file that was read."""
    notes = [str(_HOLLOW)] if index.hollow else []
    if index.part is not None:
        notes.append(str(index.part))
    if gone := index.missing_shards:
        names = ", ".join(gone[:SHOWN]) + (", …" if len(gone) > SHOWN else "")
        notes.append(str(_GONE.fill(n=f"{len(gone):,}", names=names)))
    return notes


def _listed(title: Text, names: Sequence[str]) -> list[str]:
    if not names:
        return []
    more = len(names) - SHOWN
    head = Text("{title} ({n}):", "{title}（{n}）：").fill(title=title, n=f"{len(names):,}")
    rows = [str(head), *(f"    {n}" for n in names[:SHOWN])]
    if more > 0:
        rows.append("    " + str(Text("… {n} more", "……另有 {n} 个").fill(n=f"{more:,}")))
    return rows


def _shape(shape: Sequence[int] | None) -> str:
    return "?" if shape is None else str(list(shape))


def diff_json(found: Any) -> str:
    compared = found.comparison
    data = {
        "schema": "medic.checkpoint-diff/1",
        "outcome": compared.outcome,
        "first": _index(found.first),
        "second": _index(found.second),
        "rename": compared.rule.snippet() if compared.rule.changes() else "",
        "matched": compared.matched,
        "only_first": list(compared.unexpected),
        "only_second": list(compared.missing),
        "shapes": [{"name": n, "first": a, "second": b} for n, a, b in compared.mismatched],
        "harmless": list(compared.harmless),
        "dtypes": [{"first": a, "second": b, "tensors": n} for a, b, n in found.dtypes],
        "fused_or_split": found.fused,
    }
    return dumps(data)


def _index(index: CheckpointIndex) -> dict[str, Any]:
    return {
        "file": index.file,
        "format": index.format,
        "tensors": len(index.tensors),
        "step": index.step,
        "states": dict(index.states),
        "notes": _notes(index),
    }


# --- a renamed copy -----------------------------------------------------------------------------


def plan_lines(plan: Any, source: str, to: str) -> list[str]:
    count = "1 tensor" if len(plan.outputs) == 1 else "{n} tensors"
    words = Text(
        f"{{source}} -> {{to}}: {count}, {{bytes}} bytes",
        "{source} -> {to}：{n} 个张量，{bytes} 字节",
    )
    rows = [
        str(words.fill(source=source, to=to, n=f"{len(plan.outputs):,}", bytes=f"{plan.size:,}"))
    ]
    changed = [o for o in plan.outputs if o.how != "copied" or o.name != o.sources[0]]
    named = [
        f"{' + '.join(o.sources)} -> {o.name}" + (f"  ({o.how})" if o.how != "copied" else "")
        for o in changed
    ]
    rows += _listed(Text("renamed, split or joined", "改名、拆分或合并"), named)
    same = len(plan.outputs) - len(changed)
    if same:
        stay = "1 name stays as it is" if same == 1 else "{n} names stay as they are"
        rows.append(str(Text(stay, "{n} 个参数名不变").fill(n=f"{same:,}")))
    left = [_reason(n, why) for n, why in plan.left_out]
    rows += _listed(Text("left out of the copy", "未写入副本"), left)
    missing = [_reason(n, why) for n, why in plan.missing]
    rows += _listed(Text("wanted, and not there", "需要但没有"), missing)
    return rows + [str(note) for note in plan.notes]


def _reason(name: str, why: Text) -> str:
    return str(Text("{name}: {why}", "{name}：{why}").fill(name=name, why=why))


def plan_json(plan: Any, to: str, written: int) -> str:
    data = {
        "schema": "medic.checkpoint-remap/1",
        "to": to,
        "bytes": plan.size,
        "written": written,
        "tensors": [
            {"name": o.name, "from": list(o.sources), "how": o.how, "shape": list(o.shape),
             "dtype": o.dtype}
            for o in plan.outputs
        ],
        "left_out": [{"name": n, "why": str(why)} for n, why in plan.left_out],
        "missing": [{"name": n, "why": str(why)} for n, why in plan.missing],
        "notes": [str(note) for note in plan.notes],
    }  # fmt: skip
    return dumps(data)
