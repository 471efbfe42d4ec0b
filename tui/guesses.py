"""Guesses: what a sentence proposes as the cause is compared, and is no evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.i18n import Text
from medic.report.words import CHANCE
from medic.text.patterns import regex

from . import after, words, words_talk
from .lines import Block, Line
from .named import causes_of, ranked
from .offers import first_step, named
from .seen import LONG, finding, place_of

if TYPE_CHECKING:
    from medic.session.consultation import Session
    from medic.session.diagnosis import EvidenceLine

    from .consultation import Consultation

SHOWN = 3  # findings for a guess and against it; causes of a kind
AGAINST = ("against", "strongly-against", "rules-out")
TELLS = ("confirms", "strong", "rules-out", "strongly-against")  # what tells most first
SPEAK = ("confirms", "strong")
SHARED = 2  # words that a question and a remedy have in common: it is about that remedy
HOW = regex(r"(?i)\b(?:how|where|which)\b|怎么|怎样|如何|哪")
ASKS = regex(
    r"(?i)^\W*(?:and |but |so |ok,? )*(?:what|which|why|when|where|who|how|is|are|was|were|do|does|did|"
    r"can|could|will|would|should)\b|[吗呢么]$|什么|为什么|怎么|哪|多少|是不是|能不能|会不会|要不要|有没有|几"
)
VOUCHES = "vouches"  # the saying that something is well


def guessed(talk: Consultation, words: str) -> bool:
    """What speaks for the cause that is proposed, and against it; of a kind of cause, or where many
    have the name, the nearest. False where there is nothing yet to hold it against, or where the
    words tell what was seen."""
    if not _begun(talk):
        return False
    return short(talk, words) or _hedged(talk, words) or _unknown(talk, words)


def short(talk: Consultation, words: str) -> bool:
    """The same for a few words that need be no guess: they are one where they name a cause."""
    if not _begun(talk):
        return False
    kind, named = family_of(talk, words), _bare(talk, words)
    causes = kind or causes_of(talk.session, named)
    leads = talk.found.causes[0].name if talk.found and talk.found.causes else ""
    if leads in causes:
        _compare(talk, leads)
    elif len(causes) > 1 and (kind or _many(named)):
        told_of_family(talk, causes)
    elif causes:
        _compare(talk, causes[0])
    return bool(causes)


def _hedged(talk: Consultation, words: str) -> bool:
    """A finding that is only guessed: the cause that it would speak for, without the finding."""
    causes = _answered(talk.session, words)
    if causes:
        _compare(talk, causes[0])
    return bool(causes)


def _begun(talk: Consultation) -> bool:
    """With nothing read or told a guess is all there is, and is taken as a description."""
    session = talk.session
    return talk.found is not None and bool(session.observed_symptoms() or session.complaints)


def _bare(talk: Consultation, words: str) -> str:
    """A sentence without the words that make it a guess."""
    from medic.match import sayings_of

    bare = sayings_of(talk.session.index).without(["guess-words"], words)
    return bare.strip(" ,.:;，。：；!?！？")


def _many(named: str) -> bool:
    """Whether a guess is one word: where several causes have it, none of them is meant."""
    from medic.match.words import terms_of

    return len(set(terms_of(named))) == 1


def _answered(session: Session, words: str) -> list[str]:
    """Causes that what the words answer would speak for: it is only guessed that it is so."""
    from medic.match import answers

    links = session.model.links
    told = [
        links.get(check, {}).get(outcome, {}) for check, outcome, _ in answers(words, session.index)
    ]
    return ranked(session, {c for one in told for c, weight in one.items() if weight in SPEAK})


def _unknown(talk: Consultation, words: str) -> bool:
    """Says that no cause is meant; False where the words tell of a symptom, or are near to one."""
    from medic.match import complaints

    from .answers import NEAR_ENOUGH

    session = talk.session
    near = any(score >= NEAR_ENOUGH for _, score in session.suggest(words))
    leads = talk.found.causes[:1] if talk.found else ()
    if near or not leads or complaints(words, session.index):
        return False
    word = CHANCE[leads[0].word]
    told = words_talk.A_GUESS_UNKNOWN.fill(title=leads[0].title, code=leads[0].code, word=word)
    talk.tell(told)
    after.go_on(talk)
    return True


def _compare(talk: Consultation, name: str) -> None:
    """What speaks for one cause and against it."""
    from medic.session.against import of_files
    from medic.session.diagnosis import evidence_for

    session = talk.session
    cause = session.index.causes[name]
    title = words_talk.A_GUESS.fill(title=cause.title, code=cause.code, word=_word(talk, name))
    found = evidence_for(session.index, cause, of_files(session))
    against = [line for line in reversed(found) if line.weight in AGAINST][:SHOWN]
    speaks = [line for line in found if line.weight not in AGAINST][:SHOWN]
    lines = [Line(title, "strong")]
    lines += [_spoken(talk, words_talk.SPEAKS_AGAINST, "- ", line) for line in against]
    lines += [_spoken(talk, words_talk.SPEAKS_FOR, "+ ", line) for line in speaks]
    if len(lines) == 1:
        lines.append(Line(words_talk.NOTHING_OF_IT, indent=2))
    leads = talk.found.causes[0] if talk.found and talk.found.causes else None
    if leads is not None and leads.name == name:
        lines.append(Line(words_talk.IT_LEADS, indent=2))
    elif leads is not None:
        both = words_talk.COMPARE_IT.fill(first=leads.code, code=cause.code)
        lines.append(Line(both, "muted", indent=2))
    talk.tell(Block("medic", tuple(lines)), top=True)
    after.go_on(talk)


def _spoken(talk: Consultation, pattern: Text, mark: str, line: EvidenceLine) -> Line:
    text = pattern.fill(finding=finding(talk.session, line, LONG))
    return Line(text, mark=mark, indent=2, where=place_of(talk.session, line))


def vouched(talk: Consultation, words: str) -> bool:
    """Whether the words say that something is well, which is noted: by itself that rules no cause
    out; those of its kind are named."""
    from medic.match import sayings_of

    index = talk.session.index
    if talk.found is None or VOUCHES not in index.sayings:
        return False
    if not sayings_of(index).says(VOUCHES, words):
        return False
    causes = family_of(talk, words)
    rows = [_row(talk, name) for name in causes[:SHOWN]]
    title = words_talk.VOUCHED if rows else words_talk.VOUCHED_ONLY
    talk.tell(Block("medic", (Line(title), *rows)))
    after.go_on(talk)
    return True


def nothing_near(talk: Consultation, text: str) -> None:
    """That no symptom is meant; of a question, where what it names is explained."""
    from medic.explain import named_in
    from medic.match import asks_usage

    index, usage = talk.session.index, asks_usage(text)
    asks = usage or HOW.search(text) is not None or text.rstrip().endswith(("?", "？"))
    if asks and _of_a_remedy(talk, text):
        return
    if talk.found is not None and talk.found.causes:
        what_is_known(talk, text, asks=bool(asks or ASKS.search(text)))
        return
    lines = [Line(words.ASKS_USAGE if usage else words.NO_SYMPTOM)]
    for name in [m.name for m in named_in(text, index)][:1] if asks else ():
        term = index.raw["terms"][name]
        explained = words.EXPLAINS.fill(name=term["says"][0], title=Text(**term["title"]))
        lines.append(Line(explained, mark="-> "))
    talk.tell(Block("medic", tuple(lines)))
    after.go_on(talk)


def what_is_known(talk: Consultation, text: str, *, asks: bool = True) -> None:
    """A question that medic has no answer to, or words that name no symptom: the findings that a
    question names, the cause, what to do."""
    from medic.explain import named_in
    from medic.match import asks_usage

    session, found = talk.session, talk.found
    leads = found.causes[0] if found is not None else None
    if leads is None:
        return
    seen = _named_findings(talk, text) if asks else []
    title = words.ASKS_USAGE if asks_usage(text) else words_talk.NO_ANSWER
    title = words_talk.OF_THE_EVIDENCE if seen else title
    lines = [Line(title if asks else words.NO_SYMPTOM)]
    for line in seen:
        where = place_of(session, line)
        lines.append(Line(finding(session, line, LONG), mark="· ", indent=2, where=where))
    for name in [m.name for m in named_in(text, session.index)][:1] if asks else ():
        term = session.index.raw["terms"][name]
        told = words.EXPLAINS.fill(name=term["says"][0], title=Text(**term["title"]))
        lines.append(Line(told, mark="-> ", indent=2))
    word = CHANCE[leads.word]
    lines.append(Line(words_talk.KNOWN_IS.fill(title=leads.title, code=leads.code, word=word)))
    if talk.waiting is None and talk.offers():
        lines.append(Line(first_step(talk), indent=2))
    talk.tell(Block("medic", (*lines, Line(words_talk.TO_ASK, "muted"))), top=True)
    after.go_on(talk)


def _named_findings(talk: Consultation, text: str) -> list[EvidenceLine]:
    """What was seen that shares words with a question, what shares most first."""
    from medic.match.words import terms_of

    found, asked = talk.found, set(terms_of(text))
    if found is None:
        return []
    every = [e for cause in (*found.causes[:1], *found.also_wrong) for e in cause.evidence]
    every += [*found.unexplained, *found.notes]
    told = [(line, finding(talk.session, line, LONG)) for line in every]
    shared = [(len(asked & set(terms_of(f"{t.en}\n{t.zh}"))), line) for line, t in told]
    best = sorted((one for one in shared if one[0]), key=lambda one: -one[0])
    return [line for _, line in best[:SHOWN]]


def _of_a_remedy(talk: Consultation, text: str) -> bool:
    """Tells the remedy on offer that a question is about: how to find, or do, what it names."""
    from .remedies import answer

    offers = talk.offers() if talk.found is not None and talk.found.causes else []
    offer = named(offers, text, SHARED, told=True)
    if offer is not None:
        talk.tell_all(answer(talk, offer), top=True)
        after.go_on(talk)
    return offer is not None


# --- kinds of causes ------------------------------------------------------------------------------


def family_of(talk: Consultation, words: str) -> list[str]:
    """The causes of the kind that a guess names, the likeliest now first; none where it names no
    kind. Of two kinds the first of the vocabulary is meant: "network storage" is storage."""
    from medic.match import sayings_of

    index = talk.session.index
    say = sayings_of(index)
    kinds = ((name, one["causes"]) for name, one in index.sayings.items() if one.get("causes"))
    causes = next((meant for name, meant in kinds if say.says(name, words)), ())
    return ranked(talk.session, (c for c in causes if c in index.causes))


def told_of_family(talk: Consultation, causes: list[str]) -> None:
    """Tells of each how likely it is now, and what would tell; then asks again."""
    lines = [Line(words_talk.A_GUESS_OF_FAMILY, "strong")]
    for name in causes[:SHOWN]:
        lines.append(_row(talk, name))
        look = _look(talk, name)
        if look is not None:
            lines.append(Line(words_talk.WOULD_TELL.fill(look=look), "muted", indent=4))
    talk.tell(Block("medic", tuple(lines)), top=True)
    after.go_on(talk)


def _row(talk: Consultation, name: str) -> Line:
    """A cause and how likely it is now."""
    cause = talk.session.index.causes[name]
    text = words_talk.OF_FAMILY.fill(title=cause.title, code=cause.code, word=_word(talk, name))
    return Line(text, mark="- ", indent=2)


def _word(talk: Consultation, name: str) -> Text:
    """How likely a cause is now, in a word."""
    if talk.found is not None and any(c.name == name for c in talk.found.ruled_out):
        return CHANCE["ruled-out"]
    session = talk.session
    return CHANCE[session.model.beliefs(session.seen, frozenset(session.tried)).word(name)]


def _look(talk: Consultation, name: str) -> Text | None:
    """The question, not answered yet, that tells most about a cause; None: none tells much."""
    session = talk.session
    asked = {look.name for look in session.open_looks()}
    links = session.index.ties.causes[name].links
    for check, _, _ in sorted((n for n in links if n[2] in TELLS), key=lambda n: TELLS.index(n[2])):
        entry = session.index.checks.get(check)
        if check in asked and entry is not None and entry.ask is not None:
            return entry.ask.say
    return None
