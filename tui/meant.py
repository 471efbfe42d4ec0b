"""Plain sentences that ask or claim something of the talk itself: a guess, "it is not that", "what
would change your mind?", what was tried. The words are those of ``knowledge/vocabulary/talk.yaml``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.text.patterns import regex
from medic.text.safetext import one_line

from . import after, guesses, news, turns, words_keep, words_talk
from .lines import Block, Line
from .offers import named

if TYPE_CHECKING:
    from .consultation import Consultation

CLAUSE = regex(r"[,，;；]\s*|\bbut\b")
LONGEST = 160  # characters; what is longer is a description
QUOTED = 60


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
        ("asks-how-sure", turns.how_sure),
        ("asks-why", _why),
        ("asks-what-it-means", turns.means),
        ("asks-in-short", turns.in_short),
        ("asks-for-a-curve", turns.a_curve),
        ("asks-what-i-said", turns.what_i_said),
        ("asks-for-a-report", turns.report),
        ("asks-if-known", turns.known_from),
        ("asks-to-prevent", turns.prevent),
        ("asks-how-it-stands", turns.how_it_stands),
        ("asks-what-else", turns.what_else),
        ("it-worked-before", turns.worked_before),
        ("still-fails", turns.still_fails),
        ("asks-what-to-run", turns.what_to_run),
        ("asks-for-the-log", turns.what_to_paste),
        ("asks-to-apply", _apply),
        ("asks-if-safe", _safe),
        ("asks-what-now", what_now),
        ("gives-up", turns.gives_up),
        ("asks-may-i", _may_i),
        ("works-now", _works),
        ("thanks", _thanks),
        ("closes", _thanks),
        ("greets", turns.greets),
        ("doubts", turns.doubts),
        ("this-cause", _not_it),
        ("denies-a-cause", _not_it),
        ("guess", guesses.guessed),
        ("short-guess", guesses.short),
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


def what_now(talk: Consultation, _words: str) -> bool:
    """The remedies, and the question that is open."""
    from .remedies import closing

    if talk.found is None:
        return False
    if talk.waiting is not None:
        after.go_on(talk)
        return True
    if not talk.found.causes:
        talk.tell(words_talk.NOT_FOUND_OUT)
    else:
        talk.plan.full.clear()
        talk.tell_all(closing(talk, talk.found), top=True)
    talk.ask()
    return True


def _apply(talk: Consultation, _words: str) -> bool:
    """The preview of the change: nothing is written before the key that says so."""
    from .orders import patch

    if _found(talk):
        patch(talk, "")
    return _found(talk)


def _safe(talk: Consultation, _words: str) -> bool:
    """The remedy that comes first, with its risk and its costs."""
    from .remedies import answer

    if not _found(talk) or not talk.offers():
        return False
    talk.tell_all(answer(talk, talk.offers()[0]), top=True)
    after.go_on(talk)
    return True


def _thanks(talk: Consultation, _words: str) -> bool:
    talk.tell(words_talk.WELCOME if talk.session.case.files else words_talk.WELCOME_NO_FILES)
    if talk.found is not None:
        after.go_on(talk)
    return True


def _may_i(talk: Consultation, words: str) -> bool:
    """The remedy that is asked about; else those that there are."""
    from .remedies import advice_of, answer, titled

    if talk.found is None or not talk.found.causes or not talk.offers():
        return False
    asked = named(talk.offers(), words)
    leader = talk.found.causes[0]
    if asked is not None:
        talk.tell_all(answer(talk, asked), top=True)
        return True
    lines = [Line(words_talk.NOT_ADVISED.fill(title=leader.title), "strong")]
    lines += [titled(offer) for offer in talk.offers() if offer.own]
    talk.tell(Block("medic", (*lines, *advice_of(talk.session, talk.found))), top=True)
    return True


def _works(talk: Consultation, _words: str) -> bool:
    """What works now shows in the log of the run that works."""
    from .earlier import fixed
    from .orders import look

    if talk.found is None or not talk.session.case.files:
        return False
    if talk.waiting is None and fixed(talk.session) and not news.any_new(talk):
        talk.tell(words_talk.LOG_SAYS_SO, "good")  # it was told when the log of that run was read
        after.go_on(talk)
        return True
    look(talk, "")
    return True


# --- what was tried -----------------------------------------------------------------------------


def _tried(talk: Consultation, words: str) -> bool:
    """The remedy that is said to have been in vain; where none is named, which it was."""
    from .remedies import titled
    from .tried import mark

    if not _found(talk) or not talk.offers():
        return False
    offer = named(talk.offers(), words)
    if offer is None and talk.waiting is not None:
        return turns.still_fails(talk, words)
    if offer is not None:
        mark(talk, str(offer.number))
        return True
    rows = [titled(one) for one in talk.offers() if not one.tried]
    talk.tell(Block("medic", (Line(words_talk.WHICH_TRIED, "strong"), *rows)), top=True)
    return True


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
