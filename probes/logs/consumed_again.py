"""A count of consumed samples that falls while the steps go on: the data begin anew on a resume."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import LogHits, Source, StepLine
from medic.i18n import Text
from medic.probe import SAYS, Finding, Look, Probe
from medic.text.patterns import regex

CHECK, SYMPTOM = "resume-difference", "fewer-samples-than-expected"
# As Megatron-LM prints it; its loader begins at args.consumed_train_samples of the checkpoint.
_CONSUMED = regex(r"(?i)consumed[ _](?:train[ _])?samples\W{1,14}(\d+)\b")
_FALLS = Text(
    "consumed samples are {before} at step {before_step} and {after} at step {after_step}: the run goes "
    "on, and its data begin anew",
    "第 {before_step} 步时已消费样本数为 {before}，第 {after_step} 步却只有 {after}：步数接着走，数据却从头开始",
)


def run(look: Look) -> Iterator[Finding]:
    logs = look.fact(LogHits)
    before: list[tuple[int, StepLine]] = []
    for row in (*logs.earlier_steps, *logs.former_steps, *logs.steps):
        found = _CONSUMED.search(row.source.text)
        if found is None:
            continue
        count = int(found[1])
        if before and count < before[-1][0]:
            # A start from an older checkpoint counts on from there, with another batch faster or not.
            passed = [one for one in before if one[1].step < row.step]
            last = max(passed, key=lambda one: one[1].step, default=None)
            if last is not None and count < last[0]:
                yield from _told(last, count, row)
                return
        before.append((count, row))


def _told(last: tuple[int, StepLine], count: int, row: StepLine) -> Iterator[Finding]:
    before, earlier = last
    text = _FALLS.fill(before=before, before_step=earlier.step, after=count, after_step=row.step)
    value = {"before": before, "before_step": earlier.step, "after": count, "step": row.step}
    value |= {"after_step": row.step}
    source: Source = row.source
    more = (earlier.source,)
    yield Finding(CHECK, "data-from-start", {**value, SAYS: text}, source, more, exact=True)
    yield Finding(SYMPTOM, value={"told": text}, source=source)


PROBE = Probe(
    name="consumed-again",
    title=Text("samples consumed before and after a resume", "恢复前后已消费的样本数"),
    tells=(CHECK, SYMPTOM),
    run=run,
    needs=(LogHits,),
    seconds=0.01,
    limit_seconds=5.0,
)
