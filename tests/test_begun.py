"""What fires in the files of a run that trained, though no run with it gets past its start."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.planner.verdict import CLEAN
from medic.session.consultation import Session
from medic.session.diagnosis import Diagnosis

INDEX = load()
STEPS = "".join(
    f"{{'loss': {2.2 + 40 / (n + 10):.4f}, 'grad_norm': 0.5, 'learning_rate': 1e-4, 'epoch': {n / 100:.2f}}}\n"
    for n in range(1, 101)
)
MISSING = "accelerate launch --config_file fsdp.yaml --num_processes 4 sft.py > train.log 2>&1\n"
NOT_FOUND = (
    "Traceback (most recent call last):\n"
    '  File "/opt/venv/bin/accelerate", line 8, in <module>\n    sys.exit(main())\n'
    "FileNotFoundError: [Errno 2] No such file or directory: 'fsdp.yaml'\n"
)


def found(folder: Path, log: str, said: str = "") -> Diagnosis:
    (folder / "run.sh").write_text(MISSING)
    (folder / "sft.py").write_text("import trl\n")
    if log:
        (folder / "train.log").write_text(log)
    session = Session(INDEX, collect([str(folder)], text=said, index=INDEX))
    session.look()
    return session.diagnosis()


def named(answer: Diagnosis) -> set[str]:
    return {c.name for c in (*answer.causes, *answer.also_wrong)}


def test_a_run_that_trained_disproves_what_ends_at_the_start(tmp_path: Path) -> None:
    answer = found(tmp_path, STEPS)
    assert answer.verdict in CLEAN
    notes = [n for n in answer.notes if n.name == "path-wrong-or-forbidden"]
    assert len(notes) == 1
    assert "got past its start" in notes[0].text.en
    assert "已过启动阶段" in notes[0].text.zh


@pytest.mark.parametrize(
    ("log", "said"),
    [("", ""), (NOT_FOUND, ""), (STEPS[:40], ""), (STEPS + "restart\n" + NOT_FOUND, "")],
)
def test_it_stands_where_no_run_trained_or_it_was_seen(tmp_path: Path, log: str, said: str) -> None:
    assert "path-wrong-or-forbidden" in named(found(tmp_path, log, said))


def test_it_stands_where_the_user_tells_of_it(tmp_path: Path) -> None:
    said = "Now it stops at once: FileNotFoundError: No such file or directory: 'fsdp.yaml'"
    assert "path-wrong-or-forbidden" in named(found(tmp_path, STEPS, said))


@pytest.mark.parametrize(("sizes", "wrong"), [((64, 512), False), ((512, 512), True)])
def test_a_batch_that_grows_disproves_that_its_option_has_no_effect(
    tmp_path: Path, sizes: tuple[int, int], wrong: bool
) -> None:
    (tmp_path / "run.sbatch").write_text(
        "srun torchrun --nproc_per_node=8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 "
        "--num-attention-heads 32 --seq-length 8192 --max-position-embeddings 8192 --micro-batch-size 1 "
        "--global-batch-size 512 --train-iters 60000 --rampup-batch-size 64 64 600000 --lr 3.0e-4 --bf16\n"
    )
    (tmp_path / "slurm-5.out").write_text(
        "".join(
            f" [2025-03-02 01:{n // 2:02d}:{n % 2 * 30:02d}] iteration {n + 1:8d}/   60000 | consumed samples: 9 | "
            f"elapsed time per iteration (ms): {sizes[n >= 60] * 10:.1f} | global batch size: {sizes[n >= 60]} | "
            f"lm loss: {3 - n / 200:.6E} | grad norm: 0.5 |\n"
            for n in range(118)
        )
    )
    session = Session(INDEX, collect([str(tmp_path)], index=INDEX))
    session.look()
    answer = session.diagnosis()
    assert ("option-without-effect" in named(answer)) is wrong
    assert ("batch that grows" in "".join(n.text.en for n in answer.notes)) is not wrong
