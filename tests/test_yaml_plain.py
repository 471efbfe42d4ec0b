"""What is read without PyYAML is read as PyYAML reads it, and a mistake is left to it."""

from __future__ import annotations

import random

import pytest

from medic.errors import Unreadable
from medic.syntax import yaml_tree
from medic.syntax.scalars import _loaded, pyyaml
from medic.syntax.source import SourceText
from medic.syntax.yaml_plain import plain_events

PLAIN = """\
# a run
model: meta-llama/Llama-3-8B  # the base

datasets:
  - path: a.jsonl
    type: 'alpaca'
  - path: "b c.jsonl"
plugins:
- one.Two
-
- - 1
  - -2
special:
  pad:
  eos: ~
output: ./out
rate: 2.0e-5
url: http://host:8000/x
last:
"""
LEFT = ["a: [1, 2]", "a: &x 1", "a: *x", "a: |\n  b", "a: b\n  c", "a:\n  b", "a: 1\n---\nb: 2", "a:\t1",
        "a: b: c", "a: 1\n  b: 2", "  a: 1\nb: 2", "a: 'it''s'", 'a: "\\n"', "a: !!str 1", "? a", "- a\nb: 1",
        "a:\n\nb", "a: @x", "", "# only words"]  # fmt: skip


def _read(text: str, *, plain: bool) -> str:
    """The document, or what is wrong with it, as text."""
    with pytest.MonkeyPatch.context() as patch:
        if not plain:
            patch.setattr(yaml_tree, "plain_events", lambda _: None)
        try:
            return repr(yaml_tree.parse_yaml(SourceText(text.encode(), "x.yaml")))
        except Unreadable as problem:
            return problem.en


def test_a_plain_file_is_read_alike() -> None:
    assert plain_events(PLAIN) is not None
    assert _read(PLAIN, plain=True) == _read(PLAIN, plain=False)


@pytest.mark.parametrize("text", LEFT)
def test_what_is_not_plain_is_left(text: str) -> None:
    assert plain_events(text) is None


def test_changed_files_are_read_alike_or_left() -> None:
    """Marks put anywhere: what is still read is read as PyYAML does."""
    dice, read = random.Random(1), 0
    for _ in range(400):
        lines = PLAIN.split("\n")
        for _ in range(dice.randint(1, 3)):
            at = dice.randrange(len(lines))
            mark = dice.choice([" ", "- ", ": ", "#", " # x", "'", "a: 1"])
            cut = dice.randrange(len(lines[at]) + 1)
            lines[at] = lines[at][:cut] + mark + lines[at][cut:]
        changed = "\n".join(lines)
        if plain_events(changed) is not None:
            read += 1
            assert _read(changed, plain=True) == _read(changed, plain=False), changed
    assert read > 50


@pytest.mark.parametrize(
    "raw",
    ["1", "-1", "+1", "0", "007", "1_000", "0x1F", "0b1", "1:30", "1.5", "1.", ".5", "-.5", "1e-5", "1.0e-5",
     "1.0e5", "2020-01-01", "8bit", "./out", "..", "-", "yes", "On", "NO", "nULL", "~", "", ".inf", "-.Inf", ".nan",
     "1٣", "y", "n", "=", "<<"],
)  # fmt: skip
def test_a_scalar_is_what_pyyaml_makes_of_it(raw: str) -> None:
    found, loaded = pyyaml(raw), _loaded(raw)
    assert (type(found), repr(found)) == (type(loaded), repr(loaded))
