"""Plain sentences that ask or claim something of the talk itself: a guess, "it is not that", "what
would change your mind?", what was tried. The words are those of ``knowledge/vocabulary/talk.yaml``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.report.words import CHANCE
from medic.text.patterns import regex
from medic.text.safetext import one_line

from . import words_keep, words_talk
from .lines import Block, Line
from .seen import LONG, finding, place_of

if TYPE_CHECKING:
    from medic.i18n import Text
    from medic.session.diagnosis import EvidenceLine

    from .consultation import Consultation
    from .offers import Offer

CLAUSE = regex(r"[,，;；]\s*|\bbut\b")
LONGEST = 160  # characters; what is longer is a description
QUOTED = 60
SHOWN = 3  # findings for a guess, and against it
AGAINST = ("against", "strongly-against", "rules-out")


def taken(talk: Consultation, text: str) -> bool:
    """Does what a sentence asks for or claims of the talk; False where it describes a run."""
    from medic.match import sayings_of

    words = text.strip()
    if "\n" in words or len(words) > LONGEST:
        return False
    index = talk.session.index
    say = sayings_of(index)
    ways = (
        ("tried-in-vain", _tried),
        ("asks-change-of-mind", _why),
        ("asks-why", _why),
        ("asks-what-now", _what_now),
        ("asks-may-i", _may_i),
        ("works-now", _works),
        ("this-cause", _not_it),
        ("denies-a-cause", _not_it),
        ("guess", _guessed),
        ("short-guess", _guessed_family),
        ("correction", _corrected),
    )
    known = [(name, way) for name, way in ways if name in index.sayings]
    return any(say.says(name, words) and way(talk, words) for name, way in known)


def _found(talk: Consultation) -> bool:
    return talk.found is not None and bool(talk.found.causes)


# --- what is asked for --------------------------------------------------------------------------


def _why(talk: Consultation, _words: str) -> bool:
    from .orders import why

    if _found(talk):
        why(talk, "")
    return _found(talk)


def _what_now(talk: Consultation, _words: str) -> bool:
    """The remedies, and the question that is open."""
    from .remedies import closing

    if talk.found is None:
        return False
    if not talk.found.causes:
        talk.tell(words_talk.NOT_FOUND_OUT)
    else:
        talk.tell_all(closing(talk.session, talk.found, talk.offers()), top=True)
    talk.ask()
    return True


def _may_i(talk: Consultation, words: str) -> bool:
    """The remedy that is asked about; else those that there are."""
    from .remedies import advice_of, remedy, titled

    if talk.found is None or not talk.found.causes or not talk.offers():
        return False
    asked = _offered(talk, words)
    leader = talk.found.causes[0]
    if asked is not None:
        talk.tell_all(remedy(talk.session, asked), top=True)
        return True
    lines = [Line(words_talk.NOT_ADVISED.fill(title=leader.title), "strong")]
    lines += [titled(offer) for offer in talk.offers() if offer.own]
    talk.tell(Block("medic", (*lines, *advice_of(talk.session, talk.found))), top=True)
    return True


def _works(talk: Consultation, _words: str) -> bool:
    """What works now shows in the log of the run that works."""
    from .orders import look

    if talk.found is None or not talk.session.case.files:
        return False
    look(talk, "")
    return True


# --- what was tried -----------------------------------------------------------------------------


def _tried(talk: Consultation, words: str) -> bool:
    """The remedy that is said to have been in vain; where none is named, which it was."""
    from .orders import tried
    from .remedies import titled

    if not _found(talk) or not talk.offers():
        return False
    offer = _offered(talk, words)
    if offer is not None:
        tried(talk, str(offer.number))
        return True
    rows = [titled(one) for one in talk.offers() if not one.tried]
    talk.tell(Block("medic", (Line(words_talk.WHICH_TRIED, "strong"), *rows)), top=True)
    return True


def _offered(talk: Consultation, words: str) -> Offer | None:
    """The remedy on offer that a sentence names: the one with most of its words."""
    from medic.match.words import terms_of

    said = set(terms_of(words))
    best, most = None, 0
    for offer in talk.offers():
        entry = offer.fix.remedy
        named = f"{entry.name.replace('-', ' ')}\n{entry.title.en}\n{entry.title.zh}"
        same = len(said & set(terms_of(named)))
        if same > most:
            best, most = offer, same
    return best


# --- causes that are named ----------------------------------------------------------------------


def _bare(talk: Consultation, saying: str, words: str) -> str:
    """A sentence without the words that make it a guess, a denial or a correction."""
    from medic.match import sayings_of

    return sayings_of(talk.session.index).without([saying], words).strip(" ,.:;，。：；!?！？")


def _not_it(talk: Consultation, words: str) -> bool:
    """A cause that is denied is ruled out as the person's word."""
    from medic.match import sayings_of

    from .named import cause_of
    from .rulings import by_hand

    if talk.found is None or not talk.found.causes:
        return False
    session = talk.session
    if sayings_of(session.index).says("this-cause", words):
        cause = talk.found.causes[0].name
    else:
        named = _bare(talk, "guess-words", _bare(talk, "denies-a-cause", words))
        cause = cause_of(session, named) or ""
        shown = session.observed_symptoms() | set(session.complaints)
        if not cause or not shown & {one.symptom for one in session.index.causes[cause].shows}:
            return False  # what is denied may be a symptom, or no cause of this
    by_hand(talk, cause, words)
    return True


def _guessed(talk: Consultation, words: str) -> bool:
    """A guess proposes a cause: what speaks for it and against it; it is no evidence."""
    from medic.session.against import of_files
    from medic.session.diagnosis import evidence_for

    from .named import cause_of

    session = talk.session
    if talk.found is None or not session.observed_symptoms():
        return False  # with nothing read it is all there is, and is taken as a description
    if _guessed_family(talk, words):
        return True
    name = cause_of(session, _bare(talk, "guess-words", words))
    if name is None:
        return False
    cause = session.index.causes[name]
    chance = session.model.beliefs(session.seen, frozenset(session.tried)).word(name)
    title = words_talk.A_GUESS.fill(title=cause.title, code=cause.code, word=CHANCE[chance])
    found = evidence_for(session.index, cause, of_files(session))
    against = [line for line in reversed(found) if line.weight in AGAINST][:SHOWN]
    speaks = [line for line in found if line.weight not in AGAINST][:SHOWN]
    lines = [Line(title, "strong")]
    lines += [_spoken(talk, words_talk.SPEAKS_AGAINST, "- ", line) for line in against]
    lines += [_spoken(talk, words_talk.SPEAKS_FOR, "+ ", line) for line in speaks]
    if len(lines) == 1:
        lines.append(Line(words_talk.NOTHING_OF_IT, indent=2))
    leads = talk.found.causes[0] if talk.found.causes else None
    if leads is not None and leads.name == name:
        lines.append(Line(words_talk.IT_LEADS, indent=2))
    elif leads is not None:
        both = words_talk.COMPARE_IT.fill(first=leads.code, code=cause.code)
        lines.append(Line(both, "muted", indent=2))
    talk.tell(Block("medic", tuple(lines)), top=True)
    talk.ask()
    return True


def _guessed_family(talk: Consultation, words: str) -> bool:
    """A guess at the network, the card, the data: the causes of that kind."""
    from .families import family_of, told_of_family

    if talk.found is None or not talk.session.observed_symptoms():
        return False
    causes = family_of(talk, words)
    if causes:
        told_of_family(talk, causes)
    return bool(causes)


def _spoken(talk: Consultation, pattern: Text, mark: str, line: EvidenceLine) -> Line:
    text = pattern.fill(finding=finding(talk.session, line, LONG))
    return Line(text, mark=mark, indent=2, where=place_of(talk.session, line))


# --- corrections --------------------------------------------------------------------------------


def _corrected(talk: Consultation, words: str) -> bool:
    """What a correction says takes the place of the last sentence, and of the answers to the
    questions that it answers otherwise."""
    from medic.match import answers, complaints
    from medic.session.said import said

    from .answers import describe

    session, told = talk.session, talk.session.told
    rest = _asserted(talk, _bare(talk, "correction", words))
    outcomes = {check: outcome for check, outcome, _ in answers(rest, session.index)}
    anew = [n for n, old in session.answers if outcomes.get(n, old) != old]
    last = next(iter(told.words.splitlines()[-1:]), "")
    if not (anew or last or told.held):
        return False
    if not (told.held or outcomes or complaints(rest, session.index)):
        return False
    before = said(session)
    if told.held:
        quote = one_line(told.held.pop(), QUOTED)
        talk.tell(words_talk.FORGOTTEN.fill(words=quote), "muted")
        last = ""
    for name in anew:
        while session.take_back(name) is not None:
            pass
        session.answer(name, outcomes[name])
    if last and len(last) <= LONGEST:
        told.unsay(last)
    session.refresh()
    talk.remember(words_keep.QUOTE.fill(words=one_line(words, QUOTED)), before)
    if outcomes or complaints(rest, session.index):
        describe(talk, rest)
    else:
        talk.retell()
    return True


def _asserted(talk: Consultation, text: str) -> str:
    """A sentence without its clauses that only deny what was said before."""
    from medic.match import sayings_of

    say = sayings_of(talk.session.index)
    clauses = CLAUSE.split(text)
    return ", ".join(c.strip() for c in clauses if not say.says("denying-clause", c.strip()))
