"""Samples of which part counts in the loss, against the sequence length and their own labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import DataFile, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Skip

from .noted import MIN_RECORDS, noted, share, source

_NEEDS = Text("the sequence length of the run", "训练的序列长度")


def fits(look: Look, facts: Sequence[DataFile]) -> Iterator[Finding | Skip]:
    """What is left of them to learn from; plain text is cut into blocks anyway."""
    if labelled := [f for f in facts if _has_labels(f)]:
        yield _labels(look, labelled)
    answered = [f for f in facts if _has_answers(f)]
    if answered:
        limit = next((f.limit for f in facts if f.limit), None)
        yield Skip(_NEEDS, check="sample-lengths") if limit is None else _cut(look, answered, limit)


def _has_labels(fact: DataFile) -> bool:
    return fact.shape == "token-ids" and "labels" in fact.columns


def _has_answers(fact: DataFile) -> bool:
    """Whether part of each sample counts in the loss, and so can be cut off."""
    return _has_labels(fact) or fact.shape in ("prompt-answer", "chat", "preference")


def _labels(look: Look, facts: Sequence[DataFile]) -> Finding:
    """Samples without one label that counts, however long the sequence."""
    found = noted(facts, ("no-label",))
    count, records = sum(n.count for _, n in found), sum(f.records for f in facts)
    if not count or count < look.threshold("some-unlabelled-share") * records:
        return Finding("labels-in-data", "counted", source=source(facts[0]))
    most = count >= look.threshold("most-unlabelled-share") * records
    fact, note = max(found, key=lambda f: f[1].count)
    value = {
        "count": f"{count:,}", "records": f"{records:,}", "share": share(count, records),
        "file": fact.file,
    }  # fmt: skip
    outcome = "most-without" if most else "some-without"
    return Finding("labels-in-data", outcome, value, source(fact, note))


def _cut(look: Look, answered: Sequence[DataFile], limit: int) -> Finding:
    records = sum(f.records for f in answered)
    lost, beyond = (
        sum(getattr(f, name) for f in answered) for name in ("no_answer_left", "beyond_limit")
    )
    worst = max(answered, key=lambda f: (f.no_answer_left, f.beyond_limit))
    value = {
        "count": f"{lost:,}",
        "records": f"{records:,}",
        "share": share(lost, records),
        "beyond": share(beyond, records),
        "limit": f"{limit:,}",
        "longest": f"{worst.longest or 0:,}",
        "file": worst.file,
        "unit": worst.unit,
    }
    note = next((n for n in worst.notes if n.kind == "no-answer-left"), None)
    where: Source = source(worst, note)
    return Finding("sample-lengths", _how_cut(look, lost, beyond, records), value, where)


def _how_cut(look: Look, lost: int, beyond: int, records: int) -> str:
    if lost and lost >= look.threshold("most-answers-share") * records:
        return "most-answers-cut"
    if lost and lost >= look.threshold("some-answers-share") * records:
        return "some-answers-cut"
    many = beyond >= look.threshold("longer-share") * records and records >= MIN_RECORDS
    return "many-longer" if many else "within"
