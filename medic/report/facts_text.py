"""Facts as short lines for a person."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from medic.facts import CheckpointIndex, Checkpoints, Curve, FlightRecords, GpuState, LogHits
from medic.run_config import RunConfig


def lines(fact: Any) -> list[str]:
    """The lines that show a fact, most telling first."""
    if isinstance(fact, RunConfig):
        return _run_config(fact)
    if isinstance(fact, Checkpoints):
        return [row for index in fact.indexes for row in _checkpoint(index)] + [
            f"{file}: {why}" for file, why in fact.not_read
        ]
    if isinstance(fact, GpuState):
        return _gpus(fact)
    if isinstance(fact, Curve):
        return [f"{name}: {len(s.steps)} points, {s.file}" for name, s in fact.series.items()]
    if isinstance(fact, LogHits):
        return _log(fact)
    if isinstance(fact, FlightRecords):
        return _recorded(fact)
    return [
        f"{type(fact).__name__}: {_short(getattr(fact, f.name))}" for f in dataclasses.fields(fact)
    ]


def _run_config(config: RunConfig) -> list[str]:
    rows = [
        f"{name} = {value.value}  ({value.origin.where()})"
        for name, value in sorted(config.values.items())
    ]
    head = [f"framework: {config.framework}"] if config.framework else []
    return head + rows


def _checkpoint(index: CheckpointIndex) -> list[str]:
    ranks = f", written by {index.ranks} ranks" if index.ranks else ""
    rows = [f"{index.file}: {index.format}, {len(index.tensors)} tensors{ranks}"]
    rows += [f"  {t.name} {list(t.shape)} {t.dtype}" for t in list(index.tensors.values())[:4]]
    rows += [f"  {name}: {'yes' if there else 'no'}" for name, there in index.states.items()]
    rows += [f"  missing shard: {name}" for name in index.missing_shards]
    rows += [f"  would call: {name}" for name in index.globals_listed]
    return rows


def _recorded(records: FlightRecords) -> list[str]:
    rows = []
    for record in records.ranks:
        waits = [c for c in record.calls if c.is_open]
        rows.append(f"rank {record.rank}: {len(record.calls)} calls, {len(waits)} not completed")
        for call in waits[:4] or record.calls[-1:]:
            where = f" at {call.call_site}" if call.call_site else ""
            state = call.state if call.is_open else "completed"
            rows.append(f"  group {call.group} #{call.sequence} {call.operation}{where}, {state}")
    return rows


def _gpus(state: GpuState) -> list[str]:
    rows = [f"driver {state.driver}, CUDA {state.cuda}, {state.origin}"]
    for gpu in state.gpus:
        used = f"{gpu.used or 0:,} / {gpu.total or 0:,} bytes"
        rows.append(f"GPU {gpu.index} {gpu.name}: {used}")
        rows += [f"  pid {p.pid} {p.name}: {p.used} bytes" for p in gpu.processes]
    return rows


def _log(logs: LogHits) -> list[str]:
    rows = [f"ended: {logs.ended}; last step: {logs.last_step}; ranks: {list(logs.ranks)}"]
    for hit in sorted(logs.hits, key=lambda h: h.order):
        role = f"{hit.role}, {hit.benign}" if hit.benign else hit.role
        text = hit.source.text.strip()[:100]
        rows.append(f"{hit.source.where()} [{role}] {hit.symptom}: {text}")
    return rows


def _short(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{len(value)} entries"
    if isinstance(value, tuple) and len(value) > 3:
        return f"{len(value)} items"
    return str(value)[:120]
