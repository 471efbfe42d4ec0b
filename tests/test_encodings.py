"""Logs of Chinese machines in GBK."""

from __future__ import annotations

import pytest

from medic.text.encodings import utf8

WORDS = "训练中断：显存不足，请减小微批大小"


@pytest.mark.parametrize("more", ["", "\u9fa0\u4e28 (rare)", " step 12 loss=2.5"])
def test_gbk_lines_become_what_they_say(more: str) -> None:
    lines = ["step 1", WORDS + more, "RuntimeError: CUDA out of memory"]
    assert utf8("\n".join(lines).encode("gb18030")).decode() == "\n".join(lines)


def test_a_line_cut_within_a_pair() -> None:
    assert utf8(WORDS.encode("gbk")[:-1]).startswith(WORDS[:-1].encode())


@pytest.mark.parametrize(
    "data",
    [
        WORDS.encode(),
        WORDS.encode()[:-1],  # cut within a character
        WORDS.encode()[1:] + b" loss",
        "café crème déjà vu, 12 °C ±3".encode("latin-1"),
        "für Größe Äpfel".encode("cp1252"),
        bytes(range(256)),
        b"loss 2.5",
        b"",
    ],
)
def test_other_text_stays_as_it_is(data: bytes) -> None:
    assert utf8(data) == data


def test_lines_of_both_in_one_file() -> None:
    both = WORDS.encode("gbk") + b"\n" + WORDS.encode()
    assert utf8(both).decode().split("\n") == [WORDS, WORDS]


def test_a_short_line_is_read_as_its_neighbours_are() -> None:
    text = "训练开始 第1步 loss 2.0\n显存不足，CUDA out of memory"
    assert utf8(text.encode("gbk")).decode() == text
    alone = "显存不足，".encode("gbk") + b"\n" + WORDS.encode()
    assert utf8(alone) == alone
