"""What the user said, as medic took it: shown, corrected, changed, and the walk worked out anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from medic.i18n import Text, plain
from medic.text.safetext import one_line
from medic.told.stated import shown

from . import held, words, words_keep, words_talk
from .events import Asked, Choices
from .lines import Block, Line, asking, joined
from .run_values import overruled
from .telling import numbered

if TYPE_CHECKING:
    from medic.session.consultation import Session

    from .consultation import Consultation

QUOTED = 48


class Saying(NamedTuple):
    """One thing the user said. ``answer``: it can be asked again; else it was read from words.
    ``value``: it is a value of the run, and ``name`` its field."""

    name: str
    text: Text
    quote: str
    answer: bool
    value: bool = False
    kind: Literal["", "ruled", "held"] = ""  # a cause ruled out; a sentence that does not count

    @property
    def key(self) -> str:
        """Tells it from others: a value that is given anew is another saying."""
        return str(self.text.en) if self.value else f"{self.kind}{self.name}"


def sayings(session: Session) -> list[Saying]:
    """All of it, by kinds."""
    index, told = session.index, session.told
    found = [Saying(n, answered(session, n, o), "", True) for n, o in session.answers]
    found += [Saying(n, answered(session, n, ""), "", True) for n in session.unknown]
    found += [
        Saying(n, shown(n, value), session.quotes.get(n, ""), False, True)
        for n, value in session.case.given.items()
    ]
    found += [Saying(n, index.title(n), words_, False) for n, words_ in told.chosen.items()]
    for name, quote in told.denials.items():
        found.append(Saying(name, answered(session, name, "absent"), quote, False))
    for name, quote in told.ruled.items():
        text = words_talk.NOT_THIS.fill(title=index.title(name))
        found.append(Saying(name, text, quote, False, kind="ruled"))
    found += [Saying(w, words_talk.HELD, w, False, kind="held") for w in told.held]
    if told.at_ease:
        return found
    for name, read in told.reported.items():
        if name not in told.chosen:
            found.append(Saying(name, index.title(name), read.quote, False))
    for name, read in told.answered.items():
        if name not in dict(session.answers):
            found.append(Saying(name, answered(session, name, read.outcome), read.quote, False))
    return found


def by_number(talk: Consultation) -> dict[int, Saying]:
    """All of it by the numbers of /change. What was said keeps its number, whatever is said or
    taken out after it: the numbers that the talk shows go on holding. One that is free is given to
    what is said next."""
    every = {saying.key: saying for saying in sayings(talk.session)}
    talk.numbers = [key if key in every else "" for key in talk.numbers]
    for key in every:
        if key in talk.numbers:
            continue
        if "" in talk.numbers:
            talk.numbers[talk.numbers.index("")] = key
        else:
            talk.numbers.append(key)
    return {n: every[key] for n, key in enumerate(talk.numbers, start=1) if key}


def value_keys(session: Session) -> set[str]:
    """The keys of the values that the user gave."""
    return {saying.key for saying in sayings(session) if saying.value}


def answered(session: Session, name: str, outcome: str) -> Text:
    """A question with the answer to it."""
    check = session.index.checks.get(name)
    if not outcome:
        answer = words.DONT_KNOW
    elif check is not None:
        # What stands for "not known" is only answered where it is none of the others.
        known = check.outcomes[outcome]
        answer = words.NONE_OF_THESE if known.unknown else known.title
    else:
        answer = Text("yes", "是") if outcome == "present" else Text("no", "否")
    return joined([session.index.title(name), answer], ": ", "：")


def understood(talk: Consultation, known: set[str]) -> tuple[Block | None, set[str]]:
    """The readings of the user's words that were not told yet, and all that are known then."""
    session = talk.session
    read = {s.key: (n, s) for n, s in by_number(talk).items() if not s.answer}
    fresh = [(n, s) for key, (n, s) in read.items() if key not in known]
    fresh = [(n, s) for n, s in fresh if s.name not in session.told.chosen and not s.kind]
    fresh = [(n, s) for n, s in fresh if not s.value or s.quote]  # --set is no word of the talk
    if not fresh:
        return None, set(read)
    lines = [Line(words_keep.UNDERSTOOD, "strong", aside=words_keep.CORRECT)]
    for number, saying in fresh:
        lines.append(_line(number, saying))
        other = (
            overruled(session, saying.name, session.case.given[saying.name])
            if saying.value
            else None
        )
        if other is not None:
            lines.append(Line(other, "muted", indent=5))
    return Block("medic", tuple(lines)), set(read)


def _line(number: int, saying: Saying) -> Line:
    quote = " ".join(saying.quote.split())
    said = words_keep.QUOTE.fill(words=one_line(quote, QUOTED)) if quote else None
    return Line(saying.text, mark=f"{number}  ", indent=1, where=said)


def change(talk: Consultation, argument: str) -> None:
    """/change: lists what was said; with a number asks again, or takes a reading out."""
    every = by_number(talk)
    number = argument.strip()
    chosen = every.get(int(number)) if number.isdecimal() and len(number) < 6 else None
    if not every:
        talk.tell(words_keep.NOTHING_SAID)
    elif not number:
        talk.numbers = [key for key in talk.numbers if key]  # a list is counted from 1
        every = by_number(talk)
        lines = [Line(words_keep.SAID_SO_FAR, "strong")]
        lines += [_line(n, s) for n, s in every.items()]
        talk.tell(Block("medic", (*lines, Line(words_keep.CHANGE_HOW, "muted"))), top=True)
    elif chosen is None:
        talk.tell(words_keep.NO_SUCH_SAYING.fill(numbers=joined([plain(str(n)) for n in every])))
    elif chosen.answer:
        _ask_again(talk, chosen)
    elif chosen.kind == "held":
        held.ask_again(talk, chosen.quote)
    else:
        _take_out(talk, chosen)


def _ask_again(talk: Consultation, saying: Saying) -> None:
    """The question once more, with the answer that was given."""
    from medic.planner.questions import choices

    index = talk.session.index
    check = index.checks.get(saying.name)
    ask = check.ask if check else index.symptoms[saying.name].ask
    options = (*choices(check, set()), ("", words.DONT_KNOW))
    say = ask.say if ask else index.title(saying.name)
    said = dict(talk.session.answers).get(saying.name, "")
    given = words_keep.BEFORE_IT_WAS.fill(answer=dict(options).get(said, saying.text))
    block = asking((Line(say, "strong"),), numbered(options), (Line(given, "muted"),))
    talk.tell(block, top=True)
    talk.emit(Asked(Choices("answer", saying.name, options, ask.how if ask else None)))


def _take_out(talk: Consultation, saying: Saying) -> None:
    from medic.session.said import said, unstate

    session = talk.session
    before = said(session)
    talk.remember(joined([plain("/change"), saying.text], " ", " "), before)
    talk.tell(words_keep.TAKEN_OUT.fill(what=saying.text))
    if saying.value:
        unstate(session, saying.name)
        look_again(talk)
        return
    if saying.kind == "ruled":
        session.told.ruled.pop(saying.name, None)
    else:
        session.told.answered.pop(saying.name, None)
        session.told.drop(saying.quote)  # what it reads like goes with it
        session.withdraw(saying.name)
    session.refresh()
    talk.retell()


def look_again(talk: Consultation) -> None:
    """Looks with the values that are given now; while the run after a change is awaited, later:
    the log that is there is of the run before it."""
    if talk.waiting is not None or talk.stale:
        talk.tell_understood()
        talk.tell(words_keep.TAKEN_LATER, "muted")
        talk.keep()
        return
    talk.look(whole=False)
