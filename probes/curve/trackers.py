"""Rows from what experiment trackers leave: TensorBoard events, W&B runs, MLflow metrics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, BinaryIO

from medic.i18n import Text, joined
from medic.text.patterns import regex

from ..logs.metric_names import canonical
from .framed import WANDB, Framing, is_tfrecord
from .tensorboard import scalars
from .wandb_run import history

Event = tuple[int, str, float]  # step, name, value
HEAD = 12
_BAD_SUMS = Text("{n} records with a wrong checksum", "{n} 条记录的校验和不符")
OTHER_CLOCK = 0.2  # of the main metrics' last step: below it a tag counts epochs
_MLFLOW = regex(r"^\d{10,16} [-+.\w]{1,40} \d{1,12}$")


def kind(head: bytes) -> str:
    """ "events", "wandb" or "" by the first bytes of a file."""
    if head.startswith(WANDB):
        return "wandb"
    return "events" if is_tfrecord(head) else ""


def claimed(name: str) -> Text | None:
    """Of a file that is of no tracker by its bytes: what it is not, if its name says that it is."""
    lower = name.lower()
    if "tfevents" in lower:
        return Text("no TensorBoard events: its first bytes are no record",
                    "不是 TensorBoard 事件文件：开头的字节不构成记录")  # fmt: skip
    if lower.endswith(".wandb"):
        return Text("no W&B run: its first bytes are not :W&B",
                    "不是 W&B 运行文件：开头的字节不是 :W&B")  # fmt: skip
    return None


def events(file: BinaryIO, size: int) -> tuple[list[dict[str, Any]], Text | None]:
    """(one record a step, what was wrong) of a TensorBoard event file."""
    framing = Framing()
    found = list(scalars(file, size, framing))
    other = _of_other_clocks(found)
    return list(_by_step(e for e in found if e[1] not in other)), _told(framing)


def wandb(file: BinaryIO, size: int) -> tuple[list[dict[str, Any]], Text | None]:
    """(rows of the history, what was wrong) of a .wandb file."""
    framing = Framing()
    return list(history(file, size, framing)), _told(framing)


def _told(framing: Framing) -> Text | None:
    sums = _BAD_SUMS.fill(n=f"{framing.bad_sums:,}") if framing.bad_sums else None
    told = [t for t in (framing.problem, sums) if t is not None]
    return joined(told) if told else None


def problem_words(told: Text) -> Text:
    return Text("read in part: {told}", "只读取了一部分：{told}").fill(told=told)


def _of_other_clocks(found: list[Event]) -> set[str]:
    """Tags that are logged by epoch where the others are by step."""
    last: dict[str, int] = {}
    count: dict[str, int] = defaultdict(int)
    for step, tag, _ in found:
        last[tag] = max(step, last.get(tag, 0))
        count[tag] += 1
    main = [s for tag, s in last.items() if _is_main(tag)]
    if not main:
        return set()
    end = max(main)
    return {
        t for t, s in last.items() if s < OTHER_CLOCK * end and count[t] > 2 and s <= count[t] + 1
    }


def _is_main(tag: str) -> bool:
    known = canonical(tag)
    return known is not None and known[0] in ("loss", "learning_rate", "grad_norm")


def _by_step(found: Iterator[Event]) -> Iterator[dict[str, Any]]:
    """Values of one step that stand together, in file order; a tag seen again begins a row."""
    row: dict[str, Any] = {}
    for step, tag, value in found:
        if row and (row["step"] != step or tag in row):
            yield row
            row = {}
        row["step"] = step
        row[tag] = value
    if row:
        yield row


def mlflow(text: str, path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line, record) of a metric file of MLflow: time, value and step; its path names it."""
    name = path.replace("\\", "/").rpartition("/metrics/")[2]
    for number, line in enumerate(text.split("\n"), 1):
        if _MLFLOW.match(line.strip()):
            _, value, step = line.split()
            yield number, {"step": int(step), name: value}


def is_mlflow(text: str) -> bool:
    return _MLFLOW.match(text.split("\n", 1)[0].strip()) is not None
