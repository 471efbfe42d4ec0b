"""A line is cut so that what tells it is seen."""

from __future__ import annotations

from medic.text.safetext import columns, excerpt

LINE = (
    "[rank1]: RuntimeError: DataLoader worker (pid 4412) is killed by signal: Bus error. It is so."
)


def cut(telling: str, width: int) -> str:
    at = LINE.index(telling)
    return excerpt(LINE, at, at + len(telling), width)


def test_what_tells_is_seen_at_any_width() -> None:
    for width in range(30, 120):
        shown = cut("signal: Bus error", width)
        assert "signal: Bus error" in shown
        assert columns(shown) <= width


def test_a_line_that_fits_or_tells_early_is_cut_as_ever() -> None:
    assert cut("Bus error", 200) == LINE
    assert cut("RuntimeError", 40).startswith("[rank1]: RuntimeError")
    assert excerpt(LINE, 0, 0, 40) == excerpt(LINE, 5, 3, 40)


def test_of_more_than_a_line_the_ends_are_seen() -> None:
    shown = cut(LINE[9:], 40)
    assert shown.startswith("RuntimeError")
    assert shown.endswith("It is so.")
