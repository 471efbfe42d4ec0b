"""``medic memory``: the peak, where the bytes go, and what would make it fit."""

from __future__ import annotations

from medic.facts import MemoryEstimate
from medic.facts.memory import FITS_BELOW, gib
from medic.i18n import Text, current
from medic.memory.inverse import STEP, Largest
from medic.report.bars import bar
from medic.report.blocks import Blocks
from medic.report.console import Console
from medic.report.memory_advice import advice
from medic.report.memory_code import in_code, in_groups
from medic.report.memory_line import verdict
from medic.report.memory_notes import choice, held_unused, notes
from medic.sizing import Sizing
from medic.text.safetext import columns

BAR = 32
PART = {
    "weights": Text("weights", "权重"),
    "gradients": Text("gradients", "梯度"),
    "optimizer": Text("optimizer states", "优化器状态"),
    "reference model": Text("reference model", "参考模型"),
    "activations": Text("activations", "激活"),
    "logits": Text("logits and loss", "logits 与 loss"),
    "passing weights": Text("weights on their way", "加载途中的权重"),
    "weight copies": Text("low-precision copies of weights", "权重的低精度副本"),
    "gathered weights": Text("gathered weights", "聚合后的权重"),
    "gradients before sharding": Text("gradients before sharding", "切分前的梯度"),
    "second embedding gradient": Text("second gradient of the embedding", "嵌入的第二份梯度"),
    "temporaries": Text("temporaries of the optimizer step", "优化器步的临时张量"),
    "gradients in fp32": Text("fp32 copy of the gradients", "梯度的 fp32 副本"),
    "pipeline buffers": Text("pipeline send and receive buffers", "流水线收发缓冲"),
    "pipeline outputs": Text("kept results of the last stage", "末级保留的输出"),
    "joined outputs": Text("those results joined", "末级输出的拼接副本"),
    "dequantised map": Text("a dequantised map", "反量化的线性层"),
    "buckets": Text("communication buckets", "通信缓冲桶"),
    "workspace": Text("cuBLAS workspace", "cuBLAS 工作区"),
    "context": Text("CUDA context, NCCL", "CUDA 上下文与 NCCL"),
    "allocator": Text("held by the allocator, unused", "分配器保留而未用"),
}
PHASE = {
    "load": Text("load", "加载"),
    "first step": Text("first step", "第一步"),
    "forward": Text("forward", "前向"),
    "loss": Text("loss", "loss"),
    "backward": Text("backward", "反向"),
    "optimizer step": Text("optimizer step", "优化器步"),
    "second step": Text("second step (DDP rebuilds its buckets)", "第二步（DDP 重建通信桶）"),
    "outputs joined": Text("results of the last stage joined", "末级输出拼接"),
    "save": Text("save", "保存"),
    "evaluation": Text("evaluation", "评估"),
}
ASSUMED = {
    "on": Text("on", "开"),
    "off": Text("off", "关"),
    "none": Text("none", "无"),
    "fused (sdpa or flash)": Text("fused (sdpa or flash)", "融合（sdpa 或 flash）"),
    "every second layer": Text("every second layer", "每两层重计算一层"),
    "all linear maps": Text("all linear maps", "所有线性层"),
    "padding": Text("padding of the batches", "批次内填充"),
    "LoRA targets": Text("LoRA targets", "LoRA 目标层"),
    "feed-forward gate": Text("feed-forward gate", "前馈门控"),
}
# What may be tried where the config tells nothing.
USUAL = {
    "micro_batch_size": 1,
    "sequence_length": 4096,
    "data_parallel_size": 8,
    "lora_rank": 8,
    "vocab_size": 50304,
}


def full(console: Console, sizing: Sizing) -> None:
    """The whole answer as text."""
    blocks = Blocks(console)
    _largest(blocks, sizing)
    _head(blocks, sizing)
    _parts(blocks, sizing.found)
    _open(blocks, sizing)
    advice(blocks, sizing.advice, sizing.capacity or 0)
    in_code(blocks, sizing.advice, sizing.run_config)
    in_groups(blocks, sizing.advice, sizing.run_config)
    _diff(blocks, sizing)


def _parts(blocks: Blocks, found: MemoryEstimate) -> None:
    """Where the bytes go, by part, phase and pipeline stage."""
    console = blocks.console
    if found.parts:
        peak = max(found.phases, key=lambda name: found.phases[name])
        title = Text("Where the bytes go at the peak ({p})", "峰值时（{p}）的显存去向")
        if found.not_measured:
            title = Text(
                "What the formulas count at the peak ({p}); not measured, it may be more",
                "按公式计算的峰值（{p}）构成；未经实测，实际可能更多",
            )
        blocks.heading(title.fill(p=PHASE[peak]))
        _bars(console, {str(PART[n]): v for n, v in found.parts.items() if v})
        blocks.heading(Text("Peak of each phase", "各阶段峰值"))
        _bars(console, {str(_phase(n, found)): v for n, v in found.phases.items()})
    if found.stages:
        blocks.heading(Text("Peak of pipeline stages", "各流水线级峰值"))
        name = Text("stage {n}", "第 {n} 级")
        stages = {str(name.fill(n=n.split()[-1])): v for n, v in found.stages.items()}
        _bars(console, stages)


def _phase(name: str, found: MemoryEstimate) -> Text:
    if name not in found.by_formula:
        return PHASE[name]
    return Text("{n} (formula, not measured)", "{n}（公式，未经实测）").fill(n=PHASE[name])


def _head(blocks: Blocks, sizing: Sizing) -> None:
    found, console = sizing.found, blocks.console
    console.styled(console.style(str(_peak(found)), "bold"))
    if found.estimate is not None and found.reserved is not None:
        line = Text(
            "with the CUDA context (what nvidia-smi shows): {n} ({low} to {high})",
            "计入 CUDA 上下文（nvidia-smi 所示）：{n}（{low} 至 {high}）",
        )
        if found.not_measured:
            line = Text(
                "with the CUDA context (what nvidia-smi shows): at least {low}; by the formulas {n}",
                "计入 CUDA 上下文（nvidia-smi 所示）：至少 {low}；按公式为 {n}",
            )
        bounds = {"n": found.estimate, "low": found.low or 0, "high": found.high or 0}
        blocks.paragraph(line.fill({k: gib(v) for k, v in bounds.items()}), "  ", "  ")
    if found.estimate is None and found.states_likely is not None:
        line = Text(
            "weights, gradients and optimizer states alone, as assumed below; with other "
            "assumptions at least {low}",
            "仅为下述假定下的权重、梯度与优化器状态；换其他假定至少 {low}",
        )
        blocks.paragraph(line.fill(low=gib(found.reserved_low or 0)), "  ", "  ")
    taken, peak = sizing.usual
    if peak:
        line = Text("with {v}, say: about {n} in all", "例如取 {v}：总计约 {n}")
        sizes = ", ".join(f"{name}={size}" for name, size in taken.items())
        blocks.paragraph(line.fill(v=sizes, n=gib(peak)), "  ", "  ")
    if sizing.capacity is None:
        line = Text("GPU unknown: give --gpu h100-80g", "显卡未知：请用 --gpu h100-80g 指定")
        blocks.paragraph(line, "  ", "  ")
    else:
        _verdict(blocks, sizing, sizing.capacity)
    idle = held_unused(sizing)
    if idle is not None:
        blocks.paragraph(idle, "    ", "  ")
    for one in sizing.choices:
        blocks.paragraph(choice(one), "    ", "  ")
    for note in notes(sizing):
        blocks.paragraph(note, "    ", "  ")
    if sizing.named:
        line = Text(
            "not counted: {n}, which the config names; give that file as well",
            "未计入：配置中引用的 {n}；请一并给出该文件",
        )
        blocks.paragraph(line.fill(n=sizing.named), "    ", "  ")


def _peak(found: MemoryEstimate) -> Text:
    if found.low is None:
        return Text("Peak GPU memory: cannot say", "显存峰值：无法估计")
    if found.reserved is None or found.not_measured:
        if found.estimate is None and found.states_likely is not None:
            line = Text("Peak GPU memory: above {n}", "显存峰值：高于 {n}")
            return line.fill(n=gib(found.states or 0))
        line = Text("Peak GPU memory: at least {low}", "显存峰值：至少 {low}")
        if found.reserved is not None:
            line = Text(
                "Peak GPU memory: at least {low}; by the formulas {n}, not measured",
                "显存峰值：至少 {low}；按公式为 {n}，未经实测",
            )
        return line.fill(low=gib(found.reserved_low or 0), n=gib(found.reserved or 0))
    return Text(
        "Peak GPU memory: {n} reserved by torch ({low} to {high})",
        "显存峰值：torch 保留 {n}（{low} 至 {high}）",
    ).fill(
        n=gib(found.reserved),
        low=gib(found.reserved_low or 0),
        high=gib(found.reserved_high or 0),
    )


def _verdict(blocks: Blocks, sizing: Sizing, capacity: int) -> None:
    line = Text("{gpu} ({n}): {words}", "{gpu}（{n}）：{words}").fill(
        gpu=_card(sizing), n=gib(capacity), words=verdict(sizing.found, capacity)
    )
    styles = {"fits": "green", "does-not-fit": "red", "probably-not": "red"}
    console = blocks.console
    style = styles.get(sizing.verdict, "yellow")
    console.styled("  " + console.style(str(line), style))


def _card(sizing: Sizing) -> str | Text:
    return sizing.gpu or Text("the run's GPU", "该训练的显卡")


def _bars(console: Console, rows: dict[str, int]) -> None:
    wide = max(map(columns, rows), default=0)
    most = max(rows.values(), default=1) or 1
    for name, value in rows.items():
        pad = " " * (wide - columns(name))
        console.out(f"  {name}{pad}  {gib(value):>10}  {bar(value / most, BAR)}")


def _largest(blocks: Blocks, sizing: Sizing) -> None:
    """The answer to the inverse question, and what the rest is told of."""
    for one in sizing.largest:
        line = Text("Largest {f} on {gpu}: {n}", "{gpu} 上 {f} 最大可取：{n}")
        line = line.fill(f=one.field, gpu=_card(sizing), n=_most(one, sizing))
        blocks.console.styled(blocks.console.style(str(line), "bold"))
        if one.likely:
            spare = Text("{p} of the card is kept free", "为显卡保留 {p} 的余量")
            blocks.paragraph(spare.fill(p=f"{1 - FITS_BELOW:.0%}"), indent="  ")
    taken = {one.field: sizing.run_config.integer(one.field) for one in sizing.largest}
    values = ", ".join(f"{name}={value}" for name, value in taken.items() if value)
    if values:
        blocks.paragraph(Text("What follows is with {v}", "以下按 {v} 计算").fill(v=values))


def _most(one: Largest, sizing: Sizing) -> Text:
    found = sizing.found
    if one.likely is None or one.sure is None:
        line = Text("cannot be told without {n}", "缺少 {n}，无法判断")
        others = [
            other.field for other in sizing.largest
        ]  # of two that are asked, one has to be known
        names = [name for name in found.unknown or others if name != one.field]
        return line.fill(n=_joined(names))
    if one.likely == 0:
        line = Text("none, not even {n} fits", "没有，连 {n} 也放不下")
        return line.fill(n=STEP[one.field])
    if found.not_measured:
        line = Text("at most {n}, less by what is not modelled", "至多 {n}，未建模的部分会使其更小")
    elif one.sure == 0:
        line = Text(
            "{n} by the estimate; by the high bound not even the smallest is sure to fit",
            "按估计值为 {n}；按上限，连最小值也不保证放得下",
        )
    elif one.sure == one.likely:
        line = Text("{n}", "{n}")
    else:
        line = Text("{n} by the estimate, {m} by the high bound", "按估计值为 {n}，按上限为 {m}")
    return line.fill(n=f"{one.likely:,}", m=f"{one.sure:,}")


def _open(blocks: Blocks, sizing: Sizing) -> None:
    found = sizing.found
    if found.not_measured:
        names = _joined([str(text) for text in found.not_measured])
        line = Text(
            "Not modelled (no measurement stands behind it): {n}", "未建模（没有实测依据）：{n}"
        )
        blocks.heading(line.fill(n=names))
    if found.unknown:
        blocks.heading(Text("Unknown (give it with --set)", "未知（可用 --set 给出）"))
        blocks.paragraph(_joined(found.unknown), "  ", "  ")
        if "hidden_size" in found.unknown:
            line = Text(
                "of the model{name}: its config.json as one more file, or --model {near}",
                "模型{name}的尺寸：再给出其 config.json，或用 --model {near}",
            )
            if sizing.near:
                line = Text(
                    'of the model{name} (did you mean "{near}"?): its config.json as one more '
                    "file, or --model {near}",
                    "模型{name}的尺寸（是否想写 “{near}”？）：再给出其 config.json，或用 --model {near}",
                )
            line = line.fill(near=sizing.near or "llama-3-8b")
            base = sizing.run_config.get("base_model")
            name = f" {base} " if isinstance(base, str) else ""
            blocks.paragraph(
                line.fill(name=name.rstrip() if current() != "zh" else name), "  ", "  "
            )
        usual = [f"--set {name}={USUAL[name]}" for name in found.unknown if name in USUAL]
        if usual:
            line = Text("for example: {n}", "例如：{n}").fill(n=" ".join(usual))
            blocks.paragraph(line, "  ", "  ")
    if found.assumed:
        blocks.heading(Text("Assumed", "假定"))
        blocks.paragraph(_joined([_assumed(*pair) for pair in found.assumed.items()]), "  ", "  ")


def _assumed(name: str, value: str) -> str:
    """``field = value`` with the words of the language."""
    return f"{ASSUMED.get(name, name)} = {ASSUMED.get(value, value)}"


def _joined(words: tuple[str, ...] | list[str]) -> str:
    return ("、" if current() == "zh" else ", ").join(words)


def _diff(blocks: Blocks, sizing: Sizing) -> None:
    if sizing.diff:
        blocks.heading(Text("As a change of your files", "对应的文件修改"))
        blocks.diff(sizing.diff)
