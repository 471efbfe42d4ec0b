"""Launches and files of forks and of older releases: what they add is no slip of the framework's."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from medic.probes.flags.key_names import known_tables, names_of, normal

from medic.index.knowledge import load
from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
FLAG, KEY = "misspelt-flag", "misspelt-config-key"
NAMES = (FLAG, KEY, "argument-deprecated", "flag-value-not-accepted", "option-needs-another-option")
_SHAPE = (
    "num-layers 24 hidden-size 1536 num-attention-heads 16 seq-length 1024 "
    "max-position-embeddings 1024 micro-batch-size 8 global-batch-size 512 train-iters 20000 "
    "lr 4e-4 min-lr 4e-5 lr-decay-style cosine lr-warmup-fraction 0.01 clip-grad 1.0 data-path d "
    "vocab-file v merge-file m split 969,30,1 save ck save-interval 2000 log-interval 100"
)
DASHED = "torchrun --nproc_per_node 8 {program} " + " ".join(
    word
    if word[0].isdigit() or len(word) == 1 or word in ("ck", "cosine", "969,30,1")
    else f"--{word}"
    for word in _SHAPE.split()
)
EPF = (
    DASHED.replace("-per_", "-per_")
    .replace(" --", " @")
    .replace("-", "_")
    .replace(" @", " --")
    .replace("4e_4", "4e-4")
    .replace("4e_5", "4e-5")
    .replace("__nproc", "--nproc")
)
MEGABLOCKS = "--moe-num-experts 64 --moe-loss-weight 0.1 --moe-top-k 1"
LLAMA = (
    "python src/{program} --stage sft --do_train --model_name_or_path a/b --dataset d --template qwen "
    "--finetuning_type full --output_dir out --cutoff_len 2048 --learning_rate 1e-5 "
    "--per_device_train_batch_size 1 --bf16 {more}\n"
)
SWIFT = (
    "swift sft --model a/b {kind} lora --dataset d --batch_size 1 --learning_rate 1e-4 "
    "--gradient_accumulation_steps 8 --save_steps 50\n"
)


def _told(found: tuple[LintFinding, ...]) -> list[tuple[str, str]]:
    return [(f.name, f.severity) for f in found if f.name in NAMES]


def _messages(found: tuple[LintFinding, ...]) -> str:
    return " | ".join(f.message.en for f in found if f.name in NAMES)


@pytest.mark.parametrize("name", sorted(known_tables(load().frameworks.values())))
def test_a_sign_is_no_name_of_the_framework(name: str) -> None:
    tables = known_tables(load().frameworks.values())
    one = tables[name]
    own = names_of(one, tables).leaves | {normal(n) for n in (*one.switches, *one.valued)}
    for fork in one.forks:
        assert own.isdisjoint(map(normal, fork.signs)), fork.title.en


# --- flags ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "more",
    [
        MEGABLOCKS,
        "--use-fused-rmsnorm --no-shared-storage --context-parallel-algo ulysses_cp_algo",
        "--zero-stage 1 --deepspeed_config ds.json --moe-loss-coeff 0.01 --train-tokens 9",
        "--own-a 1 --other-b 2 --further-c 3 --moe-capacity-factor 1",  # a fork that nobody knows
    ],
)
def test_what_forks_add_is_no_slip(lint_text: Lint, more: str) -> None:
    text = f"{DASHED.format(program='third_party/Megatron-LM/pretrain_gpt.py')} {more}\n"
    assert _told(lint_text(text, "run.sh")) == []


@pytest.mark.parametrize(
    ("more", "meant"),
    [
        (f"{MEGABLOCKS} --adam-bta1 0.9", "--adam-beta1 is meant"),
        (f"{MEGABLOCKS} --wieght-decay 0.1", "--weight-decay is meant"),
        ("--moe-capacity-factor 1", "--moe-expert-capacity-factor is meant"),  # nothing else is odd
    ],
)
def test_slips_are_told_as_before(lint_text: Lint, more: str, meant: str) -> None:
    found = lint_text(f"{DASHED.format(program='pretrain_gpt.py')} {more}\n", "run.sh")
    assert [f.severity for f in found if f.name == FLAG] == ["error"]
    assert meant in _messages(found)


def test_one_name_of_a_fork_is_told_of_in_one_line(lint_text: Lint) -> None:
    found = lint_text(f"{DASHED.format(program='pretrain_gpt.py')} --moe-num-experts 8\n", "run.sh")
    assert _told(found) == [("argument-deprecated", "info")]
    assert "MegaBlocks; Megatron-LM calls it --num-moe-experts" in _messages(found)


@pytest.mark.parametrize("program", ["finetune.py", "Megatron-LLM/finetune.py", "pretrain_gpt.py"])
def test_a_parser_with_underscores(lint_text: Lint, program: str) -> None:
    own = "--use_rms_norm --glu_activation swiglu --no_tie_embed_logits"
    text = EPF.format(program=program) + f" {own} --position_embedding_type rotary\n"
    assert _told(lint_text(text, "run.sh")) == []
    found = lint_text(text.replace("micro_batch", "micor_batch"), "run.sh")
    assert _told(found) == [(FLAG, "error")]
    assert "--micro_batch_size is meant" in _messages(found)


def test_underscores_and_words_that_megatron_lacks_are_told(lint_text: Lint) -> None:
    text = DASHED.format(program="pretrain_gpt.py") + " --weight_decay 0.1\n"
    assert _told(lint_text(text, "run.sh")) == [(FLAG, "error")]
    text = DASHED.format(program="pretrain_gpt.py") + " --position-embedding-type rotary\n"
    assert _told(lint_text(text, "run.sh")) == [("flag-value-not-accepted", "error")]


def test_a_fork_of_llama_factory(lint_text: Lint) -> None:
    text = LLAMA.format(program="train.py", more="--sequence_parallel_size 8")
    assert _told(lint_text(text, "run.sh")) == [("argument-deprecated", "info")]
    text = LLAMA.format(
        program="train.py", more="--sequence_parallel_size 8 --sequence_parallel_mode u"
    )
    assert _told(lint_text(text, "run.sh")) == []


@pytest.mark.parametrize(("program", "fires"), [("train_bash.py", False), ("train.py", True)])
def test_a_switch_of_older_releases(lint_text: Lint, program: str, fires: bool) -> None:
    text = LLAMA.format(program=program, more="--flash_attn --max_steps 500")
    expected = [("flag-value-not-accepted", "error")] if fires else []
    assert _told(lint_text(text, "run.sh")) == expected


@pytest.mark.parametrize(
    ("kind", "more", "fires"),
    [
        ("--sft_type lora --template_type", None, False),
        ("--sft_type lora --template_type", "ms-swift==1.7.3\n", False),
        ("--sft_type lora --template_type", "ms-swift==3.5.0\n", True),
        ("--train_type", None, True),
    ],
)
def test_names_of_older_releases(lint_text: Lint, kind: str, more: str | None, fires: bool) -> None:
    beside = {"requirements.txt": more} if more else None
    found = lint_text(SWIFT.format(kind=kind), "run.sh", beside)
    assert _told(found) == ([(FLAG, "error")] if fires else [])


# --- files ----------------------------------------------------------------------------------

SCALE = """\
system:
  tensor_model_parallel_size: 1
  pipeline_model_parallel_size: 1
model:
  num_layers: 4
  hidden_size: 256
  num_attention_heads: 4
  seq_length: 512
  train_iters: 100
  micro_batch_size: 2
  optimizer:
    weight_decay: 0.1
    {scheduler}
"""
TITAN = """\
[job]
dump_folder = "exp"
[training]
seq_len = 2048
steps = 100
pin_memory = false
{more}
"""
FLAME = "context_len = 2048\nvarlen = false\nskip_nan_inf = true"


def test_a_block_is_no_setting_of_another_framework(lint_text: Lint) -> None:
    block = "lr_scheduler:\n      lr: 2.0e-5\n      lr_decay_style: cosine"
    assert _told(lint_text(SCALE.format(scheduler=block))) == []
    assert _told(lint_text(SCALE.format(scheduler="lr_scheduler: cosine"))) == [(KEY, "error")]


def test_keys_of_a_fork_stand_where_it_has_them(lint_text: Lint) -> None:
    assert _told(lint_text(TITAN.format(more=FLAME), "a.toml")) == []
    own = "first_own = 1\nsecond_thing = 2\nthird_word = 3"  # of a fork that nobody knows
    assert _told(lint_text(TITAN.format(more=own), "a.toml")) == []
    assert (KEY, "error") in _told(lint_text(TITAN.format(more=""), "a.toml"))


EASY = """\
data:
  train_files: a
  rollout_batch_size: 512
algorithm:
  adv_estimator: grpo
  use_kl_loss: true
  kl_coef: 1.0e-2
worker:
  actor:
    global_batch_size: 128
    micro_batch_size_per_device_for_update: 4
    max_grad_norm: 1.0
    model: {model_path: some/model}
    optim: {lr: 1.0e-6, weight_decay: 1.0e-2}
  rollout: {n: 5, tensor_parallel_size: 2, gpu_memory_utilization: 0.6}
trainer:
  max_steps: 100
  n_gpus_per_node: 8
  val_freq: 5
"""


def test_easyr1_is_not_verl(lint_text: Lint) -> None:
    assert _told(lint_text(EASY)) == []
    for old, new in (("max_grad_norm", "max_grad_nrom"), ("val_freq", "val_frq")):
        assert _told(lint_text(EASY.replace(old, new))) == [(KEY, "error")]
    command = "python3 -m verl.trainer.main config=a.yaml worker.actor.{block}.lr=1e-6 trainer.max_steps=9\n"
    assert _told(lint_text(command.format(block="optim"), "run.sh")) == []
    found = lint_text(command.format(block="optimizer"), "run.sh")
    assert "worker.actor.optim is meant" in _messages(found)


def test_easyr1_has_the_names_of_older_checkouts(lint_text: Lint) -> None:
    text = EASY.replace("    max_grad", "    ulysses_sequence_parallel_size: 1\n    max_grad")
    assert _told(lint_text(text)) == []
    assert _told(lint_text(text.replace("parallel_size: 1\n", "paralel_size: 1\n"))) == [
        (KEY, "error")
    ]


NEOX = """\
pipe_parallel_size: 1
model_parallel_size: 1
num_layers: 12
hidden_size: 768
num_attention_heads: 12
seq_length: 2048
norm: layernorm
train_micro_batch_size_per_gpu: 4
{more}
"""


def test_gpt_neox_had_names_that_no_release_has(lint_text: Lint) -> None:
    experts = "num_experts: 4\nmoe_deepspeed_expert_parallel_size: 1"
    assert {how for _, how in _told(lint_text(NEOX.format(more=experts)))} <= {"info"}
    assert _told(lint_text(NEOX.format(more="mlp_type: llama"))) == []
    assert _told(lint_text(NEOX.format(more="num_experts: 4"))) == [(KEY, "error")]
    assert _told(lint_text(NEOX.format(more="mlp_tpye: llama"))) == [(KEY, "error")]
