"""/curve: a metric over steps as a picture of dots, with what was found on it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from medic.i18n import plain

from . import words_graph
from .lines import Block, Line

if TYPE_CHECKING:
    from medic.facts import Series
    from medic.session.consultation import Session
    from medic.session.diagnosis import Diagnosis

    from .consultation import Consultation

WIDTH, HEIGHT = 66, 6
ENOUGH = 8  # values: fewer say no more as a picture
BARS = 30
LENGTHS = "lengths"
METRIC = {
    "loss-curve": "loss",
    "loss-level": "loss",
    "numerics": "loss",
    "lr-curve": "learning_rate",
    "gradients": "grad_norm",
    "memory-series": "memory",
}


def curve(talk: Consultation, argument: str) -> None:
    """Draws a metric; without a name the loss, else the first there is."""
    from medic.facts import Curve

    if argument.strip() == LENGTHS:
        talk.tell(Block("medic", tuple(_lengths(talk.session))), top=True)
        return
    fact = talk.session.evidence.facts.get(Curve)
    series: Mapping[str, Series] = fact.series if isinstance(fact, Curve) else {}
    drawable = {n: s for n, s in series.items() if len(s.values) > 1}
    if not drawable:
        talk.tell(words_graph.NO_CURVE)
        return
    name = argument.strip() or ("loss" if "loss" in drawable else next(iter(drawable)))
    names = ", ".join(drawable)
    if name not in drawable:
        talk.tell(words_graph.NO_METRIC.fill(word=name, names=names))
        return
    others = [n for n in drawable if n != name]
    lines = picture(drawable[name])
    if others:
        lines.append(Line(words_graph.OTHER_CURVES.fill(names=" | ".join(others)), "muted"))
    talk.tell(Block("medic", tuple(lines)), top=True)


def _lengths(session: Session) -> Iterator[Line]:
    """How long the records of each data file are, as bars; those beyond the limit are marked."""
    from medic.facts import DataSets

    fact = session.evidence.facts.get(DataSets)
    files = [f for f in fact.files if f.lengths] if isinstance(fact, DataSets) else []
    if not files:
        yield Line(words_graph.NO_LENGTHS)
    for file in files:
        yield Line(words_graph.LENGTHS_OF.fill(file=file.file, n=file.records), "strong")
        most = max(file.lengths) or 1
        for i, (start, count) in enumerate(zip(file.bins, file.lengths, strict=False)):
            end = f"-{file.bins[i + 1] - 1}" if i + 1 < len(file.bins) else "+"
            over = file.limit is not None and start >= file.limit
            bar = "█" * round(BARS * count / most) or ("▏" if count else "")
            text = f"{start}{end}".rjust(13) + f" {bar} {count:,}{' !' if over else ''}"
            yield Line(plain(text), "bad" if over and count else "accent", verbatim=True)
        if file.limit is not None:
            yield Line(words_graph.LIMIT.fill(limit=file.limit, n=file.beyond_limit), "muted")


def drawn(session: Session, found: Diagnosis) -> list[Block]:
    """The curve that the leading cause shows itself on, if there is one with enough steps."""
    from medic.facts import Curve

    fact = session.evidence.facts.get(Curve)
    if not found.causes or not isinstance(fact, Curve) or found.verdict == "none-of-these":
        return []
    symptoms = session.index.symptoms
    families = [symptoms[n].family for n in found.causes[0].explains if n in symptoms]
    names = [METRIC[f] for f in families if f in METRIC]
    series = next((fact.series[n] for n in names if n in fact.series), None)
    if series is None or len(series.values) < ENOUGH:
        return []
    stub = Line(words_graph.DRAWN_BY.fill(name=series.name), "muted", indent=2)
    return [Block("more", tuple(picture(series)), stub=stub)]


def picture(series: Series) -> list[Line]:
    """The metric as dots over its steps, with where it ends and what of it is no number."""
    from medic.report.plot import plot

    steps, values = series.steps, series.values
    title = words_graph.CURVE_TITLE.fill(name=series.name, first=steps[0], last=steps[-1])
    lines = [Line(title, "strong", where=plain(series.file))]
    rows = plot(steps, values, WIDTH, HEIGHT)
    lines += [Line(plain(row), "accent", verbatim=True) for row in rows]
    return [*lines, *_said(series)]


def _said(series: Series) -> list[Line]:
    last = words_graph.RANGE.fill(
        value=f"{series.values[-1]:.4g}", step=series.steps[-1], n=len(series.values)
    )
    bad = [s for s, v in zip(series.steps, series.values, strict=False) if not math.isfinite(v)]
    lines = [Line(last, "muted")] if series.steps[-1] not in bad[:1] else []
    if bad:
        told = words_graph.NOT_FINITE if bad[1:] else words_graph.ONE_NOT_FINITE
        lines.append(Line(told.fill(n=len(bad), step=bad[0]), "bad"))
    return lines
