"""Values of a run inside words: they are told, and no line of a log."""

from __future__ import annotations

import re

from medic.text.patterns import regex

_JOINING_WORDS = """
the a an is are was were my i I we it its with and but when while after of to on this that not then
have has for from
"""
JOINING = frozenset(_JOINING_WORDS.split())  # of these a log has few
PLAIN_SHARE, PLAIN_WORDS = 0.6, 6  # of the words of a line that a person wrote: letters alone
# A line of a log begins with its step, or parts its columns.
_BEGINS_AS_LOG = regex(
    r"(?i)\s*\W*(?:(?:global_?)?step|iter(?:ation)?|epoch)s?\b[ :=#(]*\d|.*[|{}\t]"
)
_PLAIN = regex(r"[(\"']?[A-Za-z][A-Za-z'-]*[,.;:!?)\"']*")
# Of these words a line that a program prints has none.
_CONTRAST = frozenset(
    ["but", "while", "although", "though", "yet", "since", "even", "yesterday", "today", "suddenly"]
)

# How a person holds a run against another one.
_COMPARED = regex(
    r"(?i)\b(?:half|twice|third|times) (?:as|the) \w+|\bas \w+ as\b|\blast (?:week|month|night|year|time)\b|"
    r"\bthan (?:before|usual|expected|it (?:was|used)|the last|last|my|our|yesterday)\b"
)

# What a sound run prints: a value and no more.
_SPEED = regex(
    r"\b(?:throughput|tok(?:en)?s?/s\w*|tokens? per second|slow\w*|speed|mfu|step time|it/s|samples?/s\w*)\b|"
    r"吞吐|变慢|很慢|太慢|速度|利用率",
    re.I,
)
_CLAUSE = regex(
    r"\s*(?:[,;，；。、\n]|\b(?:but|yet|however|though|although)\b|但是?|可是?|不过)\s*", re.I
)
_METRIC = r"(?:(?:train(?:ing)? )?loss|grad(?:ient)?[ _]?norm|训练损失|损失|梯度(?:范数|norm))"
_HEALTHY = regex(
    rf"(?:\b{_METRIC}|(?<=[\u4e00-\u9fff]){_METRIC}) ?(?:[=:：]|is|at|around|about|是|为|在|大概|约)? ?"
    r"(?P<value>\d+\.?\d*)(?![\w.%])(?:\s|,|and\b|both\b|are\b|is\b|和|都?正常|fine\b|ok\b|normal\b|都)*",
    re.I,
)
# Values that stand right before a word of speed are a clause of their own.
_THEN_SPEED = regex(
    rf"{_METRIC} ?[=:：]? ?\d+\.?\d*(?=\s(?:throughput|mfu|tok|speed|step time|吞吐|速度))", re.I
)
LEAST, MOST = 0.05, 8.0  # of a loss, and of a gradient norm, that nobody complains of


def tells_a_value(line: str) -> bool:
    """Whether a line with a loss or a step is words for the most part, and they complain."""
    words = line.split()
    plain = sum(_PLAIN.fullmatch(word) is not None for word in words)
    if plain < max(PLAIN_WORDS, PLAIN_SHARE * len(words)) or _BEGINS_AS_LOG.match(line):
        return False
    from medic.match.tone import complains

    compares = _COMPARED.search(line) is not None or not _CONTRAST.isdisjoint(words)
    return compares or complains(line)


def without_healthy(text: str) -> str:
    """A text that complains of speed, without its clauses of a sound loss or gradient norm."""
    if not _SPEED.search(text):
        return text
    kept, at = [], 0
    text = _THEN_SPEED.sub(r"\g<0>, ", text)
    for hit in [*_CLAUSE.finditer(text), None]:
        end = hit.start() if hit else len(text)
        if not _is_healthy(text[at:end]):
            kept.append(text[at : hit.end() if hit else end])
        at = hit.end() if hit else end
    return "".join(kept)


def _is_healthy(clause: str) -> bool:
    """Whether a clause is made of such values."""
    at = 0
    clause = clause.strip()
    for hit in _HEALTHY.finditer(clause):
        if hit.start() != at or not LEAST <= float(hit["value"]) <= MOST:
            return False
        at = hit.end()
    return 0 < at == len(clause)
