"""What a probe lacks, in words: facts by what they come from, fields by their names."""

from __future__ import annotations

import re

from medic.i18n import Text, plain

ANSWER = Text("an answer", "回答")

# Facts that other probes make: the runner names the missing ones by their type.
FACTS = {
    "CheckpointIndex": Text("a checkpoint", "检查点"),
    "Checkpoints": Text("a checkpoint", "检查点"),
    "Curve": Text("a loss curve", "训练曲线"),
    "GpuSeries": Text("GPU samples over time", "GPU 随时间的采样"),
    "GpuState": Text("the state of the GPUs", "GPU 状态"),
    "Host": Text("this machine", "本机信息"),
    "Launches": Text("a launch command", "启动命令"),
    "LogHits": Text("a log", "日志"),
    "Parsers": Text("the training script", "训练脚本"),
    "Ranks": Text("logs of several ranks", "多个 rank 的日志"),
    "RunConfig": Text("a configuration", "训练配置"),
}


def need(needs: Text) -> Text:
    """What is lacking; where that is a list of names, each in words."""
    if needs.en != needs.zh:
        return needs
    parts = [FACTS.get(name.strip(), plain(name.strip())) for name in needs.en.split(",")]
    return Text(", ".join(p.en for p in parts), "、".join(p.zh for p in parts))


VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|does|do|did|cannot|could|can|answers|holds|gave|failed)\b"
)
CLAUSE = re.compile(r"\b(?:that|which|who|whose)\b.*")


def is_reason(lack: Text) -> bool:
    """Whether it says why nothing could be read, a sentence of its own, not what is lacking."""
    if lack.en == lack.zh:
        return False
    return lack.en.lower().startswith("no ") or bool(VERB.search(CLAUSE.sub("", lack.en)))
