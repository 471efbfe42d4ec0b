"""Every probe and every fact that one needs has words in both languages."""

from __future__ import annotations

from medic.facts.words import FACTS, lacking
from medic.runner.registry import all_probes


def test_every_probe_has_a_title() -> None:
    assert [probe.name for probe in all_probes() if not (probe.title.en and probe.title.zh)] == []


def test_what_a_probe_lacks_is_told_in_words() -> None:
    kinds = {kind for probe in all_probes() for kind in (*probe.needs, *probe.wants)}
    assert {kind.__name__ for kind in kinds} <= set(FACTS)
    for kind in kinds:
        assert kind.__name__ not in (lacking([kind]).en, lacking([kind]).zh)
