"""The suspects as a tree of families: live, ruled out with the finding, established."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from medic.i18n import Text, plain
from medic.report.words import CHANCE

from . import words_more
from .lines import Block, Line, Tone, glued
from .telling import place_of

if TYPE_CHECKING:
    from medic.diagnosis import CauseView, Diagnosis
    from medic.session import Session

SIGNS = {"confirmed": "●", "live": "○", "dimmed": "×", "away": "·"}


def tree(session: Session, found: Diagnosis) -> Block:
    """Every family with its causes, the likeliest first."""
    chance = session.model.beliefs(session.seen, frozenset(session.tried)).chance
    dimmed = {c.name: c for c in found.ruled_out}
    confirmed = found.causes[0].name if found.verdict == "established" else ""
    families: dict[str, list[str]] = defaultdict(list)
    for name in session.index.causes:
        families[session.index.causes[name].family].append(name)
    lines = [Line(words_more.GRAPH_KEY.fill(SIGNS), "muted")]
    order = sorted(families, key=lambda f: (-sum(chance.get(c, 0.0) for c in families[f]), f))
    for family in order:
        names = sorted(families[family], key=lambda c: (-chance.get(c, -1.0), c))
        shut = all(n in dimmed or n not in chance for n in names)
        named = words_more.FAMILIES.get(family, plain(family))
        title = glued(named, Text("  ({w})", "（{w}）").fill(w=words_more.CLOSED) if shut else "")
        lines.append(Line(title, "muted" if shut else "strong"))
        for i, name in enumerate(names):
            branch = "└─ " if i == len(names) - 1 else "├─ "
            state = _state(name, confirmed, dimmed, chance)
            lines.append(_row(session, name, branch, state, dimmed.get(name), chance))
    return Block("medic", tuple(lines))


def _state(
    name: str, confirmed: str, dimmed: Mapping[str, CauseView], chance: Mapping[str, float]
) -> str:
    if name == confirmed:
        return "confirmed"
    if name in dimmed:
        return "dimmed"
    return "live" if name in chance else "away"


def _row(
    session: Session,
    name: str,
    branch: str,
    state: str,
    view: CauseView | None,
    chance: Mapping[str, float],
) -> Line:
    from medic.beliefs import word

    cause = session.index.causes[name]
    text = Text("{title} ({code})", "{title}（{code}）").fill(title=cause.title, code=cause.code)
    where, tone = None, _tone(state)
    if view is not None and view.pruned_by is not None:
        by = words_more.BY.fill(finding=view.pruned_by.text)
        text, where = glued(text, Text(", ", "，"), by), place_of(session, view.pruned_by)
    elif state == "live":
        text = glued(text, plain("  "), CHANCE[word(chance[name])])
        tone = "plain" if chance[name] >= 0.15 else "muted"
    return Line(text, tone, f"{branch}{SIGNS[state]} ", where=where)


def _tone(state: str) -> Tone:
    tones: dict[str, Tone] = {"confirmed": "bad", "live": "plain"}
    return tones.get(state, "muted")
