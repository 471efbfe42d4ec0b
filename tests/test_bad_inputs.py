"""Hostile and broken files through the whole command line: the right outcome, nothing run."""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from medic.commands import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], state: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("LANG", "en_US.UTF-8")

    def call(*words: str) -> tuple[int, str, str]:
        code = main(["--lang", "en", *words])
        out = capsys.readouterr()
        assert "\x1b" not in out.out + out.err
        assert "Traceback" not in out.err
        return code, out.out, out.err

    return call


def probe(run: Run, *files: Path) -> dict[str, object]:
    _, out, _ = run("probe", "checkpoint", *map(str, files), "--json")
    data: dict[str, object] = json.loads(out)
    return data


class Canary:
    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, (f"touch {self.path}",)


def zip_of(path: Path, data: bytes, name: str = "archive/data.pkl") -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, data)
        archive.writestr("archive/version", "3\n")
    return path


@pytest.mark.parametrize("name", ["model.pt", "model.bin", "model.safetensors", "notes.txt"])
def test_a_pickle_that_calls_is_listed_never_run(run: Run, tmp_path: Path, name: str) -> None:
    canary = tmp_path / "canary"
    file = zip_of(tmp_path / name, pickle.dumps({"a": Canary(str(canary))}))
    text = json.dumps(probe(run, file))
    assert not canary.exists()
    assert "system" in text or "not" in text


def test_two_members_of_one_name_are_ambiguous(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "two.pt"
    with zipfile.ZipFile(file, "w") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("archive/data.pkl", pickle.dumps({}))
        archive.writestr("archive/data.pkl", pickle.dumps({"x": 1}))
    assert (
        "twice" in json.dumps(probe(run, file)).lower()
        or "ambiguous" in json.dumps(probe(run, file)).lower()
    )


def test_a_truncated_pickle_says_where(run: Run, tmp_path: Path) -> None:
    file = zip_of(tmp_path / "cut.pt", b"\x80\x04\x8e" + struct.pack("<Q", 2**60) + b"abc")
    assert "truncated" in json.dumps(probe(run, file)).lower()


def test_a_huge_safetensors_header_is_not_allocated(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "huge.safetensors"
    file.write_bytes(struct.pack("<Q", 2**63) + b"{}")
    assert "header" in json.dumps(probe(run, file)).lower()


def test_a_duplicate_tensor_name_is_refused(run: Run, tmp_path: Path) -> None:
    one = '"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}'
    raw = ("{" + one + "," + one + "}").encode()
    file = tmp_path / "dup.safetensors"
    file.write_bytes(struct.pack("<Q", len(raw)) + raw + b"\0" * 4)
    assert "duplicate" in json.dumps(probe(run, file)).lower()


@pytest.mark.parametrize("command", [("diagnose",), ("probe", "checkpoint"), ("lint",)])
def test_a_pipe_is_no_file(run: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    pipe = tmp_path / "pipe.pt"
    os.mkfifo(pipe)
    code, _, err = run(*command, str(pipe))
    assert code == 2
    assert "regular file" in err


def test_a_dangling_link_is_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "gone.log").symlink_to(tmp_path / "nowhere")
    code, _, err = run("diagnose", str(tmp_path / "gone.log"))
    assert code == 2
    assert err.startswith("error: ")


ALIAS_BOMB = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 10)}]\n" for i in range(6)
)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (ALIAS_BOMB, "alias"),
        ("a: !!python/object/apply:os.system ['touch /tmp/x']\n", "tag"),
        ("[" * 5000, "deep"),
    ],
)
def test_a_hostile_config_is_one_line(run: Run, tmp_path: Path, text: str, word: str) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(text)
    code, out, err = run("lint", str(file))
    assert code == 2
    assert word in (out + err).lower()


def test_duplicate_keys_name_both_lines(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("lr: 1.0e-4\nbatch_size: 4\nlr: 2.0e-4\n")
    code, out, _ = run("lint", str(file), "--format", "concise")
    assert code == 1
    assert f"{file}:3:" in out
    assert "duplicate-config-key" in out
    assert "line 1" in out


def test_a_line_without_end(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "train.log"
    with file.open("wb") as out:
        out.write(b"x" * (20 * 1024 * 1024))
        out.write(
            b"\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.01 GiB is free.\n"
        )
    code, text, _ = run("diagnose", str(file))
    assert code == 1
    assert "out of memory" in text.lower()


def test_what_is_not_read_whole_is_never_clean(run: Run, tmp_path: Path) -> None:
    sound = b"".join(b"step %d loss %.3f\n" % (n, 3 - n / 100) for n in range(50))
    long = tmp_path / "long.log"
    long.write_bytes(sound + b"x" * (1 << 17) + b" torch.OutOfMemoryError\n")
    cut = tmp_path / "cut.log.gz"
    cut.write_bytes(gzip.compress(sound)[:-4])
    for file in (long, cut):
        code, text, _ = run("diagnose", str(file))
        assert (code, text.startswith("Not read whole")) == (1, True)
        code, text, _ = run("diagnose", "--json", str(file))
        assert (code, json.loads(text)["verdict"]) == (1, "not-read-whole")
        code, text, _ = run("vitals", "--other-host", str(file))
        assert (code, "not read whole: " in text) == (1, True)
        code, text, _ = run("vitals", "--other-host", "--json", str(file))
        assert json.loads(text)["not_read"][0]["file"] == str(file)
    whole = tmp_path / "whole.log.gz"
    whole.write_bytes(gzip.compress(sound))
    assert run("diagnose", str(whole))[0] == 0
    code, text, _ = run("vitals", "--other-host", "--json", str(whole))
    assert (code, json.loads(text)["not_read"]) == (0, [])


QUOTED = """2026-05-01 10:00:00,000 INFO usage: train.py [--micro-batch-size N]
2026-05-01 10:00:00,001 INFO   --micro-batch-size N  lower this to avoid 'CUDA out of memory'
2026-05-01 10:00:00,002 INFO no NCCL WARN seen
 iteration 100/ 1000 | lm loss: 2.1E+00 | number of skipped iterations: 0 | number of nan iterations: 0 |
2026-05-01 10:20:00,000 INFO training completed
"""


def test_quoted_errors_are_no_evidence(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "train.log"
    file.write_text(QUOTED)
    code, text, _ = run("diagnose", str(file))
    assert code == 0
    assert "No fault seen" in text


HOSTILE = (
    "[rank0]: \x1b]52;c;cm0gLXJmIH4=\x07 [@click=app.exit()]click[/] \x9b31m[/bold] "
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
    "capacity of 79.10 GiB of which 1.01 GiB is free.\n"
)


def test_a_log_cannot_steer_the_terminal(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "train.log"
    file.write_text(HOSTILE, encoding="utf-8")
    code, text, _ = run("diagnose", str(file))
    assert code == 1
    assert "\x07" not in text
    assert "\x9b" not in text
    assert "[/bold]" in text  # as it was written


def test_json_of_a_broken_encoding_is_valid(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "train.log"
    file.write_bytes("显存不足 ".encode("gbk") + HOSTILE.encode() + b"\xff\xfe\n")
    code, out, _ = run("diagnose", str(file), "--json")
    assert code == 1
    assert json.loads(out)["schema"] == "medic.diagnosis/1"


def test_an_overlap_bomb_is_refused(run: Run, tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", b"\0" * 5_000_000)
    raw = buffer.getvalue()
    at = raw.index(b"PK\x01\x02")
    entry, end = raw[at : raw.index(b"PK\x05\x06")], raw[raw.index(b"PK\x05\x06") :]
    count = 200
    entries = b"".join(
        entry.replace(b"archive/data.pkl", f"archive/d{i:03}.pkl".encode().ljust(16, b"_"))
        for i in range(count)
    )
    tail = end[:8] + struct.pack("<HHII", count, count, len(entries), at) + end[20:]
    file = tmp_path / "bomb.pt"
    file.write_bytes(raw[:at] + entries + tail)
    data = probe(run, file)
    assert "facts" in data
    assert "tensors" not in json.dumps(data["findings"])
