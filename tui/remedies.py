"""What to do, in words: the remedies with their numbers, and how to go on."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from medic.i18n import Text
from medic.planner.verdict import NOTHING_NAMED
from medic.records import dataclass, field, replace
from medic.report.words import SAFE, UNSAFE
from medic.session.foreign import own_command
from medic.session.known import known_for

from . import words, words_more, words_talk, words_walk
from .lines import Block, Line, code, joined, said
from .needs import fields
from .ruled_out import told_of
from .seen import finding, place_of

if TYPE_CHECKING:
    from medic.session.consultation import Session
    from medic.session.diagnosis import Diagnosis

    from .consultation import Consultation
    from .offers import Offer


NEAR = 14  # blocks: what was told no further above is not told again


@dataclass
class Plan:
    """What was told of the remedies. ``full``: those that were told in full, and behind how many
    blocks; ``listed``: all, as they were told last; ``settled`` and ``advised``: see ``settled``."""

    full: dict[str, int] = field(default_factory=dict)
    listed: tuple[object, ...] = ()
    settled: frozenset[str] = frozenset()
    advised: str = ""


def closing(talk: Consultation, found: Diagnosis) -> list[Block]:
    """What was decided and how to go on, when nothing is left to ask; what changes nothing of what
    was just told is said so."""
    session, offers = talk.session, talk.offers()
    if found.verdict in NOTHING_NAMED:
        return [said(words.DESCRIBE)]
    if found.verdict == "none-of-these":
        undo = words.OR_UNDO if session.refused else ""  # what a log shows nobody can take back
        return [said(words.NONE_HOW.fill(undo=undo))]
    own, tried = [o for o in offers if o.own], [o for o in offers if o.tried]
    by_hand = not any(o.fix.patch for o in own)
    title = said(_decided(session, found, by_hand=by_hand), "strong")
    if tried and not own:
        title = said(words_more.ALL_TRIED, "strong")
    listed = (found.verdict, *map(_key, offers), *(o.tried for o in offers))
    same, talk.plan.listed = talk.plan.listed == listed, listed
    if same and own and near(talk, own[0]):
        return [Block("medic", (Line(words.AS_BEFORE), _again(own[0])))]
    if own and near(talk, own[0]):
        first = [Block("more", (_again(own[0]),))]
    else:
        first = [block for offer in own[:1] for block in told(talk, offer)]
    lines = [*_others(words.IF_NOT, own[1:])]
    made = [o for o in offers if o.fix.made and not o.tried]
    others = [o for o in offers if not (o.own or o.tried or o.fix.made)]
    lines += _others(words.AGAINST_OTHERS, others)
    lines += _others(words_more.MADE_ALREADY, made)
    lines += _others(words_more.TRIED_BEFORE, tried)
    if all(o.fix.safe for o in own[:1]) and not all(o.fix.safe for o in offers):
        lines.append(Line(words.UNSAFE_IS, "muted"))
    lines += [] if tried and not own else [Line(words.AFTER_RUN, "muted")]
    return [title, *first, *([Block("more", tuple(lines))] if lines else [])]


def told(talk: Consultation, offer: Offer) -> list[Block]:
    """A remedy in full; that it was told is kept."""
    talk.plan.full[_key(offer)] = talk.blocks
    return remedy(talk.session, offer, told_of(talk.found) if talk.found is not None else ())


def answer(talk: Consultation, offer: Offer) -> list[Block]:
    """A remedy in full, as what is said by itself and not below a verdict."""
    first, *rest = told(talk, offer)
    return [replace(first, who="medic"), *rest]


def near(talk: Consultation, offer: Offer) -> bool:
    """Whether a remedy was told in full not far above, with the numbers it has now."""
    at = talk.plan.full.get(_key(offer))
    return at is not None and talk.blocks - at <= NEAR


def _key(offer: Offer) -> str:
    return f"{offer.fix.remedy.name} {offer.fix.text} {offer.fix.diff}"


def _again(offer: Offer) -> Line:
    """A remedy that was told above, by its title."""
    show = words.SHOW_IT if offer.fix.patch is None else words.SHOW_CHANGE_OF
    where = show.fill(n=offer.number)
    return Line(_marked(offer, offer.title), "strong", f"{offer.number}  ", where=where)


def _decided(session: Session, found: Diagnosis, *, by_hand: bool) -> Text:
    """What is said above the remedies: that no answer would change them only where none would."""
    if found.verdict == "established":
        return words.DECIDED_BY_HAND if by_hand else words.DECIDED
    if not (found.symptoms or session.told.words):  # nothing failed: it is only wrong
        return words.WRONG_HOW
    flips = session.mind()
    return words.BEST_GUESS if flips is None else words.BEST_GUESS_OPEN


def _others(title: Text, offers: Sequence[Offer]) -> list[Line]:
    return [Line(title), *map(titled, offers)] if offers else []


def titled(offer: Offer) -> Line:
    """A remedy by its number and title; of another cause than the leading one, after that."""
    name = offer.title
    if offer.against is not None:
        name = words.FOR_CAUSE.fill(cause=offer.against, title=offer.title)
    where = words.SHOW_IT.fill(n=offer.number)
    return Line(_marked(offer, name), "plain", f"{offer.number}  ", where=where)


def _marked(offer: Offer, name: Text) -> Text:
    """A title with whether the remedy is safe, and whether it was tried."""
    marks = [SAFE if offer.fix.safe else UNSAFE, *([words_more.NO_HELP] if offer.tried else [])]
    title = Text("{title} ({marks})", "{title}（{marks}）")
    return title.fill(title=name, marks=joined(marks, ", ", "，"))


def advice_of(session: Session, found: Diagnosis) -> list[Line]:
    """What should not be done: the first, and that there is more."""
    advice = do_not(session, found.causes[0].name) if found.causes else []
    if len(advice) > 1:
        return [advice[0], Line(words.MORE_ADVICE.fill(n=len(advice) - 1), "muted", indent=2)]
    return advice


def do_not(session: Session, cause: str) -> list[Line]:
    """Advice that harms, each as a line."""
    entry = session.index.causes[cause]
    return [Line(d.say, "warn", "× ") for d in entry.do_not]


def remedy(session: Session, offer: Offer, seen: Collection[tuple[str, str]] = ()) -> list[Block]:
    """One remedy with its numbers: what to do, what it costs, what to type. ``seen``: (name,
    outcome) of findings that stand above."""
    fix, entry = offer.fix, offer.fix.remedy
    lines = [Line(_marked(offer, entry.title), "strong", f"{offer.number}  ")]
    if fix.filled:
        lines.append(Line(fix.text, indent=3))
    for known in (k for k in known_for(session, entry) if (k.name, k.outcome) not in seen):
        told = words_talk.KNOWN_ALREADY.fill(finding=finding(session, known))
        lines.append(Line(told, indent=3, where=place_of(session, known)))
    if not fix.safe:
        lines.append(Line(words.UNSAFE_IS, "warn", indent=3))
    lines += [Line(note, "warn", indent=3) for note in fix.notes]
    if fix.missing:
        lines.append(Line(words.CANNOT_COMPUTE.fill(names=fields(fix.missing)), "accent", indent=3))
        example = words.TYPE_IT.fill(name=fix.missing[0])
        lines.append(Line(example, "muted", indent=3))
    lines.append(Line(words.COSTS.fill(say=entry.costs.say), "muted", indent=3))
    if entry.check:
        lines.append(Line(words.WORKED_IF.fill(check=entry.check), "muted", indent=3))
    if fix.patch is not None:
        first = offer.number == 1 and offer.against is None
        show = words.SHOW_CHANGE if first else words.SHOW_CHANGE_OF.fill(n=offer.number)
        lines.append(Line(show, "accent", indent=3))
    blocks = [Block("more", tuple(lines))]
    shown = (own_command(session, text) for text in (entry.command, entry.snippet))
    blocks += [code(text) for text in shown if text.strip()]
    if entry.procedure:
        blocks += _procedure(session, entry.procedure)
    return blocks


def _procedure(session: Session, name: str) -> list[Block]:
    """The steps in short: each is told in full when it is walked."""
    steps = session.index.procedures[name].steps
    lines = [Line(step.do, "plain", f"{i}) ", 3) for i, step in enumerate(steps, start=1)]
    return [Block("more", (*lines, Line(words_walk.SHOWN_BY.fill(name=name), "accent", indent=3)))]
