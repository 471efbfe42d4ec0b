"""Nodes, ranks and addresses for which a script has defaults: what lint tells of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
SIZES, ENDPOINT = "parallel-sizes-exceed-world", "rendezvous-endpoint-wrong"
MEGATRON = (
    "#!/bin/bash\n"
    "{set}\n"
    "torchrun --nproc_per_node {gpus} --nnodes $NNODES --node_rank $NODE_RANK \\\n"
    "  --master_addr $MASTER_ADDR --master_port 6000 pretrain_gpt.py \\\n"
    "  --tensor-model-parallel-size 8 --pipeline-model-parallel-size 4 --sequence-parallel \\\n"
    "  --num-layers 80 --hidden-size 8192 --num-attention-heads 64 --seq-length 8192 \\\n"
    "  --max-position-embeddings 8192 --micro-batch-size 1 --global-batch-size 1024 --bf16 \\\n"
    "  --train-iters 1000 --lr 1.5e-4 --min-lr 1.5e-5 --lr-decay-style cosine\n"
)
OTHERS = "MASTER_ADDR=$1; NODE_RANK=$2; "
OUTSIDE = (
    "NNODES",
    "MY_NODES",
    "SLURM_NNODES",
    "MASTER_ADDR",
    "GPUS_PER_NODE",
    "COUNT",
    "WORKER_NUM",
)


@pytest.fixture(autouse=True)
def _no_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in OUTSIDE:
        monkeypatch.delenv(name, raising=False)


def told(found: tuple[LintFinding, ...], name: str) -> list[tuple[str, str]]:
    return [(f.severity, f.message.en.partition(":")[0]) for f in found if f.name == name]


@pytest.mark.parametrize(
    ("written", "severity", "begins"),
    [
        ("NNODES=1", "error", "world size 8 is not"),
        ("NNODES=${NNODES:-1}", "info", "if NNODES is not set"),
        ("NNODES=${SLURM_NNODES:-'1'}", "info", "if SLURM_NNODES is not set"),
        ('NNODES=${SLURM_NNODES-"1"}', "info", "if SLURM_NNODES is not set"),
        (": ${NNODES:=1}", "info", "if NNODES is not set"),
        ("NNODES=${MY_NODES:-${SLURM_NNODES:-1}}", "info", "if MY_NODES and SLURM_NNODES are not"),
        ("NNODES=${COUNT:-1}", "warning", "if COUNT is not set"),
    ],
)
def test_a_default_is_a_condition(
    lint_text: Lint, written: str, severity: str, begins: str
) -> None:
    found = lint_text(MEGATRON.format(set=OTHERS + written, gpus=8), "run.sh")
    ((level, start),) = told(found, SIZES)
    assert level == severity
    assert start.startswith(begins)


def test_a_size_of_the_script_itself_is_none(lint_text: Lint) -> None:
    text = MEGATRON.format(set=OTHERS + "NNODES=1", gpus=8)
    found = lint_text(text.replace("parallel-size 8", "parallel-size ${TP:-8}"), "run.sh")
    assert [level for level, _ in told(found, SIZES)] == ["error"]


@pytest.mark.parametrize(("name", "nodes", "count"), [
    ("NNODES", "4", 0), ("NNODES", "3", 1), ("OTHER_NNODES", "4", 1), ("NNODES", "a b", 1),
])  # fmt: skip
def test_the_environment_fills_what_it_has(
    lint_text: Lint, monkeypatch: pytest.MonkeyPatch, name: str, nodes: str, count: int
) -> None:
    monkeypatch.setenv(name, nodes)
    found = lint_text(MEGATRON.format(set=OTHERS + "NNODES=${NNODES:-1}", gpus=8), "run.sh")
    levels = [level for level, _ in told(found, SIZES)]
    assert len(levels) == count
    assert levels != ["error"] or nodes == "3"


def test_nothing_else_of_the_environment_is_read(
    lint_text: Lint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COUNT", "4")
    found = lint_text(MEGATRON.format(set=OTHERS + "NNODES=${COUNT:-1}", gpus=8), "run.sh")
    assert len(told(found, SIZES)) == 1


@pytest.mark.parametrize(
    ("address", "outside", "levels"),
    [
        ("localhost", "", ["error"]),
        ("${MASTER_ADDR:-localhost}", "", ["info"]),
        ("${MASTER_ADDR:-localhost}", "10.0.0.1", []),
        ("${MASTER_ADDR:-localhost}", "localhost", ["error"]),
    ],
)
def test_an_address(
    lint_text: Lint, monkeypatch: pytest.MonkeyPatch, address: str, outside: str, levels: list[str]
) -> None:
    monkeypatch.setenv("MASTER_ADDR", outside)
    text = MEGATRON.format(set=f"MASTER_ADDR={address}\nNNODES=4; NODE_RANK=$1", gpus=8)
    assert [level for level, _ in told(lint_text(text, "run.sh"), ENDPOINT)] == levels


DRIVER = (
    "#!/bin/bash\n"
    "#SBATCH --nodes=2\n"
    "#SBATCH --ntasks-per-node=1\n"
    "#SBATCH --gpus-per-node=8\n"
    "srun --overlap --nodes=1 --ntasks={tasks} -w $head python3 -m verl.trainer.main_ppo \\\n"
    "  data.train_batch_size=256 actor_rollout_ref.actor.ppo_mini_batch_size=64 \\\n"
    "  actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4 \\\n"
    "  actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct \\\n"
    "  trainer.n_gpus_per_node=8 trainer.nnodes={nodes}\n"
)


def test_the_step_of_a_driver_is_smaller_than_its_job(lint_text: Lint) -> None:
    right = DRIVER.format(tasks=1, nodes=2)
    assert not told(lint_text(right, "run.sbatch"), "conflicting-values")
    ranks = DRIVER.format(tasks=8, nodes=2)  # here the step starts the ranks
    assert told(lint_text(ranks, "run.sbatch"), "conflicting-values")


VERL = (
    "NNODES=${NNODES:-2}\ntp=TP\npython3 -m verl.trainer.main_ppo "
    "actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct actor_rollout_ref.rollout.name=vllm "
    "actor_rollout_ref.rollout.tensor_model_parallel_size=${tp} trainer.n_gpus_per_node=8 "
    "trainer.nnodes=${NNODES}\n"
)


def test_what_does_not_depend_on_the_nodes_has_no_condition(
    lint_text: Callable[..., tuple[LintFinding, ...]],
) -> None:
    def told(size: int) -> list[tuple[str, bool]]:
        found = lint_text(VERL.replace("TP", str(size)), "run.sh")
        mine = [one for one in found if one.name == "rollout-tensor-parallel-wrong"]
        return [(one.severity, "NNODES" in one.message.en) for one in mine]

    assert told(3) == [("error", False)]  # 28 heads
    assert told(4) == []
    assert told(7) == [("info", True)]  # divides the heads, and not the 16 GPUs


SUMS = (
    "{set}\ntorchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 8 --hidden-size 512 "
    "--num-attention-heads 8 --seq-length 512 --max-position-embeddings 512 --micro-batch-size 1 "
    "--train-iters 2000 --lr 1e-4 --global-batch-size {batch}\n"
)
ZERO, IF = "impossible-value", "if COUNT is not set"
WRITTEN = (
    'cat > ds.json <<EOF\n{"train_micro_batch_size_per_gpu": 1, "train_batch_size": $DP}\nEOF\n'
    "deepspeed train.py --deepspeed ds.json\n"
)


@pytest.mark.parametrize(("written", "batch", "severity", "begins"), [
    ("COUNT=${COUNT:-8}", "$((COUNT/32*16))", "info", IF),
    ("N=${COUNT:-1}; DP=$((N/8))", "$DP", "info", IF),
    ("N=${COUNT:-1}\nDP=$(( N / 8 ))\nB=$((DP * 2))", '"${B}"', "info", IF),
    (": ${WORKER_NUM:=1}; DP=$((WORKER_NUM/8))", "$DP", "info", "if WORKER_NUM is not set"),
    # The script's own: written out, or set after its default.
    ("N=1; DP=$((N/8))", "$DP", "error", "--global-batch-size is 0, it has to be at least 1"),
    ("N=${COUNT:-8}; N=1; DP=$((N/8))", "$DP", "error",
     "--global-batch-size is 0, it has to be at least 1"),
    ("B=${COUNT:-0}", "$B", "error", "--global-batch-size is 0, it has to be at least 1"),
])  # fmt: skip
def test_a_sum_of_defaults_is_a_condition(
    lint_text: Lint, written: str, batch: str, severity: str, begins: str
) -> None:
    found = lint_text(SUMS.format(set=written, batch=batch), "run.sh")
    assert told(found, ZERO) == [(severity, begins)]


@pytest.mark.parametrize(("count", "severity"), [("${COUNT:-1}", "info"), ("1", "error")])
def test_a_sum_in_what_a_script_writes(lint_text: Lint, count: str, severity: str) -> None:
    found = lint_text(f"N={count}; DP=$((N/8))\n{WRITTEN}", "run.sh")
    assert [level for level, _ in told(found, ZERO)] == [severity]
