"""The graph as the view shows it: symptom, cause, remedy; live, ruled out, established."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from medic.i18n import Text, plain
from medic.report.bars import chance_bar
from medic.report.words import CHANCE, SAFE, UNSAFE

from . import words_graph, words_more
from .graph_nodes import SIGNS, Graph, Node
from .lines import Block, Line, Tone, glued
from .remedies import do_not
from .ruled_out import reason
from .seen import LONG, evidence, place_of, short

if TYPE_CHECKING:
    from medic.beliefs.model import Beliefs
    from medic.session.consultation import Session
    from medic.session.diagnosis import CauseView, Diagnosis, EvidenceLine

NEAR = 6  # causes of a symptom that are shown; the others fold into one row
LEAST = 0.005
BAR = 5
TITLE = Text("{title} ({code})", "{title}（{code}）")


class _Drawing:
    def __init__(self, session: Session, found: Diagnosis) -> None:
        self.session, self.found = session, found
        self.index = session.index
        self.beliefs: Beliefs = session.model.beliefs(session.seen, frozenset(session.tried))
        self.chance = _of_this_kind(session, found, self.beliefs.chance)
        self.dimmed = {c.name: c for c in found.ruled_out}
        self.confirmed = found.causes[0].name if found.verdict == "established" else ""
        self.nodes: list[Node] = []
        self.details: dict[str, Block] = {}

    def add(self, node: Node) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    def draw(self) -> Graph:
        for line in self.found.symptoms:
            if line.kind == "symptom":
                self._symptom(line)
        families: dict[str, list[str]] = defaultdict(list)
        for name in self.index.causes:
            families[self.index.causes[name].family].append(name)
        top = self.add(Node(-1, 0, "", words_graph.ALL_CAUSES, "strong", open=True))
        for family in sorted(families, key=lambda f: (-self._mass(families[f]), f)):
            self._family(top, family, families[family])
        leader = self.found.causes[0].name if self.found.causes else ""
        return Graph(tuple(self.nodes), self.details, leader)

    def _mass(self, names: list[str]) -> float:
        return sum(self.chance.get(n, 0.0) for n in names)

    def _order(self, names: list[str]) -> list[str]:
        chance = self.chance
        return sorted(names, key=lambda n: (n in self.dimmed, -chance.get(n, -1.0), n))

    def _symptom(self, line: EvidenceLine) -> None:
        key = f"symptom {line.name}"
        where = place_of(self.session, line)
        top = self.add(Node(-1, 0, "! ", short(line.text, 100), "warn", where, key, open=True))
        shows = [
            c.name
            for c in self.index.causes.values()
            if any(s.symptom == line.name for s in c.shows)
        ]
        title = self.index.title(line.name)
        told = Line(words_graph.SHOWN_BY.fill(n=len(shows)), "muted")
        self.details[key] = Block(
            "bare", (Line(title, "strong"), *evidence(self.session, [line], quoted=1), told)
        )
        order = self._order(shows)
        chance = self.chance
        near = [n for n in order if chance.get(n, 0.0) >= LEAST and n not in self.dimmed][:NEAR]
        for i, name in enumerate(near):
            self._cause(top, 1, name, unfolded=i == 0)
        rest = [n for n in order if n not in near]
        if rest:
            out = sum(n in self.dimmed for n in rest)
            text = words_graph.OTHERS.fill(n=len(rest), out=out)
            fold = self.add(Node(top, 1, "", text, "muted"))
            for name in rest:
                self._cause(fold, 2, name)

    def _family(self, top: int, family: str, names: list[str]) -> None:
        chance = self.chance
        live = [n for n in names if n in chance and n not in self.dimmed]
        named = words_more.FAMILIES.get(family, plain(family))
        out = sum(n in self.dimmed for n in names)
        count = words_graph.COUNT.fill(live=len(live), out=out)
        shut = Text("  ({w})", "（{w}）").fill(w=words_more.CLOSED) if not live else ""
        tone: Tone = "plain" if live else "muted"
        fold = self.add(Node(top, 1, "", glued(named, shut), tone, count))
        for name in self._order(names):
            self._cause(fold, 2, name)

    def _cause(self, parent: int, depth: int, name: str, *, unfolded: bool = False) -> None:
        cause = self.index.causes[name]
        state = self._state(name)
        text = TITLE.fill(title=cause.title, code=cause.code)
        aside, mark = None, f"{SIGNS[state]} "
        tone: Tone = "muted"
        if state in ("live", "confirmed"):
            chance = self.chance[name]
            mark += f"{chance_bar(chance, _word(chance), BAR)} "
            aside = CHANCE[_word(chance)]
            tone = "bad" if state == "confirmed" else "plain" if chance >= 0.15 else "muted"
        elif state == "dimmed" and self.dimmed[name].pruned_by is not None:
            aside = words_more.BY.fill(finding=reason(self.session, self.dimmed[name])[0])
        elif state == "away":
            aside = words_graph.AWAY
        me = self.add(Node(parent, depth, mark, text, tone, aside, name, open=unfolded, cause=name))
        for remedy in cause.remedies if state != "away" else ():
            entry = self.index.remedies[remedy]
            safe = SAFE if entry.safe else UNSAFE
            self.add(Node(me, depth + 1, "→ ", entry.title, "good", safe, name))

    def _state(self, name: str) -> str:
        if name == self.confirmed:
            return "confirmed"
        if name in self.dimmed:
            return "dimmed"
        return "live" if name in self.chance else "away"

    def lines(self, name: str) -> Iterator[Line]:
        from medic.session.diagnosis import view

        cause = self.index.causes[name]
        yield Line(TITLE.fill(title=cause.title, code=cause.code), "strong")
        yield Line(cause.why)
        if name in self.dimmed and self.dimmed[name].pruned_by is not None:
            why, where = reason(self.session, self.dimmed[name], LONG)
            yield Line(words_more.BY.fill(finding=why), "warn", "× ", where=where)
        seen: CauseView = view(self.index, name, self.beliefs, self.session.found)
        yield from evidence(self.session, seen.evidence, shown=8)
        unseen = [s.symptom for s in cause.shows if s.symptom not in seen.explains]
        if unseen:
            titles = Text(
                ", ".join(self.index.title(s).en for s in unseen),
                "、".join(self.index.title(s).zh for s in unseen),
            )
            yield Line(words_graph.WOULD_ALSO.fill(titles=titles), "muted")
        yield from do_not(self.session, name)


def _of_this_kind(
    session: Session, found: Diagnosis, chance: Mapping[str, float]
) -> Mapping[str, float]:
    """Chances without those of causes in rollouts, rewards and engines, where nothing that was seen
    or said is of reinforcement learning."""
    from medic.planner.questions import OF_RL, speaks_of_rl

    if speaks_of_rl(session.index, session.seen):
        return chance
    causes, named = session.index.causes, {c.name for c in found.causes}
    return {
        n: one
        for n, one in chance.items()
        if n in named or not f"{causes[n].family}-".startswith(OF_RL)
    }


def _word(chance: float) -> str:
    from medic.beliefs.model import word

    return word(chance)


def drawn(session: Session, found: Diagnosis) -> Graph:
    """The graph of what is believed now."""
    return _Drawing(session, found).draw()


def detail(session: Session, found: Diagnosis, cause: str) -> Block:
    """What is told of a cause of the graph."""
    return Block("bare", tuple(_Drawing(session, found).lines(cause)))
