"""Checkpoints that Lightning calls "not in top k" although the value it watches is the best so far."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from medic.errors import Unreadable
from medic.facts import LogHits, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe
from medic.text.patterns import regex

CHECK = "best-checkpoint"
MAX_LINES, MAX_LOGS = 200_000, 8
TIMES = 2
# As lightning.pytorch.callbacks.ModelCheckpoint prints it; the value stands in the bar before it.
_NOT_IN, _REACHED = "' was not in top ", "' reached "
_NAME = regex(r"'([\w/.-]{1,80})' (?:was not in top \d+|reached ([-+\d.e]+))")
_PAIR = regex(r"([A-Za-z][\w/.-]{0,80})=([-+]?\d[\d.]*(?:e[-+]?\d+)?)")
_LOWER = regex(
    r"(?i)loss|error|(?:^|[_/.-])(?:ppl|perplexity|wer|cer|mae|mse|rmse|nll|bpc|bpb)(?:$|[_/.-])"
)
_HIGHER = regex(
    r"(?i)acc(?:uracy)?|(?:^|[_/.-])(?:f1|bleu|rouge\w*|auc|auroc|iou|map|em|reward|score)(?:$|[_/.-])"
)


def run(look: Look) -> Iterator[Finding]:
    for log in look.files("log")[:MAX_LOGS]:
        try:
            found = _told(islice(look.lines(log.path), MAX_LINES), log.name)
        except Unreadable:  # told by the probe that reads the log
            continue
        if found is not None:
            yield found
            return


def _told(lines: Iterator[tuple[int, str]], file: str) -> Finding | None:
    """The first checkpoint that was passed over, where several were at their best value so far."""
    values: dict[str, float] = {}
    best: dict[str, float] = {}
    over: list[tuple[str, float, float, Source]] = []
    for number, text in lines:
        if _NOT_IN not in text and _REACHED not in text:
            values.update((name, _number(value)) for name, value in _PAIR.findall(text))
            continue
        row = _NAME.search(text)
        sign = _sign(row[1]) if row else 0
        value = (_number(row[2]) if row[2] else values.get(row[1])) if row else None
        if row is None or not sign or value is None:
            continue
        before = best.get(row[1])
        if before is None or sign * value > sign * before:
            best[row[1]] = value
            if before is not None and not row[2]:
                over.append((row[1], value, before, Source(file, number, text=text.strip()[:400])))
    if len(over) < TIMES:
        return None
    name, value, before, source = over[0]
    told = {"name": name, "value": value, "before": before, "count": len(over), "last": over[-1][1]}
    told["mode"] = "min" if _sign(name) < 0 else "max"
    return Finding(CHECK, "passes-over-better", told, source, (over[-1][3],), exact=True)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _sign(name: str) -> int:
    """-1 of what is better where it is lower, 1 of what is better where it is higher, 0 of neither."""
    lower, higher = _LOWER.search(name), _HIGHER.search(name)
    return 0 if bool(lower) == bool(higher) else (-1 if lower else 1)


PROBE = Probe(
    name="best-by-mode",
    title=Text("the best checkpoint and its value", "最佳检查点与其指标"),
    tells=(CHECK,),
    needs=(LogHits,),
    run=run,
    seconds=0.05,
    limit_seconds=5.0,
)
