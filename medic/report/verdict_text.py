"""The verdict of a diagnosis as the first lines of its report."""

from __future__ import annotations

from medic.i18n import Text
from medic.planner.objective import unread
from medic.planner.verdict import NO_ANSWER
from medic.report.blocks import Blocks
from medic.report.words import (
    CHANCE,
    FOLLOWS,
    NO_FAULT_SO_FAR,
    NOT_WHOLE,
    SOUND,
    SOUND_SO_FAR,
    UNKNOWN_EXCEPTION,
    UNSEEN,
    VERDICT,
)
from medic.session.consultation import Session
from medic.session.diagnosis import CauseView, Diagnosis
from medic.text.patterns import regex
from medic.told.first_loss import of_first_loss
from medic.told.only_asked import answer_to

CLEAR = 0.5  # below it the leader is a suspect, not a likely cause
GENERAL = frozenset(("config",))  # families whose entries hold many settings each
OWN_WORDS = (
    2  # of a message that is else made of what is wrong: "{what}", "{key} is {value}; {usual}"
)
_PLACE = regex(r"\{\w+\}")
SHOWN = 2  # of what was not read, in the first lines

_UNCLEAR = Text("Not clear which symptom is meant", "不清楚指的是哪种现象")
_CHOOSE = Text(
    "If it is one of these, say so with --answer NAME=present; the log of the failing rank or the "
    "exact error line tells more.",
    "如果是下列之一，请用 --answer 名称=present 指明；失败 rank 的日志或完整的报错行最能说明问题。",
)
_NOT_SO = Text(
    "Understood: it is not “{title}” (“{quote}”). What goes wrong is not said yet.",
    "已明白：不是“{title}”（“{quote}”）。还没有说明出了什么问题。",
)
_GIVE = Text(
    "No file was read. Give the log of the failing rank, the config and launch script, or the exact "
    "error line.",
    "没有读取文件。请提供失败 rank 的日志、配置与启动脚本，或完整的报错行。",
)
_NOT_UNDERSTOOD = Text(
    "Nothing in these words was understood, and no file was read. Give the log of the failing "
    "rank, the config and launch script, or the exact error line.",
    "没有从这些文字中识别出任何内容，也没有读取文件。请提供失败 rank 的日志、配置与启动脚本，"
    "或完整的报错行。",
)
_TAKEN = Text(
    "Understood: {of}: {outcome} (“{quote}”). What goes wrong is not said yet.",
    "已明白：{of}：{outcome}（“{quote}”）。还没有说明出了什么问题。",
)
_FITS_MANY = Text(
    "What was seen fits many causes a little and none of them well; below is what would tell.",
    "所见现象与许多原因都略有吻合，但没有一个足以指名；下面是能说明问题的信息。",
)
_FITS_NONE = Text(
    "What was seen fits no known cause well enough to name one; below is what would tell.",
    "所见现象与已知原因都不够吻合，无法指名；下面是能说明问题的信息。",
)


def verdict(
    blocks: Blocks, session: Session, found: Diagnosis, *, numbers: bool, refuted: bool = False
) -> None:
    """The line that says what was found, and what follows where that is no cause. ``refuted``:
    what the files show against the words is told below."""
    console = blocks.console
    words = session.told.words
    said = str(VERDICT[found.verdict])
    color = {"healthy": "green", "no-fault-seen": "green", "established": "red"}.get(
        found.verdict, "yellow"
    )
    answer = None if session.case.files else of_first_loss(words)
    if answer is not None:
        blocks.paragraph(answer)
        if not found.causes:
            return
    if found.not_understood:
        _not_understood(blocks, session)
        return
    if not found.causes:
        if asked := answer_to(session.told):
            blocks.paragraph(asked)
            return
        console.styled(console.style(said, "bold", color))
        for reason in () if refuted else _why_no_fault(session, found):
            blocks.paragraph(reason, indent="  ")
        return
    if found.verdict in NO_ANSWER:
        console.styled(console.style(said, "bold", color))
        fits = _FITS_MANY if found.verdict == "unclear" else _FITS_NONE
        blocks.paragraph(fits, indent="  ")
        return
    leader = found.causes[0]
    line = Text("{verdict}: {title} ({name}, {code})", "{verdict}：{title}（{name}，{code}）").fill(
        verdict=_how_sure(found, said, described=bool(words)),
        title=_shown(session, leader),
        name=leader.name,
        code=leader.code,
    )
    console.styled(console.style(str(line), "bold", color))
    if numbers:
        console.out(f"  P = {leader.chance:.3f}")


def _shown(session: Session, leader: CauseView) -> Text:
    """The title; of a cause whose title is that of many settings what is wrong with this one."""
    lint = session.index.raw["causes"].get(leader.name, {}).get("lint") or {}
    cause = session.index.causes.get(leader.name)
    general = cause is not None and cause.family in GENERAL
    own = _PLACE.sub("", lint.get("message", {}).get("en", "no placeholder alone")).split()
    general = general and len(own) <= OWN_WORDS
    lead = next(
        (e for e in leader.evidence if e.name == leader.name and e.outcome == "fires"), None
    )
    return lead.text if general and lead is not None else leader.title


def _how_sure(found: Diagnosis, said: str, *, described: bool) -> str:
    """The words before the cause's title."""
    leader = found.causes[0]
    if found.verdict != "likely":
        return said
    if not found.symptoms and not described:
        if any(e.weight == "confirms" for e in leader.evidence):
            return str(Text("No failure was seen, but this is wrong", "没有看到故障，但这里有问题"))
        return str(
            Text("No failure was seen, but this may be wrong", "没有看到故障，但这里可能有问题")
        )
    if leader.word == "unlikely":
        return str(
            Text("Not clear yet; one of several that fit", "尚不明确；符合的原因有多个，其中之一")
        )
    if leader.chance < CLEAR or leader.word == "possible":
        suspect = Text("Not clear yet; first suspect ({word})", "尚不明确；首要嫌疑（{word}）")
        return str(suspect.fill(word=CHANCE[leader.word]))
    return said


def _not_understood(blocks: Blocks, session: Session) -> None:
    """Words that tell of no symptom that is known: those that they may mean, to choose from."""
    blocks.console.styled(blocks.console.style(str(_UNCLEAR), "bold", "yellow"))
    index = session.index
    for name, said in session.told.answered.items():
        check = index.checks[name]
        outcome = check.outcomes[said.outcome].title
        told = _TAKEN.fill(of=check.title, outcome=outcome, quote=said.quote)
        blocks.paragraph(told, indent="  ")
    for name, quote in session.told.denials.items():
        blocks.paragraph(_NOT_SO.fill(title=index.title(name), quote=quote), indent="  ")
    offered = session.told.may_mean(session.model.likeness)
    taken = session.told.answered or session.told.denials
    nothing = _GIVE if taken else _NOT_UNDERSTOOD
    blocks.paragraph(_CHOOSE if offered else nothing, indent="  ")
    for name in offered:
        line = Text("{title} ({name})", "{title}（{name}）")
        blocks.paragraph(
            line.fill(title=session.index.title(name), name=name), indent="      ", first="    - "
        )


def _left(found: Diagnosis) -> Text:
    """What was not read, by name, and why; of many the first two."""
    left = [n for n in found.not_read if not n.aside]
    en = "; ".join(f"{n.file} ({n.en})" for n in left[:SHOWN])
    zh = "；".join(f"{n.file}（{n.zh}）" for n in left[:SHOWN])
    more = len(left) - SHOWN
    if more > 0:
        en, zh = f"{en}; and {more} more, named below", f"{zh}；另有 {more} 项，见下"
    return NOT_WHOLE.fill(left=Text(en, zh))


def _why_no_fault(session: Session, found: Diagnosis) -> list[Text]:
    if found.verdict == "unclear":
        return [FOLLOWS]
    if found.verdict == "none-of-these" and any(e.source.file for e in found.symptoms):
        return [UNKNOWN_EXCEPTION]
    if found.verdict == "none-of-these":
        return [
            Text(
                "What you describe matches no symptom that medic knows, and nothing that was read "
                "points to a failure. The log of the failing rank, or the exact error line, would "
                "tell more.",
                "你描述的现象与 medic 已知的都不匹配，已读内容中也没有指向故障的迹象。"
                "失败 rank 的日志或完整的报错行最能说明问题。",
            )
        ]
    if found.verdict == "not-read-whole":
        return [SOUND_SO_FAR if found.of_read == "healthy" else NO_FAULT_SO_FAR, _left(found)]
    if found.verdict == "healthy":
        return [SOUND, UNSEEN]
    lacks = unread(session.evidence)
    return [
        *([lacks] if lacks is not None else []),
        Text(
            "Nothing in what was read points to a failure. What was not read or not checked is "
            "listed below; this is not a proof of health.",
            "已读内容中没有指向故障的迹象。未读取、未检查的内容见下；这并不等于证明一切正常。",
        ),
    ]
