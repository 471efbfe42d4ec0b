"""Values of files that no framework reads, flags of another framework, faults that are told once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from medic.commands import main
from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
IMPOSSIBLE = "impossible-value"
MEGATRON = (
    "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 "
    "--num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 "
    "--micro-batch-size 1 --global-batch-size 256 --train-iters 1000 --lr 3e-4 --bf16"
)
RLHF = "python3 -m openrlhf.cli.train_ppo_ray --pretrain some/base --micro_train_batch_size 4"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("micro_batch_size: 4\ngrad_accum: 0\nseq_length: 0\n", [2, 3]),
        ("micro_batch_size: 4\nmax_steps: -5\nlr: -1e-4\n", [2, 3]),
        ("train:\n  device_batch_size: 4\n  learning_rate: -3.0e-4\n  max_iters: -100\n", [3, 4]),
        ("micro_batch_size: 99999999999999999999999\nlr: 1.0e-4\n", [1]),
        ("micro_batch_size: 4\nworld_size: 0\n", [2]),
        # Not set, worked out by the program, or of another thing.
        ("micro_batch_size: 4\nmax_steps: -1\nlr: 1.0e-4\nwarmup_steps: 0\n", []),
        ("micro_batch_size: 4\nworld_size: 0\nrank: 0\nlocal_rank: 0\n", []),
        ("micro_batch_size: 4\ngrad_accum: 0\nglobal_batch_tokens: 500000\n", []),
        ("micro_batch_size: 4\nmax_seq_length: 0\nquant:\n  eps: -1.0\n", []),
    ],
)
def test_values_under_own_names(lint_text: Lint, text: str, lines: list[int]) -> None:
    found = lint_text(text, "train.yaml")
    assert [f.line for f in found if f.name == IMPOSSIBLE] == lines


@pytest.mark.parametrize(
    ("command", "flag", "told"),
    [
        (MEGATRON, "--mixed-precision bf16", True),
        (MEGATRON, "--per-device-train-batch-size 4", True),
        (RLHF, "--mixed_precision bf16", True),
        (MEGATRON, "--our-own-option 3", False),  # of an extra_args_provider
        (MEGATRON.replace("pretrain_gpt.py", "train.py"), "--mixed-precision bf16", False),
        (RLHF, "--learning_rate 1e-6", True),  # train_sft and train_dpo have it
    ],
)
def test_flags_of_another_framework(lint_text: Lint, command: str, flag: str, told: bool) -> None:
    found = lint_text(f"{command} {flag}\n", "run.sh")
    assert (
        any(
            f.name == "misspelt-flag" and flag.split(maxsplit=1)[0] in f"{f.message}" for f in found
        )
        == told
    )


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("N=8\ntorchrun --nproc_per_node='$N' train.py\n", [10]),
        ("n=8\nNPROC_PER_NODE='$n' \\\nswift sft --model a/b\n", [16]),
        ("n=8\nNPROC_PER_NODE='$n' swift sft --model a/b\n", [16]),
        ('n=8\nNPROC_PER_NODE="$n" swift sft --model a/b\n', []),
        ("n=8\nFORMAT='$n' envsubst < a.in\n", []),
    ],
)
def test_single_quotes_are_told_once(lint_text: Lint, text: str, columns: list[int]) -> None:
    found = [f for f in lint_text(text, "run.sh") if f.name == "shell-reads-otherwise"]
    assert [f.column for f in found] == columns


@pytest.mark.parametrize(
    ("time", "steps", "told"),
    [("2:00", 50_000, True), ("8:30", 50_000, True), ("2:00:00", 50_000, False), ("2:00", 20, False),
     ("45:00", 50_000, False)],
)  # fmt: skip
def test_minutes_for_a_long_run(lint_text: Lint, time: str, steps: int, told: bool) -> None:
    text = f"#!/bin/bash\n#SBATCH -t {time}\n{MEGATRON}\n".replace("1000", str(steps))
    found = [f.message.en for f in lint_text(text, "a.sbatch")]
    assert any(f"--time={time} is" in one for one in found) == told


def test_an_option_is_named_as_it_is_written(lint_text: Lint) -> None:
    found = lint_text(
        "#!/bin/bash\n#SBATCH -N 1\n# SBATCH -c 64\nsrun python train.py\n", "a.sbatch"
    )
    assert "the option -c is not read" in next(
        f.message.en for f in found if f.name == "slurm-directive-ignored"
    )


@pytest.mark.parametrize(
    "text",
    [
        "world_size: 32\nnnodes: 8\ngpus_per_node: 8\nmicro_batch_size: 4\n",
        "global_batch_size: 256\nmicro_batch_size: 5\ndata_parallel_size: 16\n",
        "global_batch_size: 512\nmicro_batch_size: 4\ngradient_accumulation_steps: 8\ndata_parallel_size: 8\n",
    ],
)
def test_what_either_side_may_have_wrong_is_a_choice(lint_text: Lint, text: str) -> None:
    fixes = [f.fix for f in lint_text(text, "train.yaml") if f.fix is not None]
    assert fixes
    assert not any(fix.safe for fix in fixes)


def test_a_file_that_is_not_read_is_told_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.yaml", "b.yaml"):
        Path(name).write_text("")
    Path("c.yaml").write_text("micro_batch_size: 4\nlr: 1.0e-4\n")
    main(["lint", "--each", "--format", "github", "a.yaml", "b.yaml", "c.yaml"])
    assert [capsys.readouterr().out.count(f"file={name}") for name in ("a.yaml",)] == [1]
    Path("ds.json").write_text(
        '// x\n{"bf16": {"enabled": true}, "zero_optimization": {"stage": 2}}\n'
    )
    assert main(["lint", "ds.json"]) == 1
    assert "ds.json:1" in capsys.readouterr().err


def test_a_card_that_is_not_known_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text("micro_batch_size: 4\nlr: 1.0e-4\n")
    assert main(["lint", "--gpu", "H100-80G", str(path)]) == 0
    assert main(["lint", "--gpu", "RTX9999", str(path)]) == 2
