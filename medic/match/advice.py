"""Texts that ask for advice on a run that does what it should, or tell how a fault was mended."""

from __future__ import annotations

from medic.match.tone import asks_why, complains, praises, reassures
from medic.text.patterns import regex

_END = regex(r"\n|(?<=[.!?;])\s|(?<=[。！？；])")
_CLAUSE = regex(r",\s|[，；;]|\bbut\b|\s[-\u2014]\s|:\s")
_ASKED = regex(r"[?？]\W*$|(?:吗|呢)[。.\s]*$")
# What is asked: leave, a preference, whether it is as it should be, what others do.
_ADVICE = regex(
    r"(?i)\b(?:(?:should|shall|do|did|could|can|may) (?:i|we|one)|can (?:it|that|this|the)|"
    r"(?:would|will|does|do|is|are) (?:a|an|the|it|that|this|there|these|you|others|\d|\w+ing)|"
    r"(?:would|will|does|is) [A-Z\d.]\S*|worth|safe(?: to)?|any reason not|"
    r"any(?:body|one) (?:use|else use)|"
    r"what (?:does|else|value)|how (?:many|much)|"
    r"how (?:can|do|should) (?:i|we) (?:log|mute|silence|set|plot|choose)|"
    r"ignor(?:e|able|ed)|normal|fine|right|ok|expected|only a|i guess|i suppose|is that)\b|"
    r"正常吗|可以吗|要不要|需要"
)
# Of a trouble that need not be there.
_SUPPOSED = regex(
    r"(?i)^(?:would|will|should|shall|could)\b|\b(?:is|are) (?:it|this|that|the|these)(?: \w+)? "
    r"(?:bad|harmful|a (?:problem|concern|bug)|something to worry|worth)|will it\b|\bignor|\bi (?:guess|suppose)\b"
)
_CURE = regex(
    r"(?i)\bwhy\b|\bwhat (?:could|can|might|is wrong|am i)\b|\bwrong\b|\bhow come\b|"
    r"\bhow (?:can|do|to|should) (?:i|we)? ?(?:fix|solve|avoid|stop|prevent|get|enable|make)\b|\bthe reason\b|"
    r"\bwhat (?:should|shall|can) (?:i|we) do(?: about (?:it|this|that)| here| now| to \w+ (?:it|this))?\W*$|"
    r"为什么|怎么|哪里|挂了|如何解决"
)
# Said without a question mark, it asks no more than to be told that it is so.
_CURIOUS = regex(
    r"(?i)\b(?:i wonder if|(?:just|only) (?:wanted?|want) to (?:know|confirm|ask)|i only (?:ask|want)|"
    r"(?:just|only) asking|(?:writing|reading) (?:the )?docs)\b|想确认|确认一下"
)
# What others say, or what one feared: no sight of this run.
_FEARED = regex(
    r"(?i)\b(?:(?:am|was|were) (?:afraid|worried)|feared?|colleagues? says?|"
    r"(?:some(?:one|body)|they) (?:told|says?)|"
    r"used to (?:hang|raise|fail|crash)|last week)\b"
)
_GOOD = regex(
    r"(?i)\b(?:works|worked|fine(?![- ]?(?:tun|grain))|ok|okay|normal(?:ly)?|good|better|happy|healthy|steady|stable|"
    r"as (?:it|they) should|as expected|correct(?:ly)?|identical|agree[sd]?|matches|continues?|fits?|"
    r"no (?:hang|errors?|failure|oom|recompiles|complaints?|problems?)|successfully|finite|clean|proper(?:ly)?|"
    r"acceptable|ris(?:ing|es)|rose|climbing|goes down|falls|going down|runs through|busy|"
    r"solved(?: it)?)\b|\d\s*(?:->|\u2192)\s*\d|"
    r"正常|没问题|接上|一致|"
    r"恢复了|能跑|没有 OOM"
)
# Words for trouble that are none: a name, a pace of what is good, a trouble that is denied.
_MEANT_ELSE = regex(
    r"(?i)rewards?/rejected|(?:ris|climb|grow)\w* slowly|nothing (?:fails|broken|is wrong)|"
    r"freeze (?:the|it)|\d ?% slower|differs? (?:slightly|a lot)"
)


def seeks_advice(text: str) -> bool:
    """Whether a text asks for advice and calls what it tells of good: nobody asks for a cause."""
    asked: list[str] = []
    told: list[str] = []
    for part in filter(str.strip, _END.split(text)):
        (asked if _ASKED.search(part) or _CURIOUS.search(part) else told).append(part)
    if not asked or any(not _asks_advice(part) for part in asked):
        return False
    said = " ".join(told + [p for p in asked if not _ASKED.search(p)])
    before = " ".join(_CLAUSE.split(asked[0])[:-1])
    good = any(_GOOD.search(part) for part in [*told, before])
    return good and not asks_why(said) and not any(map(_troubled, told))


def _asks_advice(question: str) -> bool:
    if _CURIOUS.search(question):
        return True
    if not _ADVICE.search(question) or _CURE.search(question):
        return False
    return _SUPPOSED.search(question) is not None or not _troubled(question)


def _troubled(sentence: str) -> bool:
    """Whether a sentence tells of a present trouble."""
    if _FEARED.search(sentence):
        return False
    return any(
        complains(_MEANT_ELSE.sub(" ", clause))
        for clause in _CLAUSE.split(sentence)
        if not (reassures(clause) or praises(clause))
    )


_SETTLED = regex(
    r"(?i)(?:^|\b(?:is|was|been|that|this|it|all|now)\s)(?:solved|resolved)(?: it| now)?$|(?:^|[,;]\s)closing$|"
    r"(?:^|\s)(?:(?:solved|fixed) (?:it|the \w+)|nothing (?:is )?broken|that(?: is|'s) what i want)"
    r"\b[^,;]{0,24}$|"
    r"已解决"
)
LAST = 2  # sentences that conclude a text


def tells_settled(text: str) -> bool:
    """Whether a text ends by saying that what it told of is settled."""
    said = [part.strip() for part in _END.split(text) if part.strip()][-LAST:]
    settled = [n for n, part in enumerate(said) if _SETTLED.search(part.rstrip(".!。"))]
    return bool(settled) and not any(map(_troubled, said[settled[-1] + 1 :]))
