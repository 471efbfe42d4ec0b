"""Two settings that cannot both be meant, and texts that the shell or Python reads otherwise."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
GPT = (
    "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 12 --hidden-size 768 "
    "--num-attention-heads 12 --seq-length 1024 --max-position-embeddings 1024 --lr 1e-4 "
    "--micro-batch-size 4 --global-batch-size 64 --train-iters 1000 --bf16 {}\n"
)
HF = "torchrun --nproc_per_node 8 run_clm.py --model_name_or_path gpt2 --output_dir o {}\n"


def _said(found: tuple[LintFinding, ...], words: str) -> list[int]:
    return [one.line for one in found if words in one.message.en]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("--split 98,2,0,5", [1]),
        ("--split 98,2,0", []),
        ("--split 949,50,1", []),
        ("--split 100", []),
        ("--split $SPLIT", []),
    ],
)
def test_a_split_has_three_parts(lint_text: Lint, more: str, told: list[int]) -> None:
    assert _said(lint_text(GPT.format(more), "run.sh"), "there are three") == told


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("--load /c/run --save /c/run --finetune", [1]),
        ("--load /c/run --save /c/run", []),
        ("--load /c/base --save /c/run --finetune", []),
        ("--load $A --save $B --finetune", []),
    ],
)
def test_a_finetune_of_its_own_folder(lint_text: Lint, more: str, told: list[int]) -> None:
    found = lint_text(GPT.format(f"--save-interval 100 {more}"), "run.sh")
    assert _said(found, "counts from") == told


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("--resume_from_checkpoint old/checkpoint-500 --max_steps 400", [1]),
        ("--resume_from_checkpoint old/checkpoint-500/ --max_steps 500", [1]),
        ("--resume_from_checkpoint old/checkpoint-500 --max_steps 600", []),
        ("--resume_from_checkpoint old/checkpoint-500 --max_steps -1", []),
        ("--resume_from_checkpoint True --max_steps 400", []),
    ],
)
def test_a_resume_beyond_the_end(lint_text: Lint, more: str, told: list[int]) -> None:
    assert _said(lint_text(HF.format(more), "run.sh"), "nothing more is trained") == told


@pytest.mark.parametrize(("size", "told"), [(50000, [6]), (50304, []), (50280, [])])
def test_embeddings_for_every_word(lint_text: Lint, size: int, told: list[int]) -> None:
    text = (
        "run_name: a\nmodel:\n  d_model: 768\n  n_heads: 12\n  n_layers: 12\n"
        f"  embedding_size: {size}\n  vocab_size: 50280\n  max_sequence_length: 1024\n"
        "global_train_batch_size: 64\ndevice_train_microbatch_size: 8\nmax_duration: 1000\n"
    )
    assert _said(lint_text(text), "OLMo refuses it") == told


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("ARGS=--bf16 --fp8", [2]),
        ('ARGS="--bf16 --fp8"', []),
        ("ARGS=--bf16", []),
        ("ARGS=--bf16 python a.py", []),
        ("ARGS=(--bf16 --fp8)", []),
        ("cat <<EOF\nARGS=--bf16 --fp8\nEOF", []),
    ],
)
def test_a_value_of_several_words(lint_text: Lint, line: str, told: list[int]) -> None:
    found = lint_text(f"set -e\n{line}\n{GPT.format('$ARGS')}", "run.sh")
    assert _said(found, "is run as a command") == told


@pytest.mark.parametrize(
    ("value", "told"), [('"False"', [4]), ("False", []), ("'yes'", []), ("True", [])]
)
def test_a_text_for_a_switch(lint_text: Lint, value: str, told: list[int]) -> None:
    text = (
        "out_dir = 'out'\neval_iters = 20\nblock_size = 1024\n"
        f"wandb_log = {value}\nmax_iters = 6000\nlr_decay_iters = 6000\nwarmup_iters = 200\n"
    )
    assert _said(lint_text(text, "config.py"), "counts as True") == told


TUNE = (
    "model:\n  _component_: torchtune.models.{}\n  lora_attn_modules: [q_proj, v_proj]\n"
    "  lora_rank: 8\n  lora_alpha: 16\ntokenizer:\n  _component_: torchtune.models.{}\n  path: /t\n"
    "optimizer:\n  _component_: torch.optim.AdamW\n  lr: 3e-4\nbatch_size: 2\nepochs: 1\n"
)


@pytest.mark.parametrize(
    ("model", "tokenizer", "told"),
    [
        ("llama3_1.llama3_1_8b", "llama3.llama3_tokenizer", [2]),
        ("llama3_1.lora_llama3_1_8b", "llama3.llama3_tokenizer", []),
        ("llama3_1.qlora_llama3_1_8b", "llama3.llama3_tokenizer", []),
        ("llama3_1.lora_llama3_1_8b", "llama2.llama2_tokenizer", [7]),
        ("llama2.lora_llama2_7b", "llama3.llama3_tokenizer", [7]),
        ("code_llama2.lora_code_llama2_7b", "llama2.llama2_tokenizer", []),
        ("qwen2_5.lora_qwen2_5_7b_base", "qwen2_5.qwen2_5_tokenizer", []),
    ],
)
def test_components_that_do_not_fit(
    lint_text: Lint, model: str, tokenizer: str, told: list[int]
) -> None:
    found = lint_text(TUNE.format(model, tokenizer))
    assert _said(found, "takes no lora_") + _said(found, "beside a model of") == told
