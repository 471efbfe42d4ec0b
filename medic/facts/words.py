"""What the facts are in words: a probe that lacks one says what would have to be given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from medic.i18n import Text, plain

FACTS: Mapping[str, Text] = {
    "Attempts": Text("a log of several attempts", "含多次尝试的日志"),
    "CheckpointIndex": Text("a checkpoint", "检查点"),
    "Checkpoints": Text("a checkpoint", "检查点"),
    "Collectives": Text("a log with collective timeouts", "含集合通信超时的日志"),
    "Curve": Text("a loss curve", "训练曲线"),
    "DataSets": Text("the training data", "训练数据"),
    "FlightRecords": Text("a dump of PyTorch's flight recorder", "PyTorch flight recorder 转储"),
    "GpuMemory": Text("the memory of the GPU", "GPU 显存容量"),
    "GpuSeries": Text("GPU samples over time", "GPU 随时间的采样"),
    "GpuState": Text("the state of the GPUs", "GPU 状态"),
    "Host": Text("a look at this machine", "本机信息"),
    "HostReports": Text(
        "a saved report of the node (collect_env, df)",
        "已保存的节点信息（如 collect_env、df）",
    ),
    "Launches": Text("a launch command", "启动命令"),
    "LogHits": Text("a log", "日志"),
    "Machine": Text("a look at this machine", "本机信息"),
    "MemoryEstimate": Text("an estimate of the GPU memory", "显存估算"),
    "OtherRuns": Text("logs of several configurations", "多份配置各自的日志"),
    "Packages": Text("the versions of the packages", "软件包版本"),
    "Parsers": Text("the training script", "训练脚本"),
    "Places": Text("the paths that the launch names", "启动命令中的路径"),
    "Ports": Text("the ports in use", "已占用的端口"),
    "PrintedStart": Text("what the run printed at its start", "启动时打印的配置"),
    "Ranks": Text("logs of several ranks", "多个 rank 的日志"),
    "Releases": Text("the versions of the packages", "软件包版本"),
    "RunConfig": Text("a configuration", "训练配置"),
    "SkippedKeys": Text(
        "a log that names tensors left out at a load", "记录了加载时略过哪些张量的日志"
    ),
    "Stacks": Text("stack dumps of the ranks", "各 rank 的调用栈"),
    "StateDictError": Text("the error of a failed load", "加载失败的报错"),
    "Tracebacks": Text("a log", "日志"),
}


def lacking(kinds: Iterable[type[Any]]) -> Text:
    """Facts that are not there, in words, each once."""
    words = dict.fromkeys(FACTS.get(k.__name__) or plain(k.__name__) for k in kinds)
    return Text(", ".join(w.en for w in words), "、".join(w.zh for w in words))
