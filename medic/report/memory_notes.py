"""What stands under the verdict of ``medic memory``: what was assumed, what is held unused, what is odd."""

from __future__ import annotations

from medic.facts.memory import gib
from medic.i18n import Text
from medic.memory import details
from medic.memory.choices import Choice
from medic.memory.loading import LOAD, SAVE
from medic.sizing import Sizing

# Of loading and saving: that the whole model on each card makes the peak, and that it may.
WHOLE = {
    LOAD: (
        Text(
            "note: the peak is loading, as each card holds the whole model before it is sharded; sharded "
            "from the host or the meta device, the peak is {less}",
            "注意：峰值出现在加载阶段，因为切分前每张卡上都有完整模型；改为从主机内存或 meta 设备逐层切分，"
            "峰值为 {less}",
        ),
        Text(
            "note: loading takes {n} if the model is moved to the card before it is sharded; sharded from "
            "the host or the meta device it takes {less}",
            "注意：若先把整个模型搬到显卡再切分，加载时占 {n}；从主机内存或 meta 设备逐层切分则为 {less}",
        ),
    ),
    SAVE: (
        Text(
            "note: the peak is saving, as a full state dict is gathered on the card; offloaded "
            "(cpu_offload, FSDP1: offload_to_cpu), the peak is {less}",
            "注意：峰值出现在保存阶段，因为完整 state dict 在显卡上聚合；开启 cpu_offload（FSDP1 为 "
            "offload_to_cpu）后，峰值为 {less}",
        ),
        Text(
            "note: saving takes {n} if a full state dict is gathered on the card; offloaded (cpu_offload, "
            "FSDP1: offload_to_cpu) it takes {less}",
            "注意：若在显卡上聚合完整 state dict，保存时占 {n}；开启 cpu_offload（FSDP1 为 offload_to_cpu）"
            "则为 {less}",
        ),
    ),
}
IDLE = 0.1  # of the card: less than this, held unused, is not told


def beyond(sizing: Sizing) -> Text:
    """That the sequence is longer than the model's positions, and what that means."""
    line = Text(
        "note: sequences of {n} tokens, and the model has {m} positions "
        "(max_position_embeddings): learned ones fail beyond them, rotary ones need scaling "
        "(rope_scaling) and training to be of use",
        "注意：序列长 {n} token，而模型只有 {m} 个位置（max_position_embeddings）：可学习的位置编码会"
        "越界报错，旋转位置编码需要缩放（rope_scaling）并训练后才可用",
    )
    length = sizing.run_config.integer("sequence_length") or 0
    return line.fill(n=f"{length:,}", m=f"{sizing.positions:,}")


def held_unused(sizing: Sizing) -> Text | None:
    """That a large block found no place: why a longer sequence can have more room left."""
    found, capacity = sizing.found, sizing.capacity or 0
    held = found.parts.get("allocator", 0)
    if sizing.verdict == "fits" or found.not_measured or held <= IDLE * capacity or not capacity:
        return None
    line = Text(
        "{n} of the peak are held by the allocator unused; that turns on the exact length: a somewhat "
        "longer sequence can need less",
        "峰值中 {n} 由分配器保留而未用，取决于具体长度：序列稍长，所需反而可能更少",
    )
    return line.fill(n=gib(held))


def evaluation(sizing: Sizing) -> Text:
    """That an evaluation step takes more than a training step, and what it takes with less."""
    batch, high = sizing.evaluation
    line = Text(
        "note: evaluation with {n} sequences at a time can take more than training; with one at a "
        "time ({key}: 1) it all takes at most {high}",
        "注意：评估每次 {n} 条序列，所占显存可能超过训练；改为每次 1 条"
        "（{key}: 1）后，整体至多 {high}",
    )
    axolotl = sizing.run_config.framework == "axolotl"
    key = "eval_batch_size" if axolotl else "per_device_eval_batch_size"
    return line.fill(n=batch, high=gib(high), key=key)


def rollout_bytes(sizing: Sizing) -> int:
    """What a rollout engine that shares the card is let have of it: the stated part of all of it
    (vLLM's ``gpu_memory_utilization``); 0 where no part or no card is told."""
    share = details.number(sizing.run_config, "rollout_share")
    return int(share * (sizing.capacity or 0)) if 0 < share <= 1 else 0


def _rollout(sizing: Sizing) -> Text:
    """That the rollout engine's part of the card is not in the numbers."""
    line = Text(
        "note: the rollout engine may take {n} of the card ({m} of it); where it shares the card and "
        "does not sleep during the step, that is in addition",
        "注意：rollout 引擎可占用 {n} 显存（整卡的 {m}）；若与训练共用同一张卡、且训练步中不休眠，"
        "需再加上这一部分",
    )
    share = details.number(sizing.run_config, "rollout_share")
    return line.fill(n=gib(rollout_bytes(sizing)), m=f"{share:g}")


def _whole(sizing: Sizing) -> list[Text]:
    """What loading or saving takes, or may take, where each card holds the whole model."""
    found = sizing.found
    told = []
    for name, (sure, open_) in WHOLE.items():
        others = [size for other, size in found.phases.items() if other != name]
        if found.phases.get(name, 0) > max(others, default=0):
            told.append(sure.fill(less=gib(max(others))))
        elif name in found.could:
            told.append(open_.fill(n=gib(found.could[name]), less=gib(found.phases[name])))
    return told


def notes(sizing: Sizing) -> list[Text]:
    """What is odd about the run, or would help it, and is no canonical field."""
    found = (
        (bool(sizing.positions), beyond),
        (bool(sizing.evaluation[0]), evaluation),
        (rollout_bytes(sizing) > 0, _rollout),
        (bool(sizing.wide), _wide),
        (bool(sizing.host[1]), _host),
    )
    batch = [sizing.batch] if sizing.batch is not None else []
    cuts = [_cut(place) for place in sizing.cuts]
    return [*cuts, *batch, *_whole(sizing), *(tell(sizing) for there, tell in found if there)]


def _wide(sizing: Sizing) -> Text:
    """Why the range is as wide as it is."""
    names = Text(", ".join(sizing.wide), "、".join(sizing.wide))
    return Text(
        "the range is wide as nothing states {n}: give it with --set",
        "范围较宽，是因为没有写明 {n}：可用 --set 给出",
    ).fill(n=names)


def _host(sizing: Sizing) -> Text:
    """What is offloaded lies in host memory, of each rank of a node."""
    ranks, size = sizing.host
    line = Text(
        "host memory for what is offloaded: about {n} a rank, {all} on a node of {k}; pinned buffers "
        "can take half as much again",
        "卸载所需主机内存：每个 rank 约 {n}，{k} 卡节点共 {all}；锁页缓冲可能再多占一半",
    )
    return line.fill(n=gib(size // ranks), all=gib(size), k=ranks)


def _cut(place: str) -> Text:
    return Text(
        "not counted: what stands behind {place}, which lacks its backslash; medic lint mends it",
        "未计入：{place} 行尾缺少续行反斜杠，其后的参数不属于该命令；可用 medic lint 修复",
    ).fill(place=place)


_ABOUT = {"at-least": Text("at least", "至少为"), "at-most": Text("at most", "至多为")}


def choice(one: Choice) -> Text:
    """What was assumed, and the peak if it were otherwise."""
    line = Text(
        "assumed: {f} = {taken}; with --set {f}={other} it would be {about} {n}",
        "假定 {f} = {taken}；若 --set {f}={other}，则{about} {n}",
    )
    if one.after is None:
        line = Text(
            "assumed: {f} = {taken}; else --set {f}={other}",
            "假定 {f} = {taken}；否则请用 --set {f}={other}",
        )
    about = _ABOUT.get(one.bound, Text("about", "约为"))
    filled = line.fill(f=one.field, taken=one.taken, other=one.other, about=about)
    return filled.fill(n=gib(one.after or 0))
