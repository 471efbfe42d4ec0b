"""Layout by columns: nothing is wider than it may be, nothing is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from medic.tui.lines import Block, Line, code, cut_middle, fold, pad, plain_text, rows
from rich.cells import cell_len

from medic.i18n import Text, plain, use

WORDS = st.text(alphabet="ab 显存不足,。/:-[]", max_size=300)


def shown(block: Block, width: int) -> list[str]:
    return ["".join(text for text, _ in row) for row in rows(block, width)]


@given(WORDS, st.integers(12, 120), st.booleans(), st.booleans())
def test_no_row_is_wider_than_the_screen(
    text: str, width: int, verbatim: bool, short: bool
) -> None:
    line = Line(
        plain(text),
        mark="1  ",
        indent=2,
        where=plain("logs/rank0.log:81 [rank 3]"),
        verbatim=verbatim,
        short=short,
    )
    for row in shown(Block("medic", (line,)), width):
        assert cell_len(row) <= width


@given(WORDS, st.integers(40, 120))
def test_wrapping_loses_nothing(text: str, width: int) -> None:
    joined = "".join(shown(Block("more", (Line(plain(text)),)), width))
    assert joined.replace(" ", "") == text.replace(" ", "")


def test_rows_hang_under_the_text() -> None:
    line = Line(plain("a " * 60), mark="1  ", indent=2)
    first, second, *_ = shown(Block("medic", (line,)), 60)
    assert first.startswith("[medic]    1  a")
    assert second.startswith(" " * 14 + "a")


def test_no_chinese_row_begins_with_a_closing_mark() -> None:
    text = "显存不足,需要更多显存。" * 12
    for width in range(30, 60):
        for row in shown(Block("more", (Line(plain(text)),)), width):
            assert row.strip()[:1] not in (",", "。")


def test_the_place_follows_the_text_or_takes_the_next_row() -> None:
    where = plain("train.log:812 [rank 3]")
    short = Line(plain("out of memory"), where=where)
    assert shown(Block("more", (short,)), 80) == [" " * 9 + "out of memory  train.log:812 [rank 3]"]
    long = Line(plain("x" * 65), where=where)
    assert shown(Block("more", (long,)), 80)[1] == " " * 9 + "train.log:812 [rank 3]"


def test_a_long_path_keeps_its_end() -> None:
    path = "/very/long/" * 10 + "train.log:812"
    assert cut_middle(path, 30).endswith("/train.log:812")
    assert cell_len(cut_middle(path, 30)) <= 30


@given(WORDS, st.integers(2, 40))
def test_fold_keeps_every_character(text: str, width: int) -> None:
    assert "".join(fold(text, width)) == text
    assert all(cell_len(piece) <= width for piece in fold(text, width))


def test_code_is_numbered_and_copied_as_it_is() -> None:
    block = code("medic undo c7")
    assert block.code == "medic undo c7"
    assert rows(block, 80, 3)[0][0][0].startswith("[3]")
    assert plain_text([(block, 3)]) == "[3]      medic undo c7\n"


def test_diff_rows_have_their_tones() -> None:
    block = code("--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z\n", diff=True)
    assert [line.tone for line in block.lines] == [
        "strong",
        "strong",
        "accent",
        "remove",
        "add",
        "plain",
    ]


def test_what_differs_in_a_changed_line_stands_out() -> None:
    block = code(
        "--- a\n+++ a\n@@ -1 +1 @@\n-run --lr 1e-4 --x\n+run --lr 3e-4 --x\n-a\n", diff=True
    )
    marked = [
        "".join(text for text, tone in row if tone == "mark")
        for width in (80, 21)
        for row in rows(block, width)
    ]
    assert [m for m in marked if m] == ["1", "3", "1", "3"]
    other = code("-first line of it\n+something else\n", diff=True)
    assert all(line.marked == (0, 0) for line in other.lines)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_narrow_screen_has_no_gutter(lang: str) -> None:
    use("zh" if lang == "zh" else "en")
    block = Block("medic", (Line(Text("out of memory", "显存不足")),))
    assert shown(block, 30) == ["[medic]", str(Text("out of memory", "显存不足"))]


def test_columns_are_padded_by_width() -> None:
    assert pad("显存", 6) == "显存  "


def test_a_path_longer_than_a_row_is_broken_behind_a_sign() -> None:
    path = "/data/experiments/mixtral-8x7b/attempt_0/rank_12/stderr.log"
    pieces = fold(path, 33)
    assert "".join(pieces) == path
    assert all(piece[-1] in "/-_." for piece in pieces[:-1])
    assert fold("x" * 70, 33) == ["x" * 33, "x" * 33, "x" * 4]


def test_a_command_is_broken_between_words_and_copied_whole() -> None:
    command = (
        "NCCL_DEBUG=INFO TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1 torchrun"
    )
    shown = ["".join(text for text, _ in row) for row in rows(code(command), 80, 1)]
    assert [row.split()[-1] for row in shown] == ["TORCH_NCCL_TRACE_BUFFER_SIZE=2000", "torchrun"]
    assert command in plain_text([(code(command), 1)])
