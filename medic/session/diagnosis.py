"""From findings to the answer: causes with evidence, what else is wrong, what is left."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

from medic.beliefs.likelihoods import DOUBTED, Seen
from medic.beliefs.model import Beliefs, Model, word
from medic.case.collect import NotRead
from medic.entries import Cause
from medic.entries.words import SPEAKS_AGAINST
from medic.facts import Source
from medic.i18n import Text
from medic.index.knowledge import Index
from medic.planner.looks import NextLook
from medic.planner.standing import Standing, gate, pruned, shows_a_symptom
from medic.planner.verdict import Heard, Verdict, fired, leading_symptoms, spoken_for
from medic.records import dataclass, field, replace
from medic.runner.evidence import Evidence, Observed
from medic.runner.logsymptoms import EXCEPTION
from medic.session.sentences import finding_text, question_of

MAX_CAUSES = 5
LEAST_CAUSES = 3  # the nearest are told even where none is near
SHOWN_CHANCE = 0.02
WEIGHT_ORDER = {
    "confirms": 0,
    "always": 1,
    "strong": 2,
    "usually": 3,
    "weak": 4,
    "sometimes": 5,
    "rarely": 6,
    "against": 7,
    "strongly-against": 8,
    "rules-out": 9,
}


@dataclass(frozen=True)
class EvidenceLine:
    """One finding as it bears on a cause."""

    kind: Literal["symptom", "check"]
    name: str
    outcome: str
    text: Text
    source: Source
    weight: str
    more: tuple[Source, ...] = ()
    asked: Text | None = None  # what the text answers, where it is no sentence of its own

    @property
    def sentence(self) -> Text:
        """The text, behind what it answers."""
        if self.asked is None:
            return self.text
        return Text("{check}: {answer}", "{check}：{answer}").fill(
            check=self.asked, answer=self.text
        )


@dataclass(frozen=True)
class CauseView:
    name: str
    code: str
    title: Text
    chance: float
    word: str
    explains: tuple[str, ...]
    evidence: tuple[EvidenceLine, ...]
    pruned_by: EvidenceLine | None = None


@dataclass(frozen=True)
class Diagnosis:
    """The whole answer, in data; reports only render it."""

    verdict: Verdict
    causes: tuple[CauseView, ...] = ()
    also_wrong: tuple[CauseView, ...] = ()
    symptoms: tuple[EvidenceLine, ...] = ()  # everything abnormal that was seen
    unexplained: tuple[EvidenceLine, ...] = ()
    consequences: tuple[EvidenceLine, ...] = ()
    notes: tuple[EvidenceLine, ...] = ()  # lint of severity info, benign symptoms
    ruled_out: tuple[CauseView, ...] = ()
    not_understood: Literal["", "question", "complaint"] = ""  # words that are all there is
    none_chance: float = 0.0
    next: NextLook | None = None
    context: dict[str, Any] = field(default_factory=dict)
    not_checked: tuple[tuple[str, str], ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    read: dict[str, int] = field(default_factory=dict)
    not_read: tuple[NotRead, ...] = ()
    of_read: Verdict | None = None  # of what was read, where not all was
    outside: tuple[tuple[str, str], ...] = ()  # read, too: (file outside, script that names it)
    case_run: str = ""
    other_runs: tuple[str, ...] = ()

    @property
    def alone(self) -> Verdict:
        """The verdict for who reads nothing beside it, as a script does: a complaint that was not
        understood is not clear, where without it no fault would be seen."""
        missed = self.not_understood == "complaint" and self.verdict == "no-fault-seen"
        return "unclear" if missed else self.verdict


# --- the lines of the answer -------------------------------------------------------------------

# Of a line that other programs print, too, and no words around it say who did.
_PERHAPS = Text("perhaps: {title}", "可能：{title}")
_ALSO_OTHERS = Text(
    "perhaps (other faults print this line, too): {title}",
    "可能（其他故障也会打印这一行）：{title}",
)


def line_of(index: Index, item: Heard, weight: str) -> EvidenceLine:
    """A finding as a line of the answer. What a line tells that others print, too, is no fact."""
    kind: Literal["symptom", "check"] = "symptom" if item.seen.name in index.symptoms else "check"
    text = finding_text(index, item.finding)
    if item.seen.reliability == DOUBTED and item.seen.name != EXCEPTION:
        text = (_PERHAPS if kind == "symptom" else _ALSO_OTHERS).fill(title=text)
    return EvidenceLine(
        kind,
        item.seen.name,
        item.seen.outcome,
        text,
        item.finding.source,
        weight,
        item.finding.more,
        question_of(index, item.finding),
    )


def evidence_for(index: Index, cause: Cause, found: Sequence[Heard]) -> tuple[EvidenceLine, ...]:
    """The findings that bear on a cause, strongest first."""
    levels = {s.symptom: s.level for s in cause.shows}
    weights = {(t.check, t.outcome): t.weight for t in index.links(cause.name)}
    lines = []
    for item in found:
        name, outcome = item.seen.name, item.seen.outcome
        if outcome == "present" and name in levels:
            lines.append(line_of(index, item, levels[name]))
        elif (name, outcome) in weights:
            weight = weights[name, outcome]
            if item.seen.of not in ("", *levels) and weight not in SPEAKS_AGAINST:
                continue  # it is said of a failure that the cause does not show
            if weight == "confirms" and item.seen.reliability == DOUBTED:
                weight = "strong"  # it counts as no more
            lines.append(line_of(index, item, weight))
    return tuple(sorted(lines, key=lambda e: (WEIGHT_ORDER[e.weight], e.name)))


# What a text says counts among the evidence from this ratio on.
LIKE = math.log(5)
READS_LIKE = EvidenceLine(
    "check",
    "description",
    "alike",
    Text("what was written reads like this cause", "所写内容与该原因的描述相近"),
    Source(),
    "weak",
)


BY_YOU = "by-you"  # in place of a check, where the user rules a cause out


def by_you(quote: str) -> EvidenceLine:
    """That the user rules a cause out, with the words for it."""
    said = Text("ruled out by you", "由你排除")
    return EvidenceLine("check", BY_YOU, "ruled-out", said, Source(text=quote), "rules-out")


def view(
    index: Index,
    name: str,
    beliefs: Beliefs,
    found: Sequence[Heard],
    pruned_by: Seen | None = None,
    likeness: float = 0.0,
) -> CauseView:
    cause = index.causes[name]
    shows = {s.symptom for s in cause.shows}
    explains = tuple(
        h.seen.name for h in found if h.seen.outcome == "present" and h.seen.name in shows
    )
    by = next((h for h in found if h.seen == pruned_by), None)
    own = evidence_for(index, cause, found)
    alike = (READS_LIKE,) if likeness >= LIKE else ()
    said = word(beliefs.chance.get(name, 0.0))
    if alike and not own and said != "unlikely":
        said = "possible"  # to read like a cause is no sign of it
    if said == "unlikely" and _speaks_for(own):
        said = "possible"  # whatever else is as near: a line beside it says so
    if said != "unlikely" and any(line.weight == "rules-out" for line in own):
        said = "possible"  # one line rules it out, however well the rest fits
    return CauseView(
        name=name,
        code=cause.code,
        title=cause.title,
        chance=beliefs.chance.get(name, 0.0),
        word="ruled-out" if pruned_by else said,
        explains=explains,
        evidence=own + alike,
        pruned_by=line_of(index, by, "rules-out") if by else None,
    )


def _speaks_for(own: Sequence[EvidenceLine]) -> bool:
    """Whether a line speaks strongly for a cause, and none against it."""
    weights = {line.weight for line in own if line.source.line}
    return bool(weights & {"confirms", "strong"}) and weights.isdisjoint(SPEAKS_AGAINST)


def unproven(cause: CauseView) -> CauseView:
    """What nothing confirms is likely at most, however little else comes into question."""
    return replace(cause, word="likely") if cause.word == "almost-certain" else cause


def ranked_causes(
    index: Index, model: Model, stand: Standing, beliefs: Beliefs, found: Sequence[Heard]
) -> tuple[CauseView, ...]:
    """The leader first, then what else is still possible."""
    if stand.leader not in index.causes:
        return ()
    seen = [h.seen for h in found]
    dimmed = pruned(model, beliefs, seen)
    live = [c for c in beliefs.ranked if c != stand.leader and c not in dimmed]
    likely = [c for c in live if beliefs.chance[c] >= SHOWN_CHANCE]
    rest = likely if len(likely) >= LEAST_CAUSES - 1 else live[: LEAST_CAUSES - 1]
    names = [stand.leader, *rest][:MAX_CAUSES]
    like = model.likeness
    return tuple(view(index, n, beliefs, found, likeness=like.get(n, 0.0)) for n in names)


def also_wrong(
    index: Index, model: Model, beliefs: Beliefs, found: Sequence[Heard], shown: Sequence[str]
) -> tuple[CauseView, ...]:
    """Faults that are no cause of this: confirmed without a symptom of the case, or fired by lint
    and not among the causes shown."""
    seen = [h.seen for h in found]
    fires = {h.seen.name for h in fired(index, found, "error", "warning")}
    confirmed = {
        c
        for c in spoken_for(index, model, found)
        if c in beliefs.chance and gate(model, c, seen) and not shows_a_symptom(model, c, seen)
    }
    names = sorted((fires | confirmed) - set(shown))
    return tuple(view(index, name, beliefs, found) for name in names if name in index.causes)


def unexplained(
    index: Index, found: Sequence[Heard], explained: set[str]
) -> tuple[EvidenceLine, ...]:
    """Abnormal symptoms that the leader does not show."""
    return tuple(
        line_of(index, h, "sometimes")
        for h in leading_symptoms(index, found)
        if h.seen.name not in explained
    )


def observed_line(index: Index, item: Observed) -> EvidenceLine:
    text = finding_text(index, item.finding)
    return EvidenceLine("symptom", item.name, item.outcome, text, item.finding.source, item.role)


def gaps(evidence: Evidence, unknown: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """(check or probe, what it lacks) of all that was not looked at."""
    found = []
    for name, run in sorted(evidence.runs.items()):
        found += [(skip.check or name, str(skip.needs)) for skip in run.skips]
    found += [(name, str(Text("an answer", "你的回答"))) for name in unknown]
    return tuple(dict.fromkeys(found))


def failures(evidence: Evidence) -> tuple[tuple[str, str], ...]:
    """(probe, error) of the probes that failed."""
    runs = sorted(evidence.runs.items())
    return tuple((name, run.error) for name, run in runs if run.state == "failed")
