"""Of an answer that is not established: what is missing, and what each suspect would show that the
others would not."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING, NamedTuple

from medic.beliefs.likelihoods import DOUBTED
from medic.beliefs.model import TOLD
from medic.entries.words import SPEAKS_AGAINST, TELLTALE
from medic.i18n import Text
from medic.planner.standing import BAR
from medic.planner.verdict import NO_ANSWER, NOTHING_NAMED
from medic.session.diagnosis import WEIGHT_ORDER
from medic.session.sentences import finding_text
from medic.text.safetext import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from medic.planner.verdict import Heard
    from medic.session.consultation import Session
    from medic.session.diagnosis import CauseView, Diagnosis

NEARLY = 0.25  # of the leader's chance: a rival that fits nearly as well
LEAST = 0.02  # a chance below it is no rival that a user should hear of
NOISE = 0.05  # of a cause that is only among the nearest: below it none is told of
QUOTED = 100  # columns of a finding within a sentence
_TELLING = ("confirms", "strong")
_DENIED = Text("“{finding}” speaks against it", "“{finding}” 与之不符")
_RIVAL = Text("“{title}” fits what was seen nearly as well", "“{title}” 与所见现象几乎同样吻合")
_OPEN = Text("“{title}” is not ruled out", "尚不能排除“{title}”")
_SHORT = Text(
    "its chance is {chance}, and {bar} is asked for; {others}",
    "其可能性为 {chance}，达到 {bar} 才算确认；{others}",
)
_SHARE = Text("others share the rest, “{title}” first", "其余由其他原因分占，首先是“{title}”")
_UNKNOWN = Text("the rest is with what medic does not know", "其余属于 medic 未收录的原因")
_HELPED = Text(
    "what was read alone does not reach {bar}; the description helps it there",
    "仅凭已读内容达不到 {bar}，有一部分来自描述",
)
IF_SO = Text("would show: {told}", "若是它，应能看到：{told}")
NOT_ESTABLISHED = Text("Not established: {why}.", "尚未确认：{why}。")
_SAID = Text(
    "it rests on what was said; no log or file that was read shows it",
    "依据只有描述，已读的日志和文件都没有显示",
)
_PASTED = Text(
    "it rests on what was said; the lines that were pasted with it do not show it by themselves",
    "依据是描述；一并粘贴的日志行本身不足以显示",
)
_SHARED = Text(
    "the line that speaks for it is printed by other faults, too",
    "支持它的那一行，其他故障也会打印",
)
_ONE_LINE = Text(
    "one line speaks for it, and no second sign of another kind",
    "只有一行支持它，没有其他类型的佐证",
)
_FITS = Text(
    "what was seen fits it, and nothing seen is of this cause alone",
    "所见现象与之相符，但没有一项是它独有的",
)


class _Link(NamedTuple):
    weight: str
    heard: Heard


def lacks(session: Session, found: Diagnosis) -> Text | None:
    """Why the leader is not established; None where it is, or where none is named."""
    if found.verdict != "likely" or not found.causes or not found.symptoms:
        return None
    leader = found.causes[0]
    links = _links(session, leader)
    telling = [one for one in links if one.weight in _TELLING]
    read = [one for one in telling if one.heard.seen.reliability not in TOLD]
    denied = sorted(
        (one for one in links if one.weight in SPEAKS_AGAINST),
        key=lambda one: WEIGHT_ORDER[one.weight],
        reverse=True,
    )
    if telling and not read:
        return _PASTED if _has_lines(session) else _SAID
    if any(_confirms(one) for one in read):
        return _outdone(session, found, denied) or _short(session, found)
    if denied and telling:
        return _denied(session, denied)
    if read:
        doubted = all(one.heard.seen.reliability == DOUBTED for one in read)
        return _SHARED if doubted else _outdone(session, found, ()) or _ONE_LINE
    return _FITS


def _has_lines(session: Session) -> bool:
    """Whether lines of a log were pasted, and no file was given."""
    return not session.case.paths and any("<pasted log" in name for name in session.case.parts)


def not_established(session: Session, found: Diagnosis) -> Text | None:
    """Why the leader is not established, as a sentence; None where ``lacks`` is."""
    why = lacks(session, found)
    return NOT_ESTABLISHED.fill(why=why) if why is not None else None


def _links(session: Session, cause: CauseView) -> list[_Link]:
    weights = {(t.check, t.outcome): t.weight for t in session.index.links(cause.name)}
    keys = ((h, (h.seen.name, h.seen.outcome)) for h in session.found)
    return [_Link(weights[key], heard) for heard, key in keys if key in weights]


def _confirms(one: _Link) -> bool:
    return one.weight == "confirms" and one.heard.seen.reliability != DOUBTED


def _outdone(session: Session, found: Diagnosis, denied: Sequence[_Link]) -> Text | None:
    """What keeps a leader down that is told of: another cause with another remedy, or a finding."""
    leader, *others = found.causes
    remedy = session.model.remedy
    rival = next((c for c in others if remedy[c.name] != remedy[leader.name]), None)
    if (
        rival is not None
        and leader.chance < BAR
        and rival.word != "unlikely"
        and rival.chance >= LEAST
    ):
        near = rival.chance >= NEARLY * leader.chance
        return (_RIVAL if near else _OPEN).fill(title=rival.title)
    return _denied(session, denied) if denied else None


def _short(session: Session, found: Diagnosis) -> Text:
    """Of a leader that a finding confirms, with none against it: how much is left to others."""
    leader, *others = found.causes
    remedy, bar = session.model.remedy, f"{BAR:.0%}"
    chance = leader.chance + sum(c.chance for c in others if remedy[c.name] == remedy[leader.name])
    if chance >= BAR:
        return _HELPED.fill(bar=bar)
    rival = next((c for c in others if remedy[c.name] != remedy[leader.name]), None)
    told = _SHARE.fill(title=rival.title) if rival is not None else _UNKNOWN
    return _SHORT.fill(chance=f"{floor(100 * chance)}%", bar=bar, others=told)


def _denied(session: Session, denied: Sequence[_Link]) -> Text:
    text = finding_text(session.index, denied[0].heard.finding)
    return _DENIED.fill(finding=Text(one_line(text.en, QUOTED), one_line(text.zh, QUOTED)))


def recommends(found: Diagnosis) -> bool:
    """Whether the leader's remedy is advised: it is likely, or a fault that was read whatever fails.
    Of a cause that is only possible it is told as what to do if it is the one."""
    if not found.causes or found.verdict in NO_ANSWER:
        return False
    sure = found.causes[0].word in ("likely", "almost-certain")
    return found.verdict == "established" or sure or not found.symptoms


def suspects(found: Diagnosis) -> tuple[CauseView, ...]:
    """The causes of an answer that is open, best first; none where one is established or no fault
    was seen, and of the nearest ones only those that are no noise."""
    if found.verdict == "established" or found.verdict in NOTHING_NAMED:
        return ()
    if found.verdict in NO_ANSWER:
        return tuple(cause for cause in found.causes if cause.chance >= NOISE)
    return found.causes


def would_show(session: Session, causes: Sequence[CauseView]) -> dict[str, Text]:
    """By cause: the answer to an open question that speaks for it, and for the fewest of the others;
    of equal ones the surest, then the quickest to get. A cause that no answer parts is left out."""
    index = session.index
    minutes = {look.name: look.minutes for look in session.open_looks()}
    speaks: dict[str, dict[tuple[str, str], str]] = {
        cause.name: {
            (t.check, t.outcome): t.weight
            for t in index.links(cause.name)
            if t.weight in _TELLING and t.check in minutes and t.check != TELLTALE
        }
        for cause in causes
    }
    found = {}
    for name, own in speaks.items():
        others = [theirs for other, theirs in speaks.items() if other != name]
        ranked = sorted(
            (sum(key in theirs for theirs in others), _TELLING.index(weight), minutes[key[0]], key)
            for key, weight in own.items()
        )
        if ranked and (not others or ranked[0][0] < len(others)):
            check, outcome = ranked[0][3]
            of = index.checks[check]
            told = Text("{of}: {outcome}", "{of}：{outcome}")
            found[name] = told.fill(of=of.title, outcome=of.outcomes[outcome].title)
    return found
