"""What is wrong with a signature or a saying: for authors of knowledge."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from medic.entries import Signature
from medic.errors import KnowledgeError
from medic.index.knowledge import Index
from medic.match.anchors import PLAIN_LOG
from medic.match.landmarks import LANDMARKS
from medic.match.marks import Watched
from medic.match.sayings import sayings_of
from medic.match.scan import Matcher
from medic.match.turns import turns_of
from medic.match.usual import is_usual
from medic.match.words import normal, terms_of
from medic.records import replace
from medic.text.patterns import regex

# A literal of at least this many bytes lets RE2 skip most lines at once.
LITERAL = 4
_NO_LITERAL = regex(r"\\[dDwWsSbBAzpP]|\[\^?\]?[^\]]*\]|\(\?P?<\w+>|\(\?[a-zA-Z:]+|[.^$*+?{}()|]")


def signature_faults(own: Watched) -> Iterator[str]:
    """Why a signature is no good: its pattern, the lines it must match and must not."""
    signature = own.signature
    matcher = _alone(own._replace(signature=replace(signature, at_least=1)))
    if max(map(len, literals(signature.pattern)), default=0) < LITERAL:
        yield f"{signature.id}: no literal of {LITERAL} bytes"
    if signature.unless and not signature.shared:
        yield f"{signature.id}: only a shared one has what it is doubted unless"
    if not signature.match or not signature.no_match:
        yield f"{signature.id}: needs a line that it matches and one that it does not"
    try:
        if signature.unless:
            yield from _parting_faults(matcher, signature)
        for line in signature.match:
            found = [h for h in matcher.scan_text(line).hits if h.signature == signature.id]
            if not found:
                yield f"{signature.id} misses {line!r}"
            elif found[0].benign:
                yield f"{signature.id} calls {line!r} {found[0].benign}"
        for line in signature.no_match:
            found = [h for h in matcher.scan_text(line).hits if h.signature == signature.id]
            if not all(h.benign for h in found):
                yield f"{signature.id} takes {line!r}"
    except KnowledgeError as problem:
        yield problem.en


def _alone(own: Watched) -> Matcher:
    """Looks for one signature: whether the sieve of all lets its lines pass is another question,
    and to find literals of the landmarks again for each takes most of the time."""
    number = len(LANDMARKS)
    alone = {"whole": [number], "groups": (), "further": {}}
    return Matcher([own], sieve=alone, only=frozenset({number}))


def _parting_faults(matcher: Matcher, signature: Signature) -> Iterator[str]:
    """What ``unless`` finds in a line itself, or in any log, parts the line from no other's."""

    def doubted(text: str) -> bool:
        return all(h.shared for h in matcher.scan_text(text).hits if h.signature == signature.id)

    line = next(filter(doubted, signature.match), None)
    if line is None:
        yield f"{signature.id}: 'unless' finds words in each line that it matches"
    elif not doubted(PLAIN_LOG + line):
        yield f"{signature.id}: 'unless' finds words of any training log"


def literals(pattern: str) -> list[str]:
    """Runs of a pattern that stand for themselves."""
    bare = _NO_LITERAL.sub("\0", pattern)
    return re.sub(r"\\(.)", r"\1", bare).split("\0")


def saying_faults(index: Index) -> Iterator[tuple[str, str]]:
    """(name, fault) of sayings that RE2 would not take, or that miss their own examples."""
    say = sayings_of(index)
    for subject in index.raw["vocabulary"].values():
        for name, one in subject["sayings"].items():
            bad = [
                *filter(None, map(_unsafe, (*one.get("patterns", ()), *one.get("denied_by", ()))))
            ]
            yield from ((name, fault) for fault in bad)
            if bad:
                continue
            for text in one["match"]:
                if not say.says(name, text):
                    yield name, f"misses {text!r}"
            for text in one.get("no_match", ()):
                if say.says(name, text):
                    yield name, f"takes {text!r}"
            if not (one["match"] and one.get("no_match")):
                yield name, "needs a text that says it and one that does not"


def called_faults(index: Index) -> Iterator[tuple[str, str]]:
    """(symptom, fault) of names by which it is denied."""
    for name, raw in index.raw["symptoms"].items():
        yield from ((name, fault) for fault in map(_unsafe, raw.get("called", ())) if fault)


def usual_faults(index: Index) -> Iterator[tuple[str, str]]:
    """(name, fault) of what is called usual and misses its own examples."""
    say = sayings_of(index)
    for name, one in index.raw["usual"].items():
        yield from ((name, f"misses {t!r}") for t in one["match"] if not is_usual(one, t, say))
        yield from ((name, f"takes {t!r}") for t in one["no_match"] if is_usual(one, t, say))


def _unsafe(pattern: str) -> str:
    """Why a pattern could run for long: RE2 has nothing that does."""
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(pattern, options)
    except re2.error as problem:
        return f"{pattern!r} is no RE2 pattern: {problem}"
    return ""


def phrase_faults(index: Index) -> Iterator[tuple[str, str]]:
    """Checks of which two outcomes have phrases that are one to the comparison: a sentence near to
    them would be told as either."""
    for name, check in index.raw["checks"].items():
        said: dict[tuple[frozenset[str], frozenset[str]], dict[str, str]] = {}
        for outcome, entry in check["outcomes"].items():
            for phrase in chain.from_iterable(entry.get("phrases", {}).values()):
                read = frozenset(terms_of(phrase)), turns_of(normal(phrase))
                said.setdefault(read, {}).setdefault(outcome, phrase)
        for those in said.values():
            if len(those) > 1:
                told = ", ".join(f"{phrase!r} ({outcome})" for outcome, phrase in those.items())
                yield name, f"these phrases read the same: {told}"
