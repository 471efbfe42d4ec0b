"""A bundle is diagnosed as the folder that it was made of, and names nobody."""

from __future__ import annotations

import json
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from medic.bundle import make, standins
from medic.bundle.opened import opened
from medic.case.collect import collect
from medic.index.knowledge import load
from medic.session.consultation import Session

INDEX = load()
CASES = Path(__file__).parents[1] / "cases"
LAB = Path(__file__).parents[1] / "lab" / "recorded"
UUID = "5f3a1b2c-1234-5678-9abc-def012345678"
# A bar that overwrites itself: one line, of which each part would be one of its own.
BAR = "".join(f"\repoch 0: {n}%|#| {n}/99 [00:0{n % 9}, loss={9 - n / 20:.3f}]" for n in range(99))
LOG = (
    f"gpuserver07:51:77 [0] NCCL INFO Bootstrap : Using eth0:10.1.2.3<0>\n"
    f"gpuserver08:49:33 [1] NCCL INFO Bootstrap : Using eth0:10.1.2.4<0>\n"
    f"GPU 0: NVIDIA H100 (UUID: GPU-{UUID})\nCUDA_VISIBLE_DEVICES=GPU-{UUID}\n"
    f"logged in as: mschmidt\nsrun: error: gpuserver08: task 1: Killed\nlost gpuserver09\n{BAR}\n"
)


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["medic.bundle.make"], "state_dir", lambda *_: tmp_path)


def packed(folder: Path, tmp_path: Path) -> str:
    target = str(tmp_path / "b.tar.gz")
    make(collect([str(folder)]), target, with_host=False)
    return target


def told(path: str) -> Any:
    session = Session(INDEX, collect(list(opened([path]).paths)))
    session.look()
    found = session.diagnosis()
    first = [(c.name, c.word) for c in found.causes[:1]]
    return found.verdict, first, {(o.name, o.outcome) for o in session.evidence.observed}


@pytest.mark.parametrize(
    "folder",
    [CASES / "wrong-network-interface" / "fires-1", LAB / "uneven-batches", LAB / "worker-killed"],
    ids=lambda p: p.name,
)
def test_a_bundle_says_what_its_folder_says(folder: Path, tmp_path: Path) -> None:
    assert told(packed(folder, tmp_path)) == told(str(folder))


def test_hosts_users_and_gpus_have_one_name_each(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "train-gpuserver07.log").write_text(LOG)
    bundle = packed(folder, tmp_path)
    assert told(bundle) == told(str(folder))
    with tarfile.open(bundle) as archive:
        texts = {m.name: archive.extractfile(m).read().decode() for m in archive}  # type: ignore[union-attr]
    whole = "".join((*texts, *texts.values()))
    for word in ("gpuserver", "mschmidt", UUID, "10.1.2."):
        assert word not in whole
    text = texts["medic-bundle/run/train-<host1>.log"]
    assert text.count("GPU-<gpu1>") == 2
    assert text.count("<host2>") == 2
    manifest = json.loads(texts["medic-bundle/manifest.json"])
    assert manifest["files"][0]["replaced"] == {"gpu": 2, "host": 4, "ip": 2, "user": 1}


def test_what_is_read_in_place_of_hidden_names(tmp_path: Path) -> None:
    folder = tmp_path / "medic-bundle" / "<host2>"
    folder.mkdir(parents=True)
    (folder / "<user1>.log").write_text(
        "<host1>:4:5 [0] NCCL INFO eth0:<ip258><0> <key1> <host2>\n"
    )
    standins.put_in(tmp_path / "medic-bundle")
    read = tmp_path / "medic-bundle" / "host2" / "user1.log"
    assert read.read_text() == "host1:4:5 [0] NCCL INFO eth0:10.0.1.2<0> <key1> host2\n"
