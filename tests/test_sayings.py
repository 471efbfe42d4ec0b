"""The vocabulary of the knowledge: what is wrong with it is said, with the place."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.errors import KnowledgeError
from medic.index.knowledge import Index, load
from medic.match.faults import saying_faults, usual_faults
from medic.match.sayings import Sayings, led_by, sayings_of, written
from medic.schema.compiling import compile_knowledge

SUBJECT = """\
name: loss
sayings:
  falls:
    patterns: ['\\bfalls\\b']
    denied-by: ['\\bnever ']
    match: [it falls]
    no-match: [it never falls, it rises]
  only-falls:
    claims: [{says: [falls], of: [loss-named]}]
    match: ['reward rises, the loss falls']
    no-match: ['reward falls, the loss rises']
  loss-named:
    patterns: [loss]
    match: [loss]
    no-match: [reward]
"""


def compiled(folder: Path, text: str) -> Index:
    (folder / "vocabulary").mkdir()
    (folder / "vocabulary" / "loss.yaml").write_text(text)
    return Index(compile_knowledge([folder]))


def test_a_sound_vocabulary_has_no_fault(tmp_path: Path) -> None:
    assert list(saying_faults(compiled(tmp_path, SUBJECT))) == []


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("says: [falls]", "says: [fals]", 'unknown saying "fals"; did you mean "falls"?'),
        ("of: [loss-named]", "of: [only-falls]", "only-falls has no patterns"),
        ("denied-by", "denied-bye", 'did you mean "denied-by"?'),
    ],
)
def test_a_name_that_leads_nowhere_is_refused(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    with pytest.raises(KnowledgeError) as refused:
        compiled(tmp_path, SUBJECT.replace(old, new))
    assert told in refused.value.en
    assert "loss.yaml:" in (refused.value.at or "")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("'\\bfalls\\b'", "'(?<!\\w)falls'", "no RE2 pattern"),
        ("match: [it falls]", "match: [it rises]", "misses 'it rises'"),
        ("no-match: [it never falls, it rises]", "no-match: [it falls]", "takes 'it falls'"),
        ("no-match: [reward]", "no-match: []", "needs a text that says it and one that does not"),
    ],
)
def test_an_example_that_does_not_hold_is_told(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    faults = saying_faults(compiled(tmp_path, SUBJECT.replace(old, new)))
    assert any(told in fault for _, fault in faults)


def test_a_number_is_of_its_size() -> None:
    one = {"patterns": [r"(\d+) to (\d+)"]}
    claims = {"large": {"says": ["move"], "at_least": 10.0, "below": 100.0}}
    claims["less"] = {"says": ["move"], "falls": True}
    named = {name: {"claims": [claim]} for name, claim in claims.items()}
    say = Sayings(written({"x": {"sayings": {"move": one, **named}}}))
    assert [say.says("large", t) for t in ("10 to 9", "9 to 10", "100 to 2")] == [
        True,
        False,
        False,
    ]
    assert [say.says("less", t) for t in ("10 to 9", "9 to 10")] == [True, False]


def test_what_is_usual_holds_of_its_examples() -> None:
    assert list(usual_faults(load())) == []


def test_of_each_card_of_the_hardware_table_it_is_said_whether_it_computes_bf16() -> None:
    index = load()
    say = sayings_of(index)
    for gpu in index.gpus.values():
        for name in (gpu.name, *gpu.says):
            found = [w for w in ("card-with-bf16", "card-without-bf16") if say.says(w, name)]
            assert len(found) == 1, name


def test_an_answer_leads_no_cause_that_it_rules_out() -> None:
    causes = {
        name: {"told_by": [{"check": "c", "outcome": "o", "weight": weight}]}
        for name, weight in (("for", "weak"), ("against", "against"), ("out", "rules-out"))
    }
    led = led_by({"c=o"}, dict.fromkeys(causes, 2.0), causes)
    assert led == {"for": 2.0, "against": 1.0, "out": 1.0}
