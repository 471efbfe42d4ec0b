"""Lines built from every signature's own words, over and over: scanned, not choked on."""

from __future__ import annotations

import io
import re

import pytest

from medic.entries import Signature
from medic.index.knowledge import load
from medic.match import Matcher, watched
from medic.match.matchers import matcher_of

INDEX = load()
WATCHED = watched(INDEX)
SIGNATURES = [own.signature for own in WATCHED]
LINE = 16 * 1024  # a work that is the square of it would take seconds a signature
PARTS = 16  # so that they run side by side


@pytest.fixture(scope="module")
def matcher() -> Matcher:
    return matcher_of(INDEX)


def words_of(signature: Signature) -> str:
    """Its literals, joined the way a hostile log would repeat them."""
    return " ".join(re.findall(r"[A-Za-z]{3,}", " ".join(signature.match))) or "x"


@pytest.mark.parametrize("part", range(PARTS))
def test_a_line_of_its_own_words_is_one_line(matcher: Matcher, part: int) -> None:
    for signature in SIGNATURES[part::PARTS]:
        words = words_of(signature)
        text = (words * (LINE // len(words) + 1))[:LINE]
        scan = matcher.scan_file(io.BytesIO(text.encode() + b"\n"), "hostile.log")
        assert scan.lines == 1, signature.id
        assert all(len(hit.source.text) <= LINE for hit in scan.hits), signature.id


@pytest.mark.parametrize("piece", ["a(,=,=", "1e5", "0x", "((((", "a.b.", "A=1 "])
def test_words_of_one_long_line_are_read(piece: str) -> None:
    """A pattern whose work is the square of the line takes minutes for this one."""
    from medic.match.find import _said

    line = (piece * 400_000)[:400_000]
    assert _said(f"{line}\nthe loss is flat") == f"{line}\nthe loss is flat"
