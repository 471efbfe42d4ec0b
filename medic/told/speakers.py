"""Who speaks in a text that was copied from a thread: only its author tells of the run.

Others in a thread tell of their own runs, ask, and advise. Their posts are left out of what the text
states; so are answers to frequent questions, and what is only feared or would be otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from medic.text.patterns import regex

_NAME = r"@?[\w.][\w.\-\[\]]{0,38}"
_WHEN = (
    r"(?:on |at )?(?:\w{3,9}\.? \d{1,2}(?:, \d{4})?|\d{4}-\d\d-\d\d|(?:\d+|an?|last|yesterday) ?\w{0,7}(?: ago)?)"
    r"[^.!?\n]{0,24}"
)
# The lines above posts, as pages and mail programs write them.
_HEADER = regex(
    rf"^\s*(?:On [^\n]{{6,80}} wrote:|(?P<page>{_NAME}) "
    r"(?P<does>commented|opened|reopened|replied|posted|asked|answered)"
    rf"(?: this(?: \w+)?| an? \w+)?(?: {_WHEN})?|(?P<wrote>{_NAME}) (?:wrote|said|writes):|"
    rf"(?P<dotted>{_NAME}) · (?P<part>\w+)(?: · [\d\-/: ]{{4,20}})?|"
    rf"(?P<forum>{_NAME})\s{{1,4}}\w{{3,9}} \d{{1,2}}(?:, \d{{4}})?[^\n#]{{0,16}}#\d+|"
    r"(?P<zh>[^\s，。：:]{1,20}) ?(?:评论于|回复于|发表于|提问于)[^，。\n]{0,30})\s*$"
)
_FLOOR = regex(
    r"^\s*(?:(?P<author>楼主|题主|lz|LZ)|(?P<floor>[\d一二三四五六七八九十]{1,3} ?(?:楼|#|L)))\s*[:：]\s*"
)
_ASKS = ("opened", "asked", "description", "issue", "question")
_OPENING = 120  # characters above the first post: more than a title is the author's own post
# A post of another that begins without a line above it.
_ME_TOO = regex(
    r"(?i)^\W*(?:same (?:here|issue here|problem here|error here|for me)\b|me too\b|\+1\b|"
    r"(?:i(?:'m| am)? |we(?:'re| are)? |also )*(?:have|had|met|meet|face|facing|faced|get|got|getting|"
    r"having|hit|encounter(?:ed|ing)?|see|seeing|experienc\w+) (?:exactly |precisely )?"
    r"(?:the |this )?(?:very |exact )?same "
    r"(?:issue|problem|thing|situation|bug)\b(?! (?:with|after|when|if|on|in|again|as before))|"
    r"(?:我|咱|俺)?(?:这边|这里|们)?也(?:遇到|碰到|是|有|出现)(?:了|过)?(?:同样|一样|这个|相同|类似)|同问|\+1|同求)"
)
_QUOTED = regex(r"^\s{0,3}>")
_FAQ = regex(r"(?i)^\W*(?:faqs?|frequently asked questions|troubleshooting|常见问题(?:解答)?)\W*$")
_ANSWERED = regex(
    r"(?i)^\s*(?:\W{0,3}q(?:uestion)?\d*\s*[:：].*\ba(?:nswer)?\d*\s*[:：]|问[:：].*答[:：])"
)
_OWN = regex(r"(?i)\b(?:i|i'\w+|my|me|we|we'\w+|our|us)\b|我|咱|本人")
_SENTENCE = regex(r"(\n|(?<=[.!?;])\s+|(?<=[。！？；]))")
# Of another person, said by the author.
_THEIRS = regex(
    r"(?i)^\W*(?:(?:another|one other|a different|some other) (?:user|person|poster|commenter|guy)\b|"
    r"(?:other|some|many) (?:users|people|posters|commenters)\b|(?:someone|somebody)(?: else)?\b|"
    r"(?:a|one|my) (?:colleague|friend|"
    r"co-?worker|lab ?mate)s?(?:'s)?\b|(?:另一?个?|其他|别的|有的?|某个?)"
    r"(?:用户|人|网友|同学)|(?:朋友|网友)(?:的|说|那边))"
)
_COMPARED = regex(r"(?i)\b(?:but|while|whereas|mine|my|i|our|we|same|also|too)\b|但|我|也|同样")
_PART = regex(r"(,\s|[，；;])")
# What is feared, or would be in another case.
_FEARED = regex(
    r"(?i)\b(?:afraid|worried|fear|concerned)\b(?! of nothing)|\bwould (?:have|need) to\b|"
    r"^\W*(?:otherwise|or else|else)\b|^\W*否则|担心|就怕|恐怕"
)
# A try, and what the next sentence says of it.
_TRIED = regex(
    r"(?i)\b(?:tried|try(?:ing)? to|set|setting|exported|added|used|switched|changed|disabled|enabled)\b|"
    r"试|设|加了|换|改"
)
_SWITCH = regex(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b")
_NO_USE = regex(
    r"(?i)^\W*(?:(?:but|however|yet|unfortunately|sadly),? )?(?:it |that |this |they |none of (?:them|it|these) |"
    r"all of (?:them|it) |neither |nothing |still )*(?:(?:did|does|do|has|have)(?:n't| not) "
    r"(?:work|help|change|fix|solve|make)\w*|"
    r"(?:made )?(?:no|without) (?:change|effect|difference|luck|success|help)|helped|"
    r"same (?:error|problem|result|issue|thing))\b"
    r"[^.;\n]{0,40}[.!]?$|^\W*(?:但是?|可是|还是|依然|仍然?)?(?:没有?用|无效|不行|没效果|没变化|还是一样|不起作用)[。！]?$"
)


class _Post(NamedTuple):
    who: str  # "" of what stands above the first header
    asks: bool
    text: str


def own_words(text: str) -> str:
    """The text without what others say in it; whole where nothing of the author's would be left."""
    own = _without_answers(_unquoted(_own_posts(text)))
    own = "\n".join(_own_lines(own))
    return own if any(map(str.isalnum, own)) else text


def stated_words(text: str) -> str:
    """What the author of a text states of the run."""
    from medic.told.unstated import without_unstated

    return without_unstated(own_words(text))


def _own_posts(text: str) -> str:
    posts = list(_posts(text))
    if len(posts) < 2:
        return _until_me_too(text)
    first = posts[0].text.strip()
    opened = len(first) > _OPENING or "\n" in first
    asking = next((p.who for p in posts if p.asks), posts[1].who if not opened else "")
    return "\n\n".join(p.text for p in posts if p.who in ("", asking))


def _posts(text: str) -> Iterator[_Post]:
    who, asks, lines = "", False, list[str]()
    for line in text.split("\n"):
        head, floor = _HEADER.match(line), _FLOOR.match(line)
        if head is None and floor is None:
            lines.append(line)
            continue
        yield _Post(who, asks, "\n".join(lines))
        if head is not None:
            named = head.groupdict()
            who = next(
                (named[n] for n in ("page", "wrote", "dotted", "forum", "zh") if named[n]), "mail"
            )
            asks, lines = (named["does"] or named["part"] or "") in _ASKS, []
        elif floor is not None:
            who, asks = floor["author"] or floor["floor"], floor["author"] is not None
            lines = [line[floor.end() :]]
    yield _Post(who, asks, "\n".join(lines))


def _until_me_too(text: str) -> str:
    """Without the paragraphs from the first one on that begins as another's post does."""
    paragraphs = text.split("\n\n")
    at = next((n for n, p in enumerate(paragraphs) if n and _ME_TOO.match(p.strip())), None)
    return text if at is None else "\n\n".join(paragraphs[:at])


def _unquoted(text: str) -> str:
    """Without the lines that answer a mail, where the answer is there, too."""
    lines = text.split("\n")
    own = [line for line in lines if not _QUOTED.match(line)]
    said = sum(len(line.split()) for line in own)
    return "\n".join(own) if len(own) < len(lines) and (said > 5 or not text.isascii()) else text


def _without_answers(text: str) -> str:
    """Without a part of frequent questions, up to the next paragraph that tells of oneself."""
    kept, manual, free = [], False, False
    for line in text.split("\n"):
        if _FAQ.match(line):
            manual = True
        elif manual and free and _OWN.search(line):
            manual = False
        free = not line.strip()
        kept.append("" if manual or _ANSWERED.match(line) else line)
    return "\n".join(kept)


def _own_lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        parts = _joined(_SENTENCE.split(line))
        yield "".join(_own_part(part) for part in parts)


def _joined(parts: list[str]) -> list[str]:
    """The sentences; one that says that a try was of no use belongs to the try."""
    out: list[str] = []
    for part in parts:
        tried = len(out) > 1 and not out[-1].strip() and _TRIED.search(out[-2])
        # Of a setting, or of several tries: a rate that was lowered in vain is no answer about rates.
        if tried and _SWITCH.search(out[-2]) and _NO_USE.match(part):
            change = "does not help." if part.isascii() else "没有用。"
            out[-2:] = [f"{out[-2].rstrip(' .。')}, {change}"]
        else:
            out.append(part)
    return out


def _own_part(sentence: str) -> str:
    clauses = _PART.split(sentence)
    theirs = _THEIRS.match(sentence) is not None
    if theirs and not _COMPARED.search(sentence):
        return ""
    if theirs:  # a trouble of theirs is none of this run; that theirs is well tells of it
        from medic.match import complains

        theirs = complains(clauses[0])
    kept = [c for n, c in enumerate(clauses) if not (_FEARED.search(c) or (theirs and n == 0))]
    if len(kept) == len(clauses):
        return sentence
    return "".join(kept).strip(" ,;，；") if any(map(str.isalnum, "".join(kept))) else ""
