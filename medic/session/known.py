"""What is known already of that which a remedy begins with: its sample, the two places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.session.diagnosis import line_of

if TYPE_CHECKING:
    from medic.entries import Remedy
    from medic.session.consultation import Session
    from medic.session.diagnosis import EvidenceLine


def known_for(session: Session, remedy: Remedy) -> list[EvidenceLine]:
    """What the checks that the remedy ``starts_from`` found, each finding once."""
    index = session.index
    lines: dict[str, EvidenceLine] = {}
    for item in session.found:
        name, outcome = item.seen.name, item.seen.outcome
        if name in remedy.starts_from and not index.is_normal(name, outcome):
            line = line_of(index, item, "")
            lines.setdefault(line.text.en, line)
    return list(lines.values())
