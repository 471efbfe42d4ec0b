"""The first line says what is wrong where the title is that of many settings."""

from __future__ import annotations

import pytest

from medic.facts import Source
from medic.i18n import Text
from medic.index.knowledge import load
from medic.match.own_output import without_own
from medic.report.verdict_text import _how_sure, _shown
from medic.session.diagnosis import CauseView, Diagnosis, EvidenceLine

WHAT = Text("checkpoint-60 is at or beyond max_steps 60", "checkpoint-60 已达到 max_steps 60")


class Asked:
    index = load()


@pytest.mark.parametrize(
    ("name", "outcome", "what"),
    [
        ("option-reads-otherwise", "fires", True),
        ("value-beyond-published", "fires", True),
        ("option-reads-otherwise", "present", False),  # a word of it, and no setting
        ("duplicate-config-key", "fires", False),  # its title says it
        ("learning-rate-too-high", "fires", False),
    ],
)
def test_a_general_title_gives_way_to_the_finding(name: str, outcome: str, what: bool) -> None:
    title = Asked.index.causes[name].title
    line = EvidenceLine("check", name, outcome, WHAT, Source(), "confirms")
    view = CauseView(name, "", title, 1.0, "likely", (), (line,))
    assert _shown(Asked(), view) == (WHAT if what else title)  # type: ignore[arg-type]


@pytest.mark.parametrize(("weight", "word"), [("confirms", "this is"), ("strong", "this may be")])
def test_only_what_a_check_confirms_is_wrong(weight: str, word: str) -> None:
    """And what it says is known again where a log holds it."""
    line = EvidenceLine("check", "weight-decay-too-large", "fires", WHAT, Source(), weight)
    view = CauseView("weight-decay-too-large", "", WHAT, 0.02, "possible", (), (line,))
    said = _how_sure(Diagnosis("likely", (view,)), "", described=False)
    assert said == f"No failure was seen, but {word} wrong"
    told = f"{said}: The weight decay (weight-decay-too-large, CNV-023)\n  At 0.5 and more\n"
    assert not without_own(told).strip()
