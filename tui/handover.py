"""Where the case stands, for somebody else: what was seen, ruled out, asked, and not looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from medic.i18n import Text, plain
from medic.planner.verdict import NOTHING_NAMED
from medic.report.words import CHANCE

from . import earlier, words_after, words_keep
from .lines import Block, Line, joined
from .looked import gap_lines
from .ruled_out import reason
from .sayings import sayings
from .seen import LONG, evidence
from .telling import beside, head, only_wrong

if TYPE_CHECKING:
    from medic.session.consultation import Session
    from medic.session.diagnosis import Diagnosis

    from .consultation import Consultation

MAX_LINES = 12


def report(talk: Consultation, _argument: str) -> None:
    """/report: the hand-over in the talk, as far as the case is now."""
    if talk.found is None:
        talk.found = talk.session.diagnosis()
    talk.tell(words_keep.REPORT_TITLE, "strong", top=True)
    talk.tell_all(handover(talk.session, talk.found, deep=True))
    if talk.diary.id:
        talk.tell(words_keep.REPORT_AT.fill(id=talk.diary.id), "muted")


def handover(session: Session, found: Diagnosis, *, deep: bool = False) -> list[Block]:
    """The state of a case as blocks; empty sections are left out.

    ``deep`` also searches all open looks for one that could change the leader, which takes a while.
    """
    sections = [
        (words_keep.FIXED, _fixed(session)),
        (words_keep.SEEN, evidence(session, found.symptoms, shown=MAX_LINES, quoted=3)),
        (words_keep.STANDS, [] if only_wrong(session, found) else _suspects(found)),
        (words_keep.IN_ORDER, _in_order(session, found)),
        (words_keep.OUT, _ruled_out(session, found)),
        (words_keep.ASKED, _asked(session)),
        (words_keep.DONE, _done(session)),
        (words_keep.WOULD_TELL, _would_tell(session, found, deep=deep)),
        (words_keep.OPEN, _gaps(session, found)),
    ]
    blocks = [head(session, found)]
    other = beside(session, found)
    blocks += [other] if other is not None else []
    blocks += [Block("more", (Line(t, "strong"), *lines)) for t, lines in sections if lines]
    return blocks


def _suspects(found: Diagnosis) -> list[Line]:
    pattern = Text("{title} ({code})", "{title}（{code}）")
    return [
        Line(pattern.fill(title=c.title, code=c.code), mark="· ", indent=2, where=CHANCE[c.word])
        for c in found.causes
    ]


def _in_order(session: Session, found: Diagnosis) -> list[Line]:
    """The evidence of all ranks in the order of time, where the lines tell it."""
    from medic.report.timeline import moments, parted

    return [
        Line(words if isinstance(words, Text) else plain(words), mark=at, indent=2)
        for at, words in parted(moments(session, found))
    ]


def _ruled_out(session: Session, found: Diagnosis) -> list[Line]:
    lines = []
    for cause in found.ruled_out[:MAX_LINES]:
        text, where = cause.title, None
        if cause.pruned_by is not None:
            why, where = reason(session, cause, LONG)
            text = joined([text, why], ": ", "：")
        lines.append(Line(text, mark="× ", indent=2, where=where))
    return _cut(lines, len(found.ruled_out))


def _asked(session: Session) -> list[Line]:
    return [Line(s.text, mark="· ", indent=2) for s in sayings(session)]


def _fixed(session: Session) -> list[Line]:
    """The faults that are mended: what each showed, and by what it went."""
    by_code = Text("{title} ({code}): {seen}", "{title}（{code}）：{seen}")
    lines = []
    for one in earlier.fixed(session):
        title, code = earlier.titled(session, one)
        seen = earlier.titles(session, one)
        text = by_code.fill(title=title, code=code, seen=seen) if code else title
        by = words_keep.FIXED_BY.fill(change=one.change) if one.change else words_keep.BY_HAND
        if one.shown in ("gone-without", "gone-unsure"):
            by = words_after.SHOWN[one.shown]
        lines.append(Line(text, mark="· ", indent=2, where=by))
    return lines


def _done(session: Session) -> list[Line]:
    from medic.report.saved_text import TAKEN_BACK
    from medic.session.saved import taken_back

    remedies = session.index.remedies
    lines = []
    for one in filter(lambda a: a.change, session.applied):
        title = remedies[one.remedy].title if one.remedy in remedies else plain(one.remedy)
        shown = TAKEN_BACK if taken_back(one.change) else words_after.SHOWN.get(one.shown)
        what = joined([plain(one.change), title], ": ", "：")
        lines.append(Line(what, mark="· ", indent=2, where=shown))
    for name in session.tried:
        text = Text("{title}: did not help", "{title}：无效").fill(title=remedies[name].title)
        lines.append(Line(text, mark="× ", indent=2))
    return lines


def _would_tell(session: Session, found: Diagnosis, *, deep: bool) -> list[Line]:
    """The open question, else the look that could change the leader, in words."""
    if found.verdict in NOTHING_NAMED or only_wrong(session, found):
        return []
    look = found.next
    if look is None and deep and session.found and found.verdict != "established":
        look = session.mind()
    if look is None:
        return []
    asked = session.question(look)
    return [Line(asked.say, mark="? ", indent=2), Line(asked.how, "muted", indent=4)]


def _gaps(session: Session, found: Diagnosis) -> list[Line]:
    """What was not checked, what would tell of the suspects first."""
    suspects = () if only_wrong(session, found) else found.causes
    return list(gap_lines(session, MAX_LINES, suspects))


def _cut(lines: Sequence[Line], n: int) -> list[Line]:
    if n <= len(lines):
        return list(lines)
    more = Text("and {n} more", "另有 {n} 项").fill(n=n - len(lines))
    return [*lines, Line(more, "muted", indent=4)]
