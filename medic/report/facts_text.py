"""Facts as short lines for a person."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from medic.facts import (
    CheckpointIndex,
    Checkpoints,
    Curve,
    DataSets,
    FlightRecords,
    GpuState,
    Host,
    HostReport,
    HostReports,
    LogHits,
    Packages,
    RecordedCall,
    Stacks,
)
from medic.facts.memory import gib
from medic.i18n import Text
from medic.run_config import RunConfig

_FRAMEWORK = Text("framework: {name}", "框架：{name}")
_TENSORS = Text("{file}: {format}, {n} tensors{ranks}", "{file}：{format}，{n} 个张量{ranks}")
_WRITTEN_BY = Text(", written by {n} ranks", "，由 {n} 个 rank 写出")
_HAS, _YES, _NO = Text("{name}: {there}", "{name}：{there}"), Text("yes", "有"), Text("no", "无")
_NO_SHARD = Text("missing shard: {name}", "缺少分片：{name}")
_CALLS = Text("would call: {name}", "反序列化时会调用：{name}")
_NOT_READ = Text("{file}: {why}", "{file}：{why}")
_RECORD = Text(
    "rank {rank}: {n} calls, {open} not completed", "rank {rank}：{n} 次调用，{open} 次未完成"
)
_GROUP = Text("group {name}{where}, {state}", "通信组 {name}{where}，{state}")
_AT = Text(" at {site}", "，位于 {site}")
_STATES = {
    "scheduled": Text("scheduled", "已排队"),
    "started": Text("started", "已开始"),
    "completed": Text("completed", "已完成"),
}
_MOUNTS = Text("{file}: {n} file systems, GPUs: {gpus}", "{file}：{n} 个文件系统，GPU：{gpus}")
_BYTES_FREE = Text(
    "{path}: {free} of {total} bytes free", "{path}：共 {total} 字节，剩余 {free} 字节"
)
_INODES_FREE = Text(
    "{path}: {free} of {total} inodes free", "{path}：共 {total} 个 inode，剩余 {free} 个"
)
_IS = Text("{name}: {state}", "{name}：{state}")
_UP, _DOWN = Text("up", "已启用"), Text("down", "未启用")
_DRIVER = Text("driver {driver}, CUDA {cuda}, {origin}", "驱动 {driver}，CUDA {cuda}，{origin}")
_THIS_HOST = Text("this host", "本机")
_GPU = Text(
    "GPU {index} {name}: {used} / {total} bytes", "GPU {index} {name}：{used} / {total} 字节"
)
_USES = Text("pid {pid} {name}: {used} bytes", "pid {pid} {name}：{used} 字节")
_ENDED = Text(
    "ended: {how}; last step: {step}; ranks: {ranks}",
    "结束方式：{how}；最后一步：{step}；rank：{ranks}",
)
_ENDS = {
    "well": Text("well", "正常"),
    "badly": Text("badly", "异常"),
    "silent": Text("silent", "无输出即中断"),
    "unknown": Text("unknown", "未知"),
}
_HIT = Text("{where} [{role}] {symptom}: {text}", "{where} [{role}] {symptom}：{text}")
_BENIGN = Text("{role}, {why}", "{role}，{why}")
_ROLES = {
    "root": Text("root", "根源"),
    "either": Text("either", "根源或连带"),
    "victim": Text("victim", "连带"),
    "advice": Text("advice", "提示"),
    "context": Text("context", "背景"),
}
_WHY = {
    "source-line": Text("source-line", "源码行"),
    "help-text": Text("help-text", "帮助文本"),
    "echoed-config": Text("echoed-config", "回显的配置"),
    "quoted-text": Text("quoted-text", "数据或模型的文本"),
    "handled": Text("handled", "已被处理"),
    "earlier": Text("of before this run", "早于本次运行"),
    "other-attempt": Text("of another attempt", "属于另一次尝试"),
    "exit-alone": Text("exit-alone", "仅有退出信息"),
    "peer-gave-up": Text("after a peer gave up", "对端已放弃等待之后"),
}
_NAMED = Text("name: {name}", "主机名：{name}")
_CORES = Text("CPU cores: {n}", "CPU 核数：{n}")
_MEMORY = Text("memory: {size}", "内存：{size}")
_GPUS = Text("GPUs: {n}", "GPU 数：{n}")
_ENTRIES, _ITEMS = Text("{n} entries", "{n} 个条目"), Text("{n} items", "{n} 项")


def limit_of(fact: Any) -> int:
    """How many of its lines are shown: a drawing is shown whole."""
    return 400 if isinstance(fact, (Curve, DataSets)) else 12


def lines(fact: Any, events: Sequence[tuple[int, str]] = ()) -> list[str]:
    """The lines that show a fact, most telling first. ``events``: (step, what was seen there)."""
    if isinstance(fact, RunConfig):
        return _run_config(fact)
    if isinstance(fact, Checkpoints):
        return [row for index in fact.indexes for row in _checkpoint(index)] + [
            _said(_NOT_READ, file=file, why=why) for file, why in fact.not_read
        ]
    if isinstance(fact, GpuState):
        return _gpus(fact)
    if isinstance(fact, Curve):
        from medic.report import curve_text

        return curve_text.lines(fact, events)
    if isinstance(fact, DataSets):
        from medic.report import data_text

        return data_text.lines(fact)
    if isinstance(fact, LogHits):
        return _log(fact)
    if isinstance(fact, FlightRecords):
        return _recorded(fact)
    if isinstance(fact, Packages):
        places = {n: s.where() for n, s in fact.sources.items() if s.file}
        return [f"{n} {v}  ({places.get(n, '-')})" for n, v in fact.versions.items()]
    if isinstance(fact, Stacks):
        return [
            f"{r.label} (pid {r.pid}): {r.spot.act} {r.spot.what} @ {r.spot.site}"
            for r in fact.ranks
        ]
    if isinstance(fact, Host):
        return _this_host(fact)
    if isinstance(fact, HostReports):
        return [row for one in fact.reports for row in _host(one)]
    return [
        f"{type(fact).__name__}: {_short(getattr(fact, f.name))}" for f in dataclasses.fields(fact)
    ]


def _run_config(config: RunConfig) -> list[str]:
    rows = [
        f"{name} = {value.value}  ({value.origin.where()})"
        for name, value in sorted(config.values.items())
    ]
    head = [_said(_FRAMEWORK, name=config.framework)] if config.framework else []
    return head + rows


def _said(pattern: Text, **values: object) -> str:
    """The pattern filled, in the language in use."""
    return str(pattern.fill(values))


def _checkpoint(index: CheckpointIndex) -> list[str]:
    ranks = _WRITTEN_BY.fill(n=index.ranks) if index.ranks else ""
    count = f"{len(index.tensors):,}"
    rows = [_said(_TENSORS, file=index.file, format=index.format, n=count, ranks=ranks)]
    rows += [f"  {t.name} {list(t.shape)} {t.dtype}" for t in list(index.tensors.values())[:4]]
    rows += [
        "  " + _said(_HAS, name=name, there=_YES if there else _NO)
        for name, there in index.states.items()
    ]
    rows += ["  " + _said(_NO_SHARD, name=name) for name in index.missing_shards]
    rows += ["  " + _said(_CALLS, name=name) for name in index.globals_listed]
    return rows


def _recorded(records: FlightRecords) -> list[str]:
    rows = []
    for record in records.ranks:
        waits = [c for c in record.calls if c.is_open]
        calls, still = f"{len(record.calls):,}", f"{len(waits):,}"
        rows.append(_said(_RECORD, rank=record.rank, n=calls, open=still))
        rows += ["  " + _call(call) for call in waits[:4] or record.calls[-1:]]
    return rows


def _call(call: RecordedCall) -> str:
    where = _AT.fill(site=call.call_site) if call.call_site else ""
    state = _STATES.get(call.state if call.is_open else "completed", call.state)
    name = f"{call.group} #{call.sequence} {call.operation}"
    return _said(_GROUP, name=name, where=where, state=state)


def _this_host(host: Host) -> list[str]:
    """What is known of it: a number that could not be read is 0 or None."""
    rows = [_said(_NAMED, name=host.name)] if host.name else []
    rows += [_said(_CORES, n=host.cores)] if host.cores else []
    rows += [_said(_MEMORY, size=gib(host.memory_total))] if host.memory_total else []
    return rows + ([] if host.gpus is None else [_said(_GPUS, n=host.gpus)])


def _host(one: HostReport) -> list[str]:
    gpus = ", ".join(one.gpus) or "-"
    rows = [_said(_MOUNTS, file=one.file, n=len(one.mounts), gpus=gpus)]
    for mount in one.mounts:
        free, total = f"{mount.free:,}", f"{mount.total:,}"
        pattern = _INODES_FREE if mount.inodes else _BYTES_FREE
        rows.append("  " + _said(pattern, path=mount.path, free=free, total=total))
    rows += [
        "  " + _said(_IS, name=name, state=_UP if up else _DOWN)
        for name, up in one.interfaces.items()
    ]
    rows += [f"  GPU {a} - GPU {b}: {how}" for (a, b), how in one.links.items() if a < b]
    return rows


def _gpus(state: GpuState) -> list[str]:
    origin = _THIS_HOST if state.origin == "this-host" else state.origin
    driver, cuda = state.driver or "-", state.cuda or "-"
    rows = [_said(_DRIVER, driver=driver, cuda=cuda, origin=origin)]
    for gpu in state.gpus:
        used, total = _count(gpu.used), _count(gpu.total)
        rows.append(_said(_GPU, index=gpu.index, name=gpu.name, used=used, total=total))
        rows += [
            "  " + _said(_USES, pid=str(p.pid), name=p.name, used=_count(p.used))
            for p in gpu.processes
        ]
    return rows


def _count(number: int | None) -> str:
    """With its thousands parted; "-" where it was not told."""
    return "-" if number is None else f"{number:,}"


def _log(logs: LogHits) -> list[str]:
    last = "-" if logs.last_step is None else f"{logs.last_step:,}"
    ranks = ", ".join(map(str, logs.ranks)) or "-"
    rows = [_said(_ENDED, how=_ENDS[logs.ended], step=last, ranks=ranks)]
    for hit in sorted(logs.hits, key=lambda h: h.order):
        role: object = _ROLES.get(hit.role, hit.role)
        if hit.benign:
            role = _BENIGN.fill(role=role, why=_WHY.get(hit.benign, hit.benign))
        text = hit.source.text.strip()[:100]
        where = hit.source.where()
        rows.append(_said(_HIT, where=where, role=role, symptom=hit.symptom, text=text))
    return rows


def _short(value: Any) -> str:
    if isinstance(value, Mapping):
        return _said(_ENTRIES, n=f"{len(value):,}")
    if isinstance(value, tuple) and len(value) > 3:
        return _said(_ITEMS, n=f"{len(value):,}")
    return str(value)[:120]
