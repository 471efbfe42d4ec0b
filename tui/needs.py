"""What a probe lacks, in words: keys and facts as a person names them; fields by their names."""

from __future__ import annotations

import re

from medic.i18n import Text, plain

ANSWER = "an answer"

WORDS = {
    ANSWER: Text("an answer", "回答"),
    # Facts that other probes make.
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
    # Evidence by key.
    "all-gpus-of-the-run": Text("all GPUs of the run", "该运行的全部 GPU 信息"),
    "checkpoint": Text("a checkpoint", "检查点"),
    "checkpoint-fully-written": Text("a checkpoint written to its end", "写完整的检查点"),
    "failed-load-or-two-checkpoints": Text(
        "a failed load or two checkpoints", "加载失败的报错或两个检查点"
    ),
    "full-oom-sentence": Text("the whole out-of-memory sentence", "完整的显存报错句子"),
    "gpu-memory": Text("the memory of the GPU", "GPU 显存容量"),
    "gpus-of-the-run": Text("the GPUs of the run", "该运行的 GPU 信息"),
    "log": Text("a log", "日志"),
    "logs-of-all-ranks": Text("the logs of all ranks", "全部 rank 的日志"),
    "logs-of-several-ranks": Text("logs of several ranks", "多个 rank 的日志"),
    "nccl-info-lines": Text("NCCL INFO lines", "NCCL INFO 日志"),
    "nvidia-smi-output": Text("output of nvidia-smi", "nvidia-smi 输出"),
    "nvidia-smi-output-of-the-run": Text(
        "output of nvidia-smi from the run", "该运行期间的 nvidia-smi 输出"
    ),
    "permission-to-list-connections": Text(
        "permission to list connections", "查看网络连接的权限"
    ),
    "port": Text("a port", "端口号"),
    "port-in-use-message": Text("a message that a port is in use", "端口被占用的报错"),
    "process-list": Text("the list of processes", "进程列表"),
    "quota-of-the-user": Text("the quota of the user", "用户配额"),
    "ranks-and-gpus": Text("the ranks and the GPUs", "rank 数与 GPU 数"),
    "ranks-of-a-node": Text("the ranks of a node", "每个节点的 rank 数"),
    "readable-checkpoint": Text("a checkpoint that can be read", "可读的检查点"),
    "rendezvous-error-with-address": Text(
        "a rendezvous error with its address", "带地址的汇合报错"
    ),
    "resumed-checkpoint": Text("the checkpoint resumed from", "用于恢复的检查点"),
    "run-on-this-host": Text("the run on this machine", "运行就在本机"),
    "steps-before-the-timeout": Text("steps before the timeout", "超时之前的训练步"),
    "steps-of-several-ranks": Text("steps of several ranks", "多个 rank 的训练步"),
    "timeout-without-earlier-failure": Text(
        "a timeout that no earlier failure explains", "之前没有其他故障的超时"
    ),
    "traceback-or-steps": Text("a traceback or logged steps", "调用栈或训练步日志"),
    "watchdog-lines": Text("lines of the NCCL watchdog", "NCCL watchdog 日志"),
}
_KEY = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+")


def need(needs: str) -> Text:
    """What is lacking, in words. ``needs`` is one key, several with commas, or a sentence."""
    if needs in WORDS or " " in needs.replace(", ", ","):
        return WORDS.get(needs, plain(needs))
    parts = [_word(part.strip()) for part in needs.split(",")]
    return Text(", ".join(p.en for p in parts), "、".join(p.zh for p in parts))


def _word(key: str) -> Text:
    if key in WORDS:
        return WORDS[key]
    return plain(key.replace("-", " ")) if _KEY.fullmatch(key) else plain(key)
