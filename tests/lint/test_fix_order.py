"""What ``--fix`` leaves: its exit code, and the fixes that another one takes the ground from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from medic.commands import main

SCHEDULE = (
    "global_batch_size: 512\n"
    "sequence_length: 4096\n"
    "total_tokens: 1000000000000\n"
    "total_steps: 100000\n"
    "warmup_steps: 200000\n"
    "learning_rate: 3.0e-4\n"
)
LAUNCH = (
    "#!/bin/bash\n"
    "export NCCL_SOCKET_IFNAME=lo\n"
    "accelerate launch --num_machines 2 --num_processes 16 --machine_rank $RANK \\\n"
    "  --main_process_ip 10.0.0.1 --main_process_port 29500 \\ \n"
    "  train.py --bf16 True --output_dir out\n"
)
Write = Callable[[str, str], Path]


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.setenv("MEDIC_STATE", str(tmp_path / "state"))

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_a_fix_waits_for_the_value_that_it_is_computed_from(
    written: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written("pre.yaml", SCHEDULE)
    main(["lint", str(path), "--fix", "--unsafe-fixes"])
    now = SCHEDULE.replace("total_steps: 100000", "total_steps: 476837")
    assert path.read_text() == now
    assert "warmup_steps: 200000" in capsys.readouterr().out  # which of the two was meant is asked


def test_the_exit_code_is_that_of_what_is_left(
    written: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written("run.sh", LAUNCH)
    code = main(["lint", str(path), "--fix"])
    assert "rendezvous-endpoint-wrong" in capsys.readouterr().out
    assert (code, main(["lint", str(path)])) == (1, 1)


def test_nothing_left_is_no_finding(written: Write) -> None:
    path = written("pre.yaml", SCHEDULE)
    assert main(["lint", str(path), "--fix"]) == main(["lint", str(path)])


MEGATRON = (
    "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 8 --hidden-size 1024 --bf16 \\\n"
    "  --num-attention-heads 16 --seq-length 1024 --max-position-embeddings 1024 \\\n"
    "  --micro-batch-size 2 --global-batch-size 64 --lr 1e-4 --train-iters 1000 --save out \\\n"
    "  --save-interval 100 {more}\n"
)


def test_what_a_name_set_right_may_settle_waits_for_it(
    written: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written("run.sh", MEGATRON.format(more="--model-parallel-size 2 --sequence-parallel"))
    main(["lint", str(path), "--fix"])  # older releases have the name: it is not safe
    assert "--sequence-parallel" in path.read_text()
    capsys.readouterr()
    main(["lint", str(path), "--fix", "--unsafe-fixes"])
    now = MEGATRON.format(more="--tensor-model-parallel-size 2 --sequence-parallel")
    assert path.read_text() == now
    assert "run it again" not in capsys.readouterr().err


def test_what_depends_on_no_other_name_is_not_kept_waiting(written: Write) -> None:
    path = written("run.sh", MEGATRON.format(more="--sequence-parallel"))
    main(["lint", str(path), "--fix"])
    assert "--sequence-parallel" not in path.read_text()


@pytest.mark.parametrize(("value", "left"), [("false", ""), ("true", "--sequence-parallel ")])
def test_a_switch_with_a_value_stays_what_the_value_says(
    written: Write, value: str, left: str
) -> None:
    more = f"--sequence-parallel {value} --tensor-model-parallel-size 2"
    path = written("run.sh", MEGATRON.format(more=more))
    main(["lint", str(path), "--fix"])
    assert path.read_text() == MEGATRON.format(more=f"{left}--tensor-model-parallel-size 2")


JOB = (
    "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gpus-per-node=8\n#SBATCH --ntasks-per-node=1\n"
    "srun torchrun --nnodes {nodes} --nproc_per_node 8 --rdzv_backend c10d \\\n"
    "  --rdzv_endpoint $MASTER_ADDR:29500 run_clm.py --deepspeed ds.json \\\n"
    "  --per_device_train_batch_size 2 --gradient_accumulation_steps 4 --output_dir out\n"
)
ENGINE = (
    '{"zero_optimization": {"stage": 1}, "train_batch_size": 128, "train_micro_batch_size_per_gpu": 2,'
    ' "gradient_accumulation_steps": 4}\n'
)


@pytest.mark.parametrize(("nodes", "waits"), [(4, True), (2, False)])
def test_a_batch_waits_for_the_number_of_processes(written: Write, nodes: int, waits: bool) -> None:
    script = written("run.sbatch", JOB.format(nodes=nodes))
    engine = written("ds.json", ENGINE if waits else ENGINE.replace("128", "256"))
    before = engine.read_text(), script.read_text()
    main(["lint", str(script), str(engine), "--fix", "--unsafe-fixes"])
    assert ((engine.read_text(), script.read_text()) == before) is waits
