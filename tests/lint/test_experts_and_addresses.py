"""More experts a token than there are, addresses that are each node's own, variables of no reader."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from medic.commands import main
from medic.lint.found import LintFinding
from medic.text.safetext import columns

Lint = Callable[..., tuple[LintFinding, ...]]

MEGATRON = """#!/bin/bash
torchrun --nproc_per_node 8 pretrain_gpt.py \\
  --num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 4096 \\
  --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 64 \\
  --num-experts {experts} --moe-router-topk {chosen}
"""
MODEL = """{{"model_type": "{kind}", "hidden_size": 4096, "num_attention_heads": 32,
 "num_hidden_layers": 32, "{every}": {experts}, "{each}": {chosen}}}
"""
OWN = """model:
  moe: {{num_experts: {experts}, moe_topk: {chosen}}}
  router: {{num_experts: 2}}
"""
ACCELERATE = """compute_environment: LOCAL_MACHINE
distributed_type: MULTI_GPU
main_process_ip: {address}
num_machines: {machines}
num_processes: 16
"""
JOB = """#!/bin/bash
#SBATCH --nodes=1
{before}module load cuda
{line}
torchrun --nproc_per_node 8 train.py
"""
NOBODY = "option-without-effect"


@pytest.mark.parametrize(
    ("experts", "chosen", "fires"), [(8, 16, True), (8, 8, False), (8, 2, False)]
)
def test_no_token_goes_to_more_experts_than_there_are(
    lint_text: Lint, experts: int, chosen: int, fires: bool
) -> None:
    numbers = {"experts": experts, "chosen": chosen}
    mixtral = {"kind": "mixtral", "every": "num_local_experts", "each": "num_experts_per_tok"}
    deepseek = {"kind": "deepseek_v3", "every": "n_routed_experts", "each": "num_experts_per_tok"}
    texts = [
        (MEGATRON.format(**numbers), "run.sh", 5),
        (MODEL.format(**numbers, **mixtral), "config.json", 2),
        (MODEL.format(**numbers, **deepseek), "config.json", 2),
        (OWN.format(**numbers), "config.yaml", 2),
    ]
    for text, name, line in texts:
        found = [f for f in lint_text(text, name) if f.name == "impossible-value"]
        assert [(f.line, f.severity) for f in found] == ([(line, "error")] if fires else [])


@pytest.mark.parametrize(
    ("address", "machines", "lines"),
    [
        ("127.0.0.1", 2, [3]),
        ("localhost", 4, [3]),
        ("127.0.0.1", 1, []),
        ("10.0.0.5", 2, []),
        ("null", 2, []),
    ],
)
def test_machines_do_not_meet_at_their_own_names(
    lint_text: Lint, address: str, machines: int, lines: list[int]
) -> None:
    found = lint_text(ACCELERATE.format(address=address, machines=machines))
    assert [f.line for f in found if f.name == "rendezvous-endpoint-wrong"] == lines


@pytest.mark.parametrize(
    ("line", "fires"),
    [
        ("export NCCL_TIMEOUT=3600", True),
        ("NCCL_TIMEOUT=3600 torchrun --nproc_per_node 8 train.py", True),
        ("# export NCCL_TIMEOUT=3600", False),
        ("echo 'export NCCL_TIMEOUT=3600 does nothing'", False),
        ("export NCCL_TIMEOUT=3600; ./fabric --timeout $NCCL_TIMEOUT", False),
        ("export TORCH_NCCL_BLOCKING_WAIT=1", False),
    ],
)
def test_a_variable_that_no_program_reads_is_told(lint_text: Lint, line: str, fires: bool) -> None:
    found = lint_text(f"#!/bin/bash\n{line}\ntorchrun --nproc_per_node 8 train.py\n", "run.sh")
    told = [f for f in found if f.name == NOBODY]
    assert [(f.line, f.severity) for f in told] == ([(2, "warning")] if fires else [])
    assert all("nccl-timeout" in f.message.en and "nccl-timeout" in f.message.zh for f in told)


@pytest.mark.parametrize(
    ("before", "line", "says"),
    [
        ("", "#SBATCH --gres=gpu:8", True),
        ("", "#SBATCH --gpus-per-node=8", True),
        ("#SBATCH --gres=gpu:8\n", "#SBATCH --gpus-per-node=8", False),
        ("", "#SBATCH --time=01:00:00", False),
    ],
)
def test_a_late_request_leaves_the_job_without_gpus(
    lint_text: Lint, before: str, line: str, says: bool
) -> None:
    found = lint_text(JOB.format(before=before, line=line), "job.sbatch")
    (late,) = [f for f in found if f.name == "slurm-directive-ignored"]
    assert ("no GPU" in late.message.en, "GPU" in late.message.zh) == (says, says)


RANKS = """num_nodes: 1
gpus_per_node: 8
world_size: 16
micro_batch_size: 2
{batch}
"""


@pytest.mark.parametrize("batch", ["gradient_accumulation_steps: 4", "global_batch_size: 128"])
def test_a_world_size_beside_other_nodes_is_a_choice(lint_text: Lint, batch: str) -> None:
    (found,) = [f for f in lint_text(RANKS.format(batch=batch)) if f.name == "world-size-not-gpus"]
    assert found.fix is not None
    assert not found.fix.safe


def test_the_line_of_whose_keys_they_are_is_wrapped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(RANKS.format(batch="global_batch_size: 128\nlearning_rate: 1.0e-4"))
    for lang, begins in (("en", "no framework is recognised"), ("zh", "未识别出框架")):
        main(["lint", str(file), "--lang", lang])
        said = capsys.readouterr().err
        assert begins in said
        told = re.split(r"fixable|加 --", said[said.index(begins) :])[0].splitlines()
        assert "learning_rate" in told[-1]
        assert len(told) > 1
        assert max(columns(line) for line in told) <= 80


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("python train.py --lr 3e-4 --batch-size 8 --thing x\n", "2 of 3 flags"),
        ("python train.py --corpus x --thing y\n", "0 of 2 flags"),
        ("python train.py config.yaml\n", ""),
        ("torchrun train.py --per_device_train_batch_size 2 --learning_rate 1e-5\n", ""),
    ],
)
def test_whose_flags_a_script_has_is_said_where_nobody_s_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    file = tmp_path / "run.sh"
    file.write_text(text)
    main(["lint", str(file), "--lang", "en"])
    line = " ".join(capsys.readouterr().err.split())
    assert ("no framework is recognised" in line) is bool(said)
    assert said in line
