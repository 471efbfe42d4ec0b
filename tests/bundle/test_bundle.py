"""One redacted file: what is in it, and what is not."""

from __future__ import annotations

import errno
import gzip
import json
import pickle
import stat
import sys
import tarfile
import time
from pathlib import Path

import pytest

from medic.bundle import host, make, unpack
from medic.case.collect import collect
from medic.commands import main
from medic.errors import UsageError
from medic.redact.hide import Redactor

from .packing import members, packed

HIDDEN = (
    "AbCdEfGhIjKl", "0123456789abcdef", "IOSFODNN7", "wJalrXUtn", "s3cr3tpw", "abcdef1234567890",
    "hunter2", "ZyXwVuTs", "PoNmLkJi", "ana.lee", "gpu-node-17", "10.20.30.41", "fe23:4567",
    "corp.example.com",
)  # fmt: skip


def test_nothing_secret_is_in_it_by_name_text_or_manifest(run: Path, tmp_path: Path) -> None:
    target = packed(run, tmp_path)
    data = gzip.decompress(target.read_bytes()).decode("utf-8", "replace")
    assert [word for word in HIDDEN if word in data] == []
    assert "<host1>" in data


def test_files_of_two_folders_keep_their_folders(tmp_path: Path) -> None:
    for folder in ("node0", "node1", "a/sub", "b/sub"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "train.log").write_text(f"step 1 in {folder}\n")
    with gzip.open(tmp_path / "node0" / "train.log.gz", "wt") as file:
        file.write("step 1 packed\n")
    for number, (given, wanted) in enumerate(
        [
            (("node0", "node1"), {"node0/train.log", "node0/train-2.log", "node1/train.log"}),
            (("node1/train.log", "a/sub/train.log"), {"node1/train.log", "sub/train.log"}),
            (("a/sub", "b/sub"), {"a/sub/train.log", "b/sub/train.log"}),
            (("node1", "node1/train.log"), {"train.log"}),
        ]
    ):
        output = str(tmp_path / f"{number}.tar.gz")
        make(collect([str(tmp_path / g) for g in given]), output, with_host=False)
        with tarfile.open(output) as archive:
            found = archive.getnames()
        assert len(found) == len(set(found))
        begin = "medic-bundle/run/"
        assert {n.removeprefix(begin) for n in found if n.startswith(begin)} == wanted


def test_the_same_host_has_the_same_name_everywhere(run: Path, tmp_path: Path) -> None:
    found = members(packed(run, tmp_path))
    (log,) = (name for name in found if name.startswith("run/logs/"))
    label = log.removeprefix("run/logs/train-").removesuffix(".log")
    assert f"MASTER_ADDR={label} " in found[log]
    assert f"[{label}:0] NCCL" in found[log]


def test_lines_keep_their_numbers_and_settings_their_values(run: Path, tmp_path: Path) -> None:
    found = members(packed(run, tmp_path))
    (log,) = (text for name, text in found.items() if name.startswith("run/logs/"))
    before = (run / "logs" / "train-gpu-node-17.log").read_text("utf-8")
    assert log.count("\n") == before.count("\n")
    assert found["run/config.yaml"] == (run / "config.yaml").read_text("utf-8")


def test_a_second_scan_of_the_finished_file_finds_nothing(run: Path, tmp_path: Path) -> None:
    for name, text in members(packed(run, tmp_path)).items():
        assert Redactor()(text) == text, name


def test_a_scan_that_still_finds_something_writes_nothing(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []

    def forgetful(self: Redactor, text: str) -> str:
        calls.append(1)
        return text if len(calls) < 12 else text.replace("loss", "<x>")

    monkeypatch.setattr(Redactor, "__call__", forgetful)
    with pytest.raises(UsageError, match="second scan"):
        packed(run, tmp_path)
    assert not (tmp_path / "b.tar.gz").exists()


def test_the_map_stays_here_and_is_private(run: Path, tmp_path: Path) -> None:
    target = tmp_path / "b.tar.gz"
    made = make(collect([str(run)]), str(target))
    assert stat.S_IMODE(Path(made.map_path).stat().st_mode) == 0o600
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    kept = json.loads(Path(made.map_path).read_text("utf-8"))
    assert "gpu-node-17" in kept.values()
    assert not [name for name in members(target) if "map" in name]


def test_without_its_map_no_bundle_is_written(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = sys.modules["medic.bundle.make"]
    monkeypatch.setattr(module, "state_dir", lambda *_: tmp_path / "gone")
    with pytest.raises(UsageError, match="No such file"):
        make(collect([str(run)]), str(tmp_path / "b.tar.gz"))
    assert not (tmp_path / "b.tar.gz").exists()


def test_a_bundle_that_breaks_off_leaves_nothing(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tarfile.TarFile, "addfile", full)
    with pytest.raises(UsageError, match="No space left"):
        make(collect([str(run)]), str(tmp_path / "b.tar.gz"))
    assert not (tmp_path / "b.tar.gz").exists()
    assert list((tmp_path / "state" / "bundles").iterdir()) == []


def test_the_manifest_tells_what_is_in_it_and_what_is_not(run: Path, tmp_path: Path) -> None:
    import hashlib

    found = members(packed(run, tmp_path))
    manifest = json.loads(found["manifest.json"])
    assert manifest["schema"] == "medic.bundle/1"
    assert {row["name"] for row in manifest["files"]} == set(found) - {"manifest.json"}
    for row in manifest["files"]:
        assert row["sha256"] == hashlib.sha256(found[row["name"]].encode()).hexdigest()
    assert [row["name"] for row in manifest["left_out"]] == ["model.safetensors"]
    assert "best effort" in manifest["redaction"]["note"]


def test_training_data_stay_and_are_called_so(run: Path, tmp_path: Path) -> None:
    row = json.dumps({"instruction": "add", "input": "1 and 2", "output": "3"})
    (run / "train.jsonl").write_text(f"{row}\n" * 9)
    made = make(collect([str(run)]), str(tmp_path / "b.tar.gz"), with_host=False)
    why = {row["name"]: row["why"].en for row in made.left_out}
    assert "training data" in why["train.jsonl"]


@pytest.mark.parametrize("packed_with", [None, gzip.open])
def test_a_long_log_keeps_its_begin_and_its_end(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed_with: object
) -> None:
    sizes = sys.modules["medic.bundle.content"]
    for name, value in (("WHOLE", 80_000), ("BEGIN", 10_000), ("END", 60_000)):
        monkeypatch.setattr(sizes, name, value)
    monkeypatch.setattr(sys.modules["medic.bundle.middle"], "THINNED", 5_000)
    text = "first line\n" + "step 1 loss 2.0\n" * 20_000 + "last line\n"
    if packed_with is None:
        (run / "logs" / "long.log").write_text(text, "utf-8")
    else:
        with gzip.open(run / "logs" / "long.log.gz", "wt") as file:
            file.write(text)
    found = members(packed(run, tmp_path))
    kept = found["run/logs/long.log"]
    assert 60_000 < len(kept) < 75_000
    assert kept.startswith("first line\n")
    assert kept.endswith("last line\n")
    assert "bytes cut here" in kept
    rows = json.loads(found["manifest.json"])["files"]
    row = next(r for r in rows if r["name"] == "run/logs/long.log")
    assert row["cut_bytes"] > 240_000


def test_a_huge_sparse_log_is_cut_without_being_read(run: Path, tmp_path: Path) -> None:
    with (run / "logs" / "huge.log").open("wb") as file:
        file.write(b"first line\n")
        file.seek(20 << 30)
        file.write(b"\nlast line\n")
    text = members(packed(run, tmp_path))["run/logs/huge.log"]
    assert text.endswith("\nlast line\n")
    assert len(text) < 1 << 20


def test_compressed_logs_are_redacted_too(run: Path, tmp_path: Path) -> None:
    with gzip.open(run / "logs" / "old.log.gz", "wt") as file:
        file.write("HF_TOKEN=hf_AbCdEfGhIjKlMnOpQr\n")
    found = members(packed(run, tmp_path))
    assert found["run/logs/old.log"] == "HF_TOKEN=<key1>\n"


def test_a_recorder_dump_becomes_json_that_is_read(run: Path, tmp_path: Path) -> None:
    call = {
        "collective_seq_id": 5,
        "pg_id": 0,
        "process_group": ["0", "default_pg"],
        "profiling_name": "nccl:all_reduce",
        "state": "scheduled",
        "input_sizes": [[4]],
        "output_sizes": [[4]],
        "time_created_ns": 1,
        "retired": False,
        "frames": [{"name": "f", "filename": "/home/ana.lee/t.py", "line": 3}],
    }
    dump = {
        "version": "2.4",
        "pg_config": {"0": {"ranks": "[0, 1]"}},
        "pg_status": {},
        "entries": [call],
    }
    (run / "nccl_trace_rank_0").write_bytes(pickle.dumps(dump, protocol=2))
    found = members(packed(run, tmp_path))
    again = json.loads(found["run/nccl_trace_rank_0.json"])
    assert again["entries"][0]["collective_seq_id"] == 5
    assert "ana.lee" not in found["run/nccl_trace_rank_0.json"]


def test_what_is_there_is_not_overwritten(run: Path, tmp_path: Path) -> None:
    packed(run, tmp_path)
    with pytest.raises(UsageError, match="there already"):
        packed(run, tmp_path)


def test_only_the_kernels_lines_about_training_and_of_the_time_are_kept() -> None:
    now = time.mktime((2026, 3, 4, 12, 0, 0, 0, 0, -1))
    lines = [
        "[Wed Mar  4 11:00:00 2026] NVRM: Xid (PCI:0000:1b:00): 79",
        "[Wed Mar  4 11:00:00 2026] bash[3]: segfault at 0",
        "[Sun Mar  1 11:00:00 2026] NVRM: Xid (PCI:0000:1b:00): 31",
    ]
    assert [
        line.split("Xid")[1][-3:].strip() for line in host.kernel_lines("\n".join(lines), now)
    ] == ["79"]


def test_the_json_of_collect_keeps_its_contract(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import jsonschema

    from medic.report.schemas import COLLECTED

    assert main(["collect", str(run), "-o", str(tmp_path / "d.tar.gz"), "--json"]) == 0
    jsonschema.validate(json.loads(capsys.readouterr().out), COLLECTED)


def test_collect_the_command(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "c.tar.gz"
    assert main(["collect", str(run), "-o", str(target), "--lang", "en"]) == 0
    said = capsys.readouterr().out
    assert "best effort" in said
    assert "model.safetensors" in said
    assert "run/logs/train-<host" in said
    assert main(["collect", str(run), "-o", "x.zip"]) == 2


def test_text_of_other_encodings_is_not_lost(tmp_path: Path) -> None:
    """GBK becomes UTF-8; bytes that are no text stay as they are."""
    run = tmp_path / "run"
    run.mkdir()
    words = "训练中断：显存不足"
    (run / "train.log").write_bytes(f"step 1 {words}\n".encode("gbk") + b"caf\xe9 r\xf4le\n")
    (run / "config.yaml").write_bytes(f"lr: 0.1  # {words}\n".encode("gbk"))
    made = make(collect([str(run)]), str(tmp_path / "b.tar.gz"), with_host=False)
    folder = tmp_path / "out"
    folder.mkdir()
    unpack(made.path, str(folder))
    [log] = folder.rglob("train.log")
    assert log.read_bytes() == f"step 1 {words}\n".encode() + b"caf\xe9 r\xf4le\n"
    [config] = folder.rglob("config.yaml")
    assert words in config.read_text("utf-8")


def test_what_a_person_wrote_goes_along(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    words = "Since yesterday our loss is NaN after about 2000 steps on all of the nodes.\n"
    (run / "notes.txt").write_text(words)
    (run / "config.yaml").write_text("lr: 0.1\n")
    made = make(collect([str(run)]), str(tmp_path / "b.tar.gz"), with_host=False)
    folder = tmp_path / "out"
    folder.mkdir()
    unpack(made.path, str(folder))
    [note] = folder.rglob("pasted.txt")
    assert "NaN after about 2000 steps" in note.read_text()
