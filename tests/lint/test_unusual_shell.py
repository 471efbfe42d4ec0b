"""Right launches in shell that is seldom written so, each beside its twin that is wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
MEGATRON = (
    "#!/bin/bash\n"
    "BATCH=512; MICRO=2; NODES=4; TP=4\n"
    "{check}\n"
    "ARGS=(\n"
    "  --num-layers 48 --hidden-size 6144 --num-attention-heads 48\n"
    "  --seq-length 8192 --max-position-embeddings 8192 --lr 1.5e-4 --bf16\n"
    "  --micro-batch-size $MICRO --global-batch-size $BATCH --train-iters 500\n"
    "  --tensor-model-parallel-size $TP --pipeline-model-parallel-size 2\n"
    ")\n"
    "torchrun --nproc_per_node 8 --nnodes $NODES --node_rank $RANK --master_addr node-0 \\\n"
    '  pretrain_gpt.py "${{ARGS[@]}}" --save /ckpt --save-interval 100\n'
)
BRANCH = 'if [ "$1" = 1 ]; then\n  how=(--standalone)\nelse\n  how=(--nnodes 2)\nfi\n'
DOCUMENT = (
    "#!/bin/bash\n"
    "cat > run.yaml <<-EOT\n"
    "\tlearning_rate: 1.0e-5\n"
    "{second}"
    "\tmax_steps: 100\n"
    "\tEOT\n"
    "python train.py --config run.yaml\n"
)


def names(found: tuple[LintFinding, ...]) -> list[str]:
    return [one.name for one in found]


@pytest.mark.parametrize(
    ("check", "known"),
    [
        ("(( BATCH % (MICRO * NODES) == 0 )) || { echo no >&2; exit 1; }", True),
        ("(( BATCH >= 512 && MICRO != 4 ))", True),
        ("(( BATCH *= FACTOR ))", False),
        ("(( BATCH++ ))", False),
        ("(( ++BATCH ))", False),
    ],
)
def test_an_arithmetic_command_that_only_compares_sets_nothing(
    lint_text: Lint, check: str, known: bool
) -> None:
    wrong = MEGATRON.format(check=check).replace("BATCH=512", "BATCH=511")
    assert ("batch-not-divisible" in names(lint_text(wrong, "run.sh"))) is known


@pytest.mark.parametrize(
    ("command", "fires"),
    [
        (BRANCH + 'torchrun "${how[@]}" --nproc-per-node 8 train.py\n', False),
        ("torchrun $(python flags.py) --nproc-per-node 8 -m my.train\n", False),
        ("torchrun $OPTIONS --nproc-per-node 8 '/w/train.py'\n", False),
        ("torchrun --nnodes 1 $MAIN --nproc-per-node 8 --lr 1e-4\n", True),
        ("torchrun --nnodes 1 train.py --nproc-per-node 8\n", True),
    ],
)
def test_options_of_a_branch_are_no_script(lint_text: Lint, command: str, fires: bool) -> None:
    found = names(lint_text("#!/bin/bash\n" + command, "run.sh"))
    assert ("launcher-flag-after-script" in found) is fires


@pytest.mark.parametrize(
    ("second", "fires"), [("", False), ("\tdata:\n\t  path: x\n", False), ("\t  path: x\n", True)]
)
def test_a_document_that_loses_its_tabs(lint_text: Lint, second: str, fires: bool) -> None:
    found = names(lint_text(DOCUMENT.format(second=second), "run.sh"))
    assert ("config-syntax-error" in found) is fires


@pytest.mark.parametrize(
    ("kind", "fires"), [("torch.optim.SGD", False), ("torch.optim.AdamW", True)]
)
@pytest.mark.parametrize("key", ["class_path", "_target_"])
def test_the_class_of_an_optimizer(lint_text: Lint, key: str, kind: str, fires: bool) -> None:
    text = (
        f"optimizer:\n  {key}: {kind}\n  lr: 0.3\n"
        "trainer:\n  _target_: lightning.pytorch.Trainer\n  max_epochs: 100\n  devices: 2\n"
    )
    assert ("learning-rate-not-survivable" in names(lint_text(text, "run.yaml"))) is fires


@pytest.mark.parametrize(
    ("last", "fires"), [("output_proj", False), ("v_proj", False), ("output_prj", True)]
)
def test_a_list_in_brackets_behind_a_key(lint_text: Lint, last: str, fires: bool) -> None:
    text = (
        "#!/bin/bash\n"
        "tune run --nproc_per_node 4 lora_finetune_distributed --config llama3_2/1B_lora \\\n"
        f"  output_dir=/out batch_size=4 'model.lora_attn_modules=[q_proj,{last}]'\n"
    )
    assert ("flag-value-not-accepted" in names(lint_text(text, "run.sh"))) is fires


LISTED = (
    "#!/bin/bash\nGPUS={gpus}\n"
    "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=512 \\\n"
    "  actor_rollout_ref.model.path=m actor_rollout_ref.rollout.n=4 \\\n"
    "  actor_rollout_ref.actor.ppo_mini_batch_size=256 \\\n"
    "  trainer.n_gpus_per_node=${{#GPUS[{of}]}} trainer.nnodes=1\n"
)


@pytest.mark.parametrize(
    ("gpus", "of", "fires"),
    [
        ("(0 1 2)", "@", True),
        ("(0 1 2)", "*", True),
        ("(0 1 2 3)", "@", False),
        ("(0 1 $MORE)", "@", False),
        ("($(ls /dev/nvidia?))", "@", False),
        ("(/dev/nvidia[0-2]*)", "@", False),
        ("({0..2})", "@", False),
    ],
)
def test_elements_of_a_list_are_counted(lint_text: Lint, gpus: str, of: str, fires: bool) -> None:
    told = names(lint_text(LISTED.format(gpus=gpus, of=of), "run.sh"))
    assert ("rl-batch-does-not-divide" in told) is fires


@pytest.mark.parametrize(
    ("text", "fires"),
    [
        ("P=\"--output_dir out\n--run_name 'x.${MODE}.y'\"\npython train.py $P\n", False),
        ("python train.py --output_dir out --run_name 'x.${MODE}.y'\n", True),
        ('M="--run_name=my nice run"\npython train.py "$M" --bf16\n', False),
        ('M="--run_name my --bf16"\npython train.py "$M"\n', True),
        ('A="\\\n--num-layers 24 \\\n--lr 1"\npython train.py $A\n', False),
        ('python train.py --name "x"\\\n--num-layers 24\n', True),
    ],
)
def test_quotes_that_keep_a_text_together(lint_text: Lint, text: str, fires: bool) -> None:
    found = names(lint_text("#!/bin/bash\nMODE=ddp\n" + text, "run.sh"))
    assert ("shell-reads-otherwise" in found) is fires


@pytest.mark.parametrize(("key", "fires"), [("gradient", False), ("activation", True)])
def test_the_key_of_a_later_release_is_told_by_its_name(
    lint_text: Lint, key: str, fires: bool
) -> None:
    text = f"accelerate launch train.py --output_dir o --per_device_train_batch_size 1 --{key}_checkpointing True\n"
    found = names(lint_text(text, "run.sh", {"requirements.txt": "transformers==4.51.3\n"}))
    assert ("argument-renamed-in-library" in found or "misspelt-config-key" in found) is fires
