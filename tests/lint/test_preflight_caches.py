"""What a run fills beside its output, and the checkpoint that it goes on from, on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.facts import Machine, Place, Places
from medic.index.knowledge import load
from medic.preflight import Scene, look_at
from medic.preflight.scene import judge
from medic.records import replace

INDEX = load()
GIB = 1 << 30
COMMAND = (
    "torchrun --nproc_per_node 8 run_clm.py --model_name_or_path meta-llama/Meta-Llama-3-8B "
    "--per_device_train_batch_size 1 --bf16 --output_dir FOLDER/o"
)


def _looked(folder: Path, text: str, *names: str) -> list[tuple[str, str, str]]:
    script = folder / "run.sh"
    script.write_text(text.replace("FOLDER", str(folder)) + "\n")
    (folder / "run_clm.py").touch()
    paths = [str(script), *(str(folder / name) for name in names)]
    found = look_at(collect(paths), INDEX).results
    told = [(r.name, r.state, r.text.en.replace(str(folder), "FOLDER")) for r in found]
    return [one for one in told if one[0] in ("cache", "offload") or "resume" in one[2]]


def test_caches_that_the_script_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("TMPDIR", raising=False)
    (tmp_path / "file").touch()
    text = f"export HF_HOME=FOLDER/hf\nexport TORCH_HOME=FOLDER/file\nWANDB_DIR=$OTHER\n{COMMAND}"
    found = _looked(tmp_path, text)
    assert [(state, told.partition(";")[0]) for _, state, told in found] == [
        ("ok", "HF_HOME: FOLDER/hf can be written (it will be made below FOLDER)"),
        ("not-ok", "TORCH_HOME: FOLDER/file is no folder"),
        ("ok", "TRITON_CACHE_DIR: FOLDER can be written"),
    ]


DS = (
    '{"zero_optimization": {"stage": 3, "offload_optimizer": {"device": "DEVICE", '
    '"nvme_path": "FOLDER/nv"}}}'
)


@pytest.mark.parametrize(
    ("device", "made", "words"),
    [
        ("nvme", True, ["the offloaded states take at least 89.7 GiB"]),  # 12 bytes x 8.03e9
        ("nvme", False, ["it would be made below FOLDER, on that disk"]),
        ("cpu", False, []),
    ],
)
def test_what_is_offloaded_to_a_disk(
    tmp_path: Path, device: str, made: bool, words: list[str]
) -> None:
    if made:
        (tmp_path / "nv").mkdir()
    config = DS.replace("FOLDER", str(tmp_path)).replace("DEVICE", device)
    (tmp_path / "ds.json").write_text(config)
    text = f"{COMMAND} --deepspeed FOLDER/ds.json"
    found = [one for one in _looked(tmp_path, text, "ds.json") if one[0] == "offload"]
    assert len(found) == len(words)
    assert all(one in told for one, (_, _, told) in zip(words, found, strict=True))
    assert made or all(state == "not-ok" for _, state, _ in found)


def test_the_size_of_a_checkpoint_beside_an_engine_that_shards(tmp_path: Path) -> None:
    config = DS.replace("FOLDER", str(tmp_path)).replace("DEVICE", "nvme")
    (tmp_path / "ds.json").write_text(config)
    script = tmp_path / "run.sh"
    script.write_text(f"{COMMAND} --deepspeed FOLDER/ds.json\n".replace("FOLDER", str(tmp_path)))
    results = look_at(collect([str(script), str(tmp_path / "ds.json")]), INDEX).results
    (told,) = (one.text.en for one in results if one.name == "disk-space")
    assert "a checkpoint takes about 104.7 GiB" in told
    for switch in ("--use_lora", "--use_lora True"):  # adapters alone are saved
        text = script.read_text().replace(" --deepspeed", f" {switch} --deepspeed")
        (tmp_path / "lora.sh").write_text(text)
        files = [str(tmp_path / "lora.sh"), str(tmp_path / "ds.json")]
        results = look_at(collect(files), INDEX).results
        assert "checkpoint takes" not in " ".join(r.text.en for r in results)


@pytest.mark.parametrize(
    ("files", "path", "state", "end"),
    [
        (("checkpoint-5/trainer_state.json",), "FOLDER/checkpoint-5", "ok", ""),
        (("checkpoint-5/trainer_state.json",), "FOLDER", "not-ok", "the last one is checkpoint-5"),
        (("final/model.safetensors",), "FOLDER/final", "not-ok", "starts again at step 0"),
        (("last.ckpt",), "FOLDER/last.ckpt", "not-ok", "is an empty file"),
        ((), "FOLDER/checkpoint-5", "not-ok", "is not here"),
        ((), "checkpoint-5", "not-ok", "is not here"),
        ((), "True", "", ""),
    ],
)
def test_the_checkpoint_that_is_gone_on_from(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    files: tuple[str, ...],
    path: str,
    state: str,
    end: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = _looked(tmp_path, f"{COMMAND} --resume_from_checkpoint {path}")
    found = [one for one in found if one[0] == "data"]
    assert [one[1] for one in found] == [state] * bool(state)
    assert all(told.endswith(end) for _, _, told in found) or not end or end in found[0][2]


CACHE = Place("HF_HOME", "/hf", exists=True, writable=True, holder="/hf", free=9 * GIB)


@pytest.mark.parametrize(
    ("place", "state", "words"),
    [
        (CACHE, "ok", "9.0 GiB free"),
        (replace(CACHE, free=GIB // 2), "not-ok", "only 0.5 GiB free"),
        (replace(CACHE, free_files=0), "not-ok", "no inode left"),
        (replace(CACHE, writable=False), "not-ok", "cannot be written to"),
        (replace(CACHE, sure=False), "not-seen", "container"),
    ],
)
def test_room_and_rights(place: Place, state: str, words: str) -> None:
    scene = Scene(INDEX, machine=Machine(), places=Places(beside=(place,)))
    (found,) = (r for r in judge(scene).results if r.name == "cache")
    assert found.state == state
    assert words in found.text.en
