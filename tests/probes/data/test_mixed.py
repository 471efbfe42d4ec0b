"""Data that is whole as a file and no use to a model: each told, and its healthy twin is not."""

from __future__ import annotations

import io
import json
import struct
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from medic.commands import main

WORDS = "a model reads the words of the sample number {n} and learns to go on with them"


def lines(path: Path, rows: Sequence[Mapping[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(path)


def look(capsys: pytest.CaptureFixture[str], path: str) -> tuple[int, str]:
    code = main(["probe", "data", path, "--lang", "en"])
    return code, capsys.readouterr().out


@pytest.fixture(autouse=True)
def _state(state: Path) -> None:
    """Nothing of this machine's own."""


def test_rows_with_their_text_in_another_column(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"text" if n % 3 else "content": WORDS.format(n=n)} for n in range(300)]
    code, out = look(capsys, lines(tmp_path / "train.jsonl", rows))
    assert code == 1
    assert "100 of 300 rows have their text in another column" in out
    assert "100 rows have content, 200 have text" in out


@pytest.mark.parametrize("extra", ["input", "source", "content"])
def test_a_column_that_some_rows_leave_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], extra: str
) -> None:
    rows = [{"text": WORDS.format(n=n)} | ({extra: "web"} if n % 3 else {}) for n in range(300)]
    assert look(capsys, lines(tmp_path / "train.jsonl", rows))[0] == 0


@pytest.mark.parametrize(("word", "code"), [("nan", 1), ("None", 1), ("no", 0), ("Nan", 0)])
def test_texts_that_are_the_word_for_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], word: str, code: int
) -> None:
    rows = [{"text": WORDS.format(n=n) if n % 5 else word} for n in range(300)]
    assert look(capsys, lines(tmp_path / "train.jsonl", rows))[0] == code


@pytest.mark.parametrize(("equal", "code"), [(20, 1), (0, 0)])
def test_marks_are_findings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], equal: int, code: int
) -> None:
    rows = [
        {
            "prompt": f"q {n}",
            "chosen": WORDS.format(n=n),
            "rejected": WORDS.format(n=n + (n >= equal)),
        }
        for n in range(200)
    ]
    found, out = look(capsys, lines(tmp_path / "train.jsonl", rows))
    assert (found, "chosen and rejected are equal" in out) == (code, bool(equal))


def shard(path: Path, lacks: int) -> str:
    with tarfile.open(path, "w") as made:
        for n in range(60):
            for end, data in (
                ("jpg", b"\xff\xd8\xff\xe0" + bytes(60)),
                ("txt", WORDS.format(n=n).encode()),
            ):
                if n != lacks or end != "txt":
                    info = tarfile.TarInfo(f"{n:06d}.{end}")
                    info.size = len(data)
                    made.addfile(info, io.BytesIO(data))
    return str(path)


@pytest.mark.parametrize(("lacks", "code"), [(50, 1), (99, 0)])
def test_a_sample_without_its_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lacks: int, code: int
) -> None:
    found, out = look(capsys, shard(tmp_path / "shard-000000.tar", lacks))
    assert (found, "sample 000050: .txt" in out) == (code, bool(code))


@pytest.mark.parametrize(("zeros", "code"), [(20_000, 1), (4_096, 0)])
def test_a_run_of_zero_ids(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], zeros: int, code: int
) -> None:
    ids = [n % 5_000 + 1 for n in range(30_000)]
    raw = struct.pack(f"<{len(ids)}H", *ids) + bytes(2 * zeros) + struct.pack("<4H", 1, 2, 3, 4)
    (tmp_path / "train.bin").write_bytes(raw)
    found, out = look(capsys, str(tmp_path / "train.bin"))
    assert (found, "token 30,001" in out) == (code, bool(code))


def test_shards_that_save_to_disk_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = {"_data_files": [{"filename": "data-00000-of-00001.arrow"}], "_split": None}
    (tmp_path / "state.json").write_text(json.dumps(said))
    code, out = look(capsys, str(tmp_path))
    assert (code, "a shard is missing" in out) == (1, True)


def test_what_cannot_be_read_is_no_success(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from medic.probes.data import tables

    from medic.errors import Unreadable

    def refuse(*_: object) -> object:
        raise Unreadable("pyarrow is not installed", "未安装 pyarrow")

    monkeypatch.setattr(tables, "of_parquet", refuse)
    (tmp_path / "train.parquet").write_bytes(b"PAR1" + bytes(100) + b"PAR1")
    assert look(capsys, str(tmp_path))[0] == 2
    lines(tmp_path / "valid.jsonl", [{"text": WORDS.format(n=n)} for n in range(50)])
    assert look(capsys, str(tmp_path))[0] == 1
