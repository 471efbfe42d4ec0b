"""What no check can read is told, and never taken for clean; what has no end keeps nobody waiting."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from medic.commands import main
from medic.errors import Exit, Unreadable
from medic.syntax import MAX_WORDS, parse
from medic.text.openings import head_of


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.json", b"[[[[", "a.json:1"),
        ("a.json", b"[" * 500, "a.json:1"),
        ("a.py", b"\x00\x91\n\xff", "a.py:1"),
        ("a.py", b"x = 1\ny = '\xe9'\n", "a.py:2"),
    ],
)
def test_garbage_is_told_as_such(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, data: bytes, said: str
) -> None:
    file = tmp_path / name
    file.write_bytes(data)
    assert main(["lint", str(file), "--lang", "en"]) == Exit.USAGE
    heard = capsys.readouterr()
    assert said in heard.err + heard.out


def test_a_list_of_numbers_is_json(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text("[1, 2, 3]\n")
    assert main(["lint", str(file)]) == Exit.OK


def _command(words: int) -> bytes:
    return b"torchrun train.py \\\n" + b"  --name value \\\n" * (words // 2) + b"  --last\n"


def test_many_words_take_time_by_their_number() -> None:
    spent = []
    for words in (2_000, 16_000):
        start = time.process_time()
        found = parse(_command(words), "run.sh")
        spent.append(time.process_time() - start)
        assert len(found.commands[0].words) > words
    assert spent[1] < 20 * spent[0]  # eight times as many


def test_a_command_beyond_all_bounds_is_not_read() -> None:
    with pytest.raises(Unreadable, match="more than 20,000 words") as refused:
        parse(b"cd x\n" + _command(MAX_WORDS) + b"ls\n", "run.sh")
    assert refused.value.at == "run.sh:2"


def test_as_many_words_in_many_commands_are_read() -> None:
    assert len(parse(b"python train.py --lr 1\n" * 6_000, "run.sh").commands) == 6_000


def test_a_pipe_that_nobody_fills_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert head_of(str(tmp_path / "pipe"), 4096) == b""
    writer = os.open(tmp_path / "pipe", os.O_RDWR)
    try:
        assert head_of(str(tmp_path / "pipe"), 4096) == b""
    finally:
        os.close(writer)
