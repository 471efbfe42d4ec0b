"""A file whose line the answer shows is not told to be unread."""

from __future__ import annotations

import pytest

from medic.case.collect import NotRead
from medic.facts import Source
from medic.i18n import Text
from medic.session.conclude import _left
from medic.session.diagnosis import CauseView, EvidenceLine


@pytest.mark.parametrize(
    ("file", "earlier", "kept"),
    [("job-1.out", True, False), ("job-0.out", True, True), ("job-1.out", False, True)],
)
def test_a_file_that_is_cited_was_read(file: str, earlier: bool, kept: bool) -> None:
    source, more = Source("job-2.out", 9), (Source("job-1.out", 4),)
    line = EvidenceLine("check", "same-failure", "same", Text("", ""), source, "strong", more)
    cause = CauseView("a", "A-001", Text("", ""), 1.0, "likely", (), (line,))
    left = NotRead(file, "why", "", aside=True, earlier=earlier)
    assert bool(_left([left], [cause])) is kept
