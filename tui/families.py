"""A guess that names what is at fault and no cause: the network, the card, the data. The nearest causes
of that family stand side by side, with what would tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.report.words import CHANCE

from . import words_talk
from .lines import Block, Line

if TYPE_CHECKING:
    from medic.i18n import Text

    from .consultation import Consultation

SHOWN = 3
# Sayings of ``knowledge/vocabulary/talk.yaml``, in the order in which they are asked: "network
# storage" is storage. Of each the causes that such a guess means, the usual ones first.
FAMILIES = {
    "of-storage": ("network-file-system-fault", "model-read-over-slow-storage", "slow-data-loader"),
    "of-versions": (
        "versions-differ-between-nodes",
        "library-versions-do-not-fit",
        "nccl-version-faulty",
    ),
    "of-the-network": (
        "network-link-broken",
        "wrong-network-interface",
        "interconnect-too-slow",
        "pcie-link-degraded",
    ),
    "of-the-driver": (
        "driver-library-mismatch",
        "driver-older-than-cuda",
        "driver-module-not-loaded",
        "gpu-firmware-hang",
    ),
    "of-the-clocks": ("gpu-clocks-throttled", "one-node-slows-all"),
    "of-a-slow-rank": ("one-node-slows-all", "slow-rank-past-timeout", "gpu-clocks-throttled"),
    "of-the-card": (
        "gpu-memory-ecc-error",
        "gpu-off-the-bus",
        "gpu-firmware-hang",
        "pcie-link-degraded",
    ),
    "of-the-data": ("data-quality-poor", "corrupt-batch-values", "label-out-of-range"),
    "of-the-schedule": (
        "decay-ends-before-run",
        "warmup-longer-than-decay",
        "schedule-restarts-at-resume",
        "scheduler-stepped-too-often",
        "scheduler-stepped-per-epoch",
    ),
}


def family_of(talk: Consultation, words: str) -> list[str]:
    """The causes of the family that a guess names, the likeliest now first; none where it names
    no family."""
    from medic.match import sayings_of

    session = talk.session
    index = session.index
    say = sayings_of(index)
    named = (n for n in FAMILIES if n in index.sayings and say.says(n, words))
    causes = [c for c in FAMILIES.get(next(named, ""), ()) if c in index.causes]
    chance = session.model.beliefs(session.seen, frozenset(session.tried)).chance
    return sorted(causes, key=lambda name: -chance.get(name, 0.0))


def told_of_family(talk: Consultation, causes: list[str]) -> None:
    """Tells of each how likely it is now, and what would tell; then asks again."""
    session = talk.session
    beliefs = session.model.beliefs(session.seen, frozenset(session.tried))
    lines = [Line(words_talk.A_GUESS_OF_FAMILY, "strong")]
    for name in causes[:SHOWN]:
        cause = session.index.causes[name]
        text = words_talk.OF_FAMILY.fill(
            title=cause.title, code=cause.code, word=CHANCE[beliefs.word(name)]
        )
        lines.append(Line(text, mark="- ", indent=2))
        look = _look(talk, name)
        if look is not None:
            lines.append(Line(words_talk.WOULD_TELL.fill(look=look), "muted", indent=4))
    talk.tell(Block("medic", tuple(lines)), top=True)
    talk.ask()


def _look(talk: Consultation, name: str) -> Text | None:
    """The question about a cause that nothing has answered yet."""
    session = talk.session
    answered = {one.name for one in session.seen}
    for check, _, _ in session.index.ties.causes[name].links:
        entry = session.index.checks.get(check)
        if entry is not None and entry.ask is not None and check not in answered:
            return entry.ask.say
    return None
