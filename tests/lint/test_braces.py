"""Braces that bash expands before a program sees them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding
from medic.syntax import parse

Lint = Callable[..., tuple[LintFinding, ...]]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ('k={"n":16}', "k={n:16}"),
        ("k={n}", "k={n}"),
        ("k={a,b}", None),
        ('k={"a":1,"b":2}', None),
        ("{a,b}.json", None),
        ("'k={a,b}'", "k={a,b}"),
        ('"k={a,b}"', "k={a,b}"),
        ("k='{a,b}'", "k={a,b}"),
        ("k=\\{a,b\\}", "k={a,b}"),
        ("k=[1,2]", "k=[1,2]"),
    ],
)
def test_what_a_program_sees(written: str, value: str | None) -> None:
    document = parse(f"f {written}\n".encode(), "run.sh")
    assert document.commands[0].words[1].value == value


@pytest.mark.parametrize(
    ("word", "fires"),
    [
        ("+actor.kwargs={n:16,top_p:1}", True),
        ('actor.kwargs={"n":16,"top_p":1}', True),
        ("--kwargs={n:16,top_p:1}", True),
        ('actor.kwargs={"n":16}', False),
        ("'+actor.kwargs={n:16,top_p:1}'", False),
        ("+actor.kwargs='{n:16,top_p:1}'", False),
        ("data.files={a,b}.json", False),
        ("data.files=[a,b]", False),
    ],
)
def test_a_dictionary_that_bash_takes_apart(lint_text: Lint, word: str, fires: bool) -> None:
    text = f"#!/bin/bash\npython train.py data.batch_size=8 \\\n  {word} \\\n  trainer.nnodes=1\n"
    found = [f for f in lint_text(text, "run.sh") if "dictionary" in f.message.en]
    assert bool(found) is fires
    assert all(f.line == 3 and f.fix is not None for f in found)
