"""Takes the vitals of a case."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from itertools import islice, pairwise
from statistics import median

from medic.case.collect import Case
from medic.errors import MedicError
from medic.facts import Counted, Curve, LogHits, Source
from medic.i18n import Text
from medic.index.knowledge import Index
from medic.match import iter_lines
from medic.records import replace
from medic.runner.evidence import Evidence
from medic.runner.look import open_regular
from medic.runner.registry import all_probes
from medic.runner.run import observe
from medic.vitals.curve_rows import loss, norm, numbers
from medic.vitals.gpu_rows import busy, memory
from medic.vitals.scene import Judged, Scene, Stop, Vital, Vitals

# Saving and evaluating are quiet for minutes in a healthy run.
SILENT_SECONDS, SILENT_GAPS = 900.0, 10.0
# Of the time in a log: twice as long, and a container may write the time of another zone.
STAMP_SECONDS, ZONES, ZONE_STEP, ZONE_SLACK = 1800.0, 15 * 3600.0, 900.0, 300.0
_NOTHING = Text("nothing was written for {n} minutes", "已有 {n} 分钟没有写入任何内容")
_NO_STEP = Text(
    "the file with the steps was not written for {n} minutes, though others were",
    "记录 step 的文件已有 {n} 分钟没有写入，其他文件仍在写",
)
_STAMPED = Text(
    "the last step is of {n} hours ago by this machine's clock (of a copy, the run may have gone on)",
    "按本机时钟，最后一个 step 已是 {n} 小时之前（若这是副本，原训练可能仍在继续）",
)
MAX_QUOTED, MAX_LINES = 64 * 1024 * 1024, 2_000_000  # of a file that is read again for one line

ROOMS = ("curve", "logs", "gpu", "config", "flags")
PROBES = frozenset(
    {
        "logs", "log-end", "curve", "curve-loss", "curve-nan", "curve-memory", "curve-start",
        "curve-throughput", "curve-speed", "curve-rate", "curve-eval-nan", "gpu", "gpu-report", "config", "flags",
    }
)  # fmt: skip
ROWS: tuple[tuple[str, Text, Callable[[Scene], Judged]], ...] = (
    ("loss-falling", Text("loss falling", "loss 下降"), loss),
    ("gpu-busy", Text("GPU busy", "GPU 在忙"), busy),
    ("memory-flat", Text("memory flat", "显存平稳"), memory),
    ("grad-norm", Text("gradient norm as usual", "梯度范数正常"), norm),
    ("no-nan", Text("no NaN or Inf", "无 NaN / Inf"), numbers),
)


def take(case: Case, index: Index, cancel: threading.Event | None = None) -> Vitals:
    """Reads the case and judges the five rows, and whether the run still writes."""
    probes = [p for p in all_probes(ROOMS) if p.name in PROBES]
    found = judge(observe(case, index, probes, cancel=cancel), index)
    found = replace(found, rows=tuple(_quoted(case, row) for row in found.rows))
    if found.stop is None and case.this_host is not False:
        return replace(found, stop=_silence(case, found, time.time()))
    return found


def _quoted(case: Case, row: Vital) -> Vital:
    """The row with the words of its line, where no probe has kept them."""
    source = row.source
    file = next((f for f in case.files if f.name == source.file and f.path not in case.parts), None)
    if source.text or source.line <= 0 or file is None or file.size > MAX_QUOTED:
        return row
    try:
        with open_regular(file.path) as opened:
            lines = islice(iter_lines(opened, file.name), MAX_LINES)
            text = next((words for number, words in lines if number == source.line), "")
    except MedicError:
        return row
    return replace(row, source=replace(source, text=text[:400]))


def judge(evidence: Evidence, index: Index) -> Vitals:
    scene = Scene(index, evidence, evidence.fact(Curve) or Curve())
    logs = evidence.fact(LogHits) or LogHits()
    steps = [s.steps[-1] for s in scene.curve.series.values() if s.steps]
    gaps = [b - a for a, b in pairwise(_times(logs)) if b > a]
    return Vitals(
        rows=tuple(_row(scene, *row) for row in ROWS),
        stop=_stop(scene, logs),
        step=max((s for s in steps if not Counted.is_count(s)), default=None),
        planned=logs.planned_steps or scene.curve.planned_steps,
        finished=logs.ended == "well",
        gap=median(gaps) if gaps else 0.0,
        unread=evidence.unread(),
        last=_last_step(logs),
        wrote=frozenset({s.file for s in scene.curve.series.values()})
        | {s.source.file for s in logs.steps},
    )


def _last_step(logs: LogHits) -> Source | None:
    timed = [s.source for s in logs.steps if s.source.time is not None]
    return max(timed, key=lambda s: s.time or 0.0, default=None)


def _times(logs: LogHits) -> list[float]:
    return sorted(s.source.time for s in logs.steps if s.source.time is not None)


def _stop(scene: Scene, logs: LogHits) -> Stop | None:
    """The line with which the run ended badly."""
    if logs.ended == "badly":
        lines = (*filter(None, [logs.end]), *logs.exceptions, *logs.tail[-1:])
        return Stop(Text("the run has ended with a failure", "训练已因故障结束"), lines[0])
    found = scene.bad("training-hangs", "stopped-without-a-word")
    return Stop(*found) if found else None


def _silence(case: Case, found: Vitals, now: float) -> Stop | None:
    """Nothing was written for much longer than a step takes, and the run is not through.

    By the age of the files that hold the steps, for other ranks and programs may write on: the
    times in a log may be of another zone. Of a copy that is newer than its last step, they are told.
    """
    through = found.planned is not None and (found.step or 0) >= found.planned - 1
    if found.finished or through:
        return None
    written = [f for f in case.files if f.kind in ("log", "metrics") and f.modified > 0]
    of_steps = [f for f in written if f.name in found.wrote] or written
    newest = max(of_steps, key=lambda f: f.modified, default=None)
    if newest is None:
        return None
    quiet = now - newest.modified
    if quiet >= max(SILENT_SECONDS, SILENT_GAPS * found.gap):
        words = _NO_STEP if newest.name in found.wrote and of_steps != written else _NOTHING
        return Stop(words.fill(n=round(quiet / 60)), Source(newest.name))
    last = found.last
    old = now - last.time if last is not None and last.time is not None else 0.0
    if (
        last is None
        or old < max(STAMP_SECONDS, SILENT_GAPS * found.gap)
        or _is_zone(old, found.gap)
    ):
        return None
    return Stop(_STAMPED.fill(n=f"{old / 3600:.1f}"), last)


def _is_zone(seconds: float, gap: float) -> bool:
    """Whether a step that is so old may be a new one by the clock of another zone."""
    return seconds < ZONES and seconds % ZONE_STEP < max(ZONE_SLACK, SILENT_GAPS * gap)


def _row(scene: Scene, name: str, title: Text, judged: Callable[[Scene], Judged]) -> Vital:
    return Vital(name, title, *judged(scene))
