"""The remedies on offer, and what became of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.i18n import Text
from medic.records import dataclass, replace

from . import words, words_more, words_talk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from medic.fixes import Fix
    from medic.session.consultation import Session
    from medic.session.diagnosis import Diagnosis

    from .consultation import Consultation


NEEDS = "needs "  # before the field without which the first remedy has no numbers


@dataclass(frozen=True)
class Offer:
    """A remedy of a suspected cause with the number that /patch takes.

    ``against`` names the cause where it is not the one that leads: such a remedy is only taken
    by its number. ``instead``: why it is shown and not the one that is listed first; ``reads``: that
    the run reads another file than the one that it changes. ``tried``: it was, and did not help.
    """

    number: int
    cause: str
    title: Text
    fix: Fix
    against: Text | None = None
    instead: Text | None = None
    reads: Text | None = None
    tried: bool = False

    @property
    def own(self) -> bool:
        """Whether it acts against what leads, was not tried yet and is not in the files already."""
        return self.against is None and not self.tried and not self.fix.made

    @property
    def full_title(self) -> Text:
        """The title, with the cause where that is not the leading one."""
        if self.against is None:
            return self.title
        return words.OF_CAUSE.fill(title=self.title, cause=self.against)


def offers_of(session: Session, found: Diagnosis | None) -> list[Offer]:
    """Remedies of the leader, then of what else may be or is wrong, those that the files hold
    already, and last those that were tried and did not help; numbered from 1."""
    from medic.planner.verdict import NOTHING_NAMED  # the first paint needs no engine

    if found is None or found.verdict in {"none-of-these", *NOTHING_NAMED}:
        causes: list[str] = []
    else:
        rest = [] if found.verdict == "established" else found.causes[1:3]
        near = [c for c in rest if c.word not in ("unlikely", "ruled-out")]
        causes = [c.name for c in (*found.causes[:1], *near)]
    fixes = {c: session.fixes(c) for c in causes}
    chosen = [(c, f) for c in causes[:1] for f in fixes[c]]
    chosen += [(c, f) for c in causes[1:] for f in fixes[c][:1]]
    for cause in found.also_wrong if found else ():
        chosen += [(cause.name, f) for f in session.fixes(cause.name)[:1]]
    kept: dict[str, tuple[str, Fix]] = {}
    for name, fix in chosen:
        kept.setdefault(fix.remedy.name, (name, fix))
    titles, tried = session.index.causes, set(session.tried)
    in_order = sorted(kept.values(), key=lambda one: (one[1].remedy.name in tried, one[1].made))
    return [
        Offer(
            n,
            name,
            fix.remedy.title,
            fix,
            None if name in causes[:1] else titles[name].title,
            tried=fix.remedy.name in tried,
        )
        for n, (name, fix) in enumerate(in_order, start=1)
    ]


def named(
    offers: Sequence[Offer], said: str, least: int = 1, *, told: bool = False
) -> Offer | None:
    """The remedy on offer that a sentence names: the one with most of its words, ``least`` of them
    or more; ``told``: also by the words of what it says to do."""
    from medic.match.words import terms_of

    terms = set(terms_of(said))
    best, most = None, least - 1
    for offer in offers:
        entry = offer.fix.remedy
        names = f"{entry.name.replace('-', ' ')}\n{entry.title.en}\n{entry.title.zh}"
        if told:
            names += f"\n{offer.fix.text.en}\n{offer.fix.text.zh}"
        same = len(terms & set(terms_of(names)))
        if same > most:
            best, most = offer, same
    return best


def first_change(offers: Sequence[Offer]) -> Offer | None:
    """The change of files that is shown first: of the remedy that is listed first, or, where that
    is done by hand, of the next one, a safe one before others, with why."""
    own = [o for o in offers if o.own]
    can = [o for o in own if o.fix.patch is not None]
    if not can or can[0] is own[0]:
        return next(iter(can), None)
    chosen = next((o for o in can if o.fix.safe), can[0])
    why = words_more.FIRST_BY_HAND.fill(first=own[0].title, n=chosen.number)
    return replace(chosen, instead=why)


def changes(offers: Sequence[Offer]) -> bool:
    """Whether there is a change of files against what leads that was not tried."""
    return any(o.fix.patch is not None for o in offers if o.own)


def next_step(talk: Consultation) -> set[str]:
    """What to do now that nothing is asked, or nothing that bears on it: see the "change", or do a
    "remedy" by hand, for whose numbers a field may be needed."""
    if talk.waiting is not None:
        return {"remedy"}
    if talk.stale or not talk.on_offer or (talk.question is not None and not talk.plan.settled):
        return set()
    if changes(talk.on_offer):
        return {"change"}
    if talk.question is not None:
        return set()
    missing = talk.on_offer[0].fix.missing
    return {"remedy", *(f"{NEEDS}{name}" for name in missing[:1])}


def first_step(talk: Consultation) -> Text:
    """The first remedy in a sentence: advised where its cause is likely or better, else as what to do
    if it is the one."""
    from medic.session.undecided import recommends

    advised = talk.found is not None and recommends(talk.found)
    step = words_talk.SO_DO if advised else words_talk.IF_IT_IS
    return step.fill(title=talk.offers()[0].title)
