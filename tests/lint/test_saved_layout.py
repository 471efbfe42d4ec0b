"""A checkpoint that lies beside the launch, against the parallel sizes that it goes on with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.commands import main
from medic.index.knowledge import load
from medic.lint.files import lint

INDEX = load()
NAMES = frozenset(
    ("no-checkpoint-at-path", "zero-checkpoint-other-world-size", "parallel-layout-changed")
)
MEGATRON = (
    "torchrun --nproc_per_node 8 pretrain_gpt.py --tensor-model-parallel-size 4 --num-layers 32 "
    "--hidden-size 4096 --num-attention-heads 32 --seq-length 2048 --max-position-embeddings 2048 "
    "--micro-batch-size 1 --global-batch-size 64 --train-iters 2000 --lr 1e-4 --bf16 --load ckpt "
)
ZERO = (
    "deepspeed --num_gpus 8 run_clm.py --deepspeed ds.json --model_name_or_path gpt2 "
    "--output_dir out --resume_from_checkpoint out/checkpoint-500 --bf16 True "
)
TAG = "latest_checkpointed_iteration.txt"
STATES = "out/checkpoint-500/global_step500/bf16_zero_pp_rank_{n}_mp_rank_00_optim_states.pt"


def told(
    folder: Path, text: str, files: Sequence[str], engine: str = "", **pointers: str
) -> list[tuple[str, str]]:
    """(check, message) of a launch in a folder with these files; ``pointers``: what those say."""
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("", "utf-8")
    for name, says in pointers.items():
        file = next(folder.rglob("*.pt")).parents[{"iteration": 2, "latest": 1}[name]]
        (file / (TAG if name == "iteration" else name)).write_text(says, "utf-8")
    given = [folder / "run.sh"]
    given[0].write_text(text + "\n", "utf-8")
    (folder / "ds.json").write_text(
        '{"zero_optimization": {"stage": 3}, "bf16": {"enabled": "auto"}' + engine + "}", "utf-8"
    )
    given += [folder / "ds.json"] if "ds.json" in text else []
    report = lint(collect([str(file) for file in given]), INDEX, NAMES)
    return [(one.name, one.message.en) for one in report.findings]


def ranks(*names: str, step: str = "iter_0001000") -> list[str]:
    return [f"ckpt/{step}/{name}/model_optim_rng.pt" for name in names]


TWO = ranks("mp_rank_00", "mp_rank_01")
FOUR = ranks("mp_rank_00", "mp_rank_01", "mp_rank_02", "mp_rank_03")
PIPELINE = ranks("mp_rank_00_000", "mp_rank_03_001")


@pytest.mark.parametrize(
    ("files", "more", "words"),
    [
        (TWO, "", "ckpt/iter_0001000 was saved with tensor_parallel_size 2, the launch has 4"),
        (PIPELINE, "", "saved with pipeline_parallel_size 2, the launch has 1"),
        (FOUR, "--pipeline-model-parallel-size 2", "pipeline_parallel_size 1, the launch has 2"),
    ],
)
def test_the_classic_format_is_not_split_anew(
    tmp_path: Path, files: list[str], more: str, words: str
) -> None:
    (found,) = told(tmp_path, MEGATRON + more, files, iteration="1000")
    assert found[0] == "parallel-layout-changed"
    assert words in found[1]


@pytest.mark.parametrize(
    ("files", "more"),
    [
        (FOUR, ""),
        (PIPELINE, "--pipeline-model-parallel-size 2"),
        (ranks("mp_rank_00_000", "mp_rank_03_001"), "--expert-model-parallel-size 2"),
        (TWO, "--use-checkpoint-args"),
        (["ckpt/iter_0001000/.metadata", "ckpt/iter_0001000/d/__0_0.pt"], ""),
    ],
)
def test_what_fits_or_reshapes_is_quiet(tmp_path: Path, files: list[str], more: str) -> None:
    assert told(tmp_path, MEGATRON + more, files, iteration="1000") == []


def test_a_first_start_has_no_checkpoint_yet(tmp_path: Path) -> None:
    assert told(tmp_path, MEGATRON, []) == []


def test_a_pointer_that_names_no_folder(tmp_path: Path) -> None:
    (found,) = told(tmp_path, MEGATRON, FOUR, iteration="2000")
    assert found == (
        "no-checkpoint-at-path",
        f"ckpt/{TAG} names iter_0002000, and no such folder lies beside it",
    )


def states(count: int) -> list[str]:
    return [STATES.format(n=n) for n in range(count)]


@pytest.mark.parametrize("text", [ZERO, ZERO.replace("out/checkpoint-500", "True")])
def test_zero_is_not_split_anew(tmp_path: Path, text: str) -> None:
    (found,) = told(tmp_path, text, states(4), latest="global_step500")
    assert found[0] == "zero-checkpoint-other-world-size"
    assert "global_step500 was saved by 4 data parallel ranks, the launch has 8" in found[1]


@pytest.mark.parametrize(
    ("count", "engine"),
    [(8, ""), (4, ', "checkpoint": {"load_universal": true}')],
)
def test_zero_of_as_many_ranks_or_universal_is_quiet(
    tmp_path: Path, count: int, engine: str
) -> None:
    assert told(tmp_path, ZERO, states(count), engine, latest="global_step500") == []


def test_how_many_gpus_are_used_is_not_known(tmp_path: Path) -> None:
    text = ZERO.replace("--num_gpus 8 ", "")
    assert told(tmp_path, text, states(4), latest="global_step500") == []


def test_a_checkpoint_beside_others_of_its_kind_is_missing(tmp_path: Path) -> None:
    text = ZERO.replace("checkpoint-500", "checkpoint-600")
    (found,) = told(tmp_path, text, states(8), latest="global_step500")
    assert found == (
        "no-checkpoint-at-path",
        "out/checkpoint-600 is not there; out has checkpoint-500",
    )
    first = f"{ZERO.replace('--resume_from_checkpoint out/checkpoint-500', '')}\n{text}"
    assert told(tmp_path, first, []) == []


def test_preflight_reads_the_engine_that_the_command_names(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    state: object,
) -> None:
    told(tmp_path, ZERO, states(4), latest="global_step500")
    monkeypatch.chdir(tmp_path)
    assert main(["--lang", "en", "preflight", "run.sh"]) == 1
    assert "zero-checkpoint-other-world-size (CKP-043, error)" in capsys.readouterr().out
