"""What is open in an answer: why its leader is not established, what would tell the suspects apart."""

from __future__ import annotations

from collections.abc import Sequence

from medic.entries.words import SPEAKS_AGAINST
from medic.i18n import Text
from medic.planner.looks import NextLook
from medic.planner.verdict import NOTHING_NAMED
from medic.report.blocks import Blocks
from medic.session.consultation import Session
from medic.session.diagnosis import Diagnosis
from medic.session.undecided import IF_SO, not_established
from medic.session.undecided import would_show as showing


def why_open(blocks: Blocks, session: Session, found: Diagnosis) -> None:
    """One line below the verdict, and what would establish it, where anything would."""
    why = not_established(session, found)
    if why is None:
        return
    blocks.paragraph(why, indent="  ")
    own = showing(session, found.causes).get(found.causes[0].name)
    if own is not None:
        would_show(blocks, own, "  ")


def would_show(blocks: Blocks, told: Text, indent: str) -> None:
    """The answer that speaks for one suspect and not for the others."""
    blocks.paragraph(IF_SO.fill(told=told), indent=indent + "  ", first=indent)


def question(blocks: Blocks, session: Session, found: Diagnosis) -> None:
    """The next question, its answers by what each of them leads to."""
    if found.next is None or found.verdict in {"established", *NOTHING_NAMED}:
        return
    asked = session.question(found.next)
    blocks.heading(Text("This would tell", "下一步最能说明问题的是"))
    blocks.paragraph(asked.say, indent="  ")
    blocks.paragraph(asked.how, indent="  ")
    for answer, effect in _effects(session, found, found.next, asked.choices):
        blocks.paragraph(f"{answer} -> {effect}", indent="      ", first="    ")
    how = Text(
        "Answer it in the app (medic PATH) or with --answer {name}=OUTCOME.",
        "可在应用中回答（medic PATH），或用 --answer {name}=结果。",
    )
    blocks.paragraph(how.fill(name=asked.name), indent="  ")


def _effects(
    session: Session, found: Diagnosis, look: NextLook, choices: Sequence[tuple[str, Text]]
) -> list[tuple[Text, Text]]:
    """Answers of one effect together. Where each of them leaves the leader, what they say of it."""
    leaders = {flip.outcome: flip.leader for flip in look.flips}
    if found.causes and {leaders.get(o) for o, _ in choices} == {found.causes[0].name}:
        weights = _weights(session, found.causes[0].name, look.look.name)
        effects = {o: _SAYS[weights.get(o, "")] for o, _ in choices}
    else:
        effects = {o: _leads(session, found, leaders.get(o, "")) for o, _ in choices}
    together: dict[Text, list[Text]] = {}
    for outcome, title in choices:
        together.setdefault(effects[outcome], []).append(title)
    return [
        (Text("; ".join(t.en for t in titles), "；".join(t.zh for t in titles)), effect)
        for effect, titles in together.items()
    ]


_FOR, _AGAINST = Text("speaks for it", "支持它"), Text("speaks against it", "与它不符")
_SAYS: dict[str, Text] = {
    "": Text("says nothing of it", "与它无关"),
    **dict.fromkeys(("confirms", "strong", "weak"), _FOR),
    **dict.fromkeys(SPEAKS_AGAINST, _AGAINST),
}


def _weights(session: Session, cause: str, look: str) -> dict[str, str]:
    """What each outcome of a look says of a cause."""
    shows = {s.symptom for s in session.index.causes[cause].shows}
    if look in shows:
        return {"present": "strong", "absent": "against"}
    return {t.outcome: t.weight for t in session.index.links(cause) if t.check == look}


def _leads(session: Session, found: Diagnosis, leader: str) -> Text:
    """Who would lead after an answer; an answer may also only make the leader surer, or less."""
    if not leader:
        return Text("nothing", "无变化")
    title = session.index.title(leader)
    if found.causes and leader == found.causes[0].name:
        return Text("still {title}", "仍是：{title}").fill(title=title)
    return title
