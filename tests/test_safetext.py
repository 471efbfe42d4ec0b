"""Nothing that steers a terminal passes."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medic.text.safetext import clean, columns, cut, one_line, wrap

HOSTILE = {
    "clipboard": "\x1b]52;c;cm0gLXJmIH4=\x07",
    "title": "\x1b]0;owned\x07",
    "clear": "\x1b[2J\x1b[H",
    "c1": "\x9b31m",
    "dcs": "\x90q\x9c",
    "backspace": "ok\x08\x08no",
    "bidi": "\u202egnp.exe",
    "zero width": "a\u200bb",
    "surrogate": "a\udc80b",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_control_characters_become_symbols(name: str) -> None:
    text = clean(HOSTILE[name])
    assert not any(unicodedata.category(c) in ("Cc", "Cf", "Cs") for c in text)


@given(st.text())
def test_no_control_character_survives(text: str) -> None:
    assert all(c == "\n" or unicodedata.category(c) not in ("Cc", "Cs") for c in clean(text))


@given(st.text(), st.integers(4, 120))
def test_one_line_fits(text: str, width: int) -> None:
    line = one_line(text, width)
    assert "\n" not in line
    assert columns(line) <= width


def test_marks_do_not_pile_up() -> None:
    assert len(clean("a" + "\u0301" * 10_000)) < 10


def test_markup_is_left_as_it_is() -> None:
    for text in ("[/bold]", "[rank0]: CUDA error", "[@click=app.exit()]x[/]"):
        assert clean(text) == text


@given(st.text(alphabet="ab 显存不足,。", max_size=200), st.integers(10, 60))
def test_wrap_keeps_every_letter_and_the_width(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    longest = max((columns(w) for w in text.split()), default=0)
    assert all(columns(line) <= max(width, longest) for line in lines)


@pytest.mark.parametrize(
    "whole",
    [
        "`ray start --temp-dir=/data/r`",
        "--override-opt_param-scheduler 5",
        "CUDA out of memory",
        ".item()/.detach()",
        "rank 0",
    ],
)
@pytest.mark.parametrize("width", [40, 47, 48, 49, 50, 51, 61, 69])
def test_no_line_is_broken_within_code_or_a_latin_phrase(whole: str, width: int) -> None:
    before = "请先在配置文件中检查这一项是否与命令行一致，不一致时以命令行为准，随后执行"
    lines = wrap(f"{before} {whole}，见 /data/runs/oom_batch/rank0.log:50。", width)
    assert any(whole in line for line in lines)
    assert any("/data/runs/oom_batch/rank0.log:50。" in line for line in lines)
    assert all(columns(line) <= width for line in lines)


def test_code_between_backticks_is_kept_in_english_too() -> None:
    lines = wrap("set this in the file of the job: `zero_optimization.stage: 2` and start", 50)
    assert any("`zero_optimization.stage: 2`" in line for line in lines)


def test_wide_characters_take_two_columns() -> None:
    assert columns("显存") == 4
    assert columns(cut("显存不足", 5)) <= 5


def test_no_word_and_no_number_is_cut_in_two() -> None:
    assert one_line("loss 1.2345 at step 100", 20) == "loss 1.2345 at step…"
    assert one_line("loss 1.2345 at step 100", 16) == "loss 1.2345 at…"
    assert one_line("损失 1.2345，学习率 0.001", 15) == "损失 1.2345，…"
    assert one_line("x" * 40, 10) == "x" * 9 + "…"


def test_no_row_ends_with_an_opening_mark() -> None:
    for width in range(8, 30):
        rows = wrap("把全局批大小填到了单卡批大小里（有风险）", width)
        assert not any(row.endswith("（") for row in rows)
