"""LoRA's target modules against the layers that the model's family has."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
NAME = "target-modules-absent"
AXOLOTL = (
    "base_model: {model}\n"
    "adapter: lora\n"
    "lora_r: 8\n"
    "lora_target_modules: [{targets}]\n"
    "sequence_len: 2048\n"
    "micro_batch_size: 2\n"
    "gradient_accumulation_steps: 4\n"
    "learning_rate: 0.0001\n"
    "num_epochs: 1\n"
)
FACTORY = (
    "model_name_or_path: {model}\n"
    "stage: sft\n"
    "do_train: true\n"
    "finetuning_type: lora\n"
    "lora_target: {targets}\n"
    "dataset: alpaca\n"
    "template: default\n"
    "output_dir: out\n"
    "learning_rate: 1.0e-4\n"
)
SCRIPT = (
    "from peft import LoraConfig, get_peft_model\n"
    "from transformers import AutoModelForCausalLM, Trainer, TrainingArguments\n"
    'model = AutoModelForCausalLM.from_pretrained("{model}")\n'
    "config = LoraConfig(r=8, lora_alpha=16, target_modules=[{targets}])\n"
    "model = get_peft_model(model, config)\n"
    'args = TrainingArguments(output_dir="out", per_device_train_batch_size=2)\n'
    "Trainer(model=model, args=args).train()\n"
)
COMMAND = (
    "llamafactory-cli train --stage sft --do_train --model_name_or_path {model} "
    "--finetuning_type lora --lora_target {targets} --template chatglm3 --dataset a "
    "--output_dir out --learning_rate 1e-4\n"
)
LLAMA, GLM = "q_proj, v_proj", "query_key_value"


def _told(found: tuple[LintFinding, ...]) -> list[int]:
    return [one.line for one in found if one.name == NAME]


@pytest.mark.parametrize(
    ("model", "right", "wrong"),
    [
        ("EleutherAI/pythia-1.4b", GLM, LLAMA),
        ("THUDM/chatglm3-6b", "query_key_value, dense", LLAMA),
        ("bigscience/bloomz-7b1", GLM, LLAMA),
        ("/data/models/falcon-7b", GLM, "q_proj, k_proj"),
        ("gpt2-medium", "c_attn, c_proj", LLAMA),
        ("meta-llama/Llama-2-7b-hf", LLAMA, GLM),
        ("meta-llama/Meta-Llama-3.1-8B-Instruct", "self_attn.q_proj", "c_attn"),
        ("Qwen/Qwen1.5-7B-Chat", LLAMA, "c_attn, c_proj"),
        ("Qwen/Qwen-7B-Chat", "c_attn, w1", LLAMA),
        ("mistralai/Mistral-7B-v0.1", LLAMA, "query_key_value, dense"),
        ("baichuan-inc/Baichuan2-13B-Chat", "W_pack, o_proj", "q_proj, k_proj, v_proj"),
    ],
)
def test_the_layers_of_a_family(lint_text: Lint, model: str, right: str, wrong: str) -> None:
    assert not _told(lint_text(AXOLOTL.format(model=model, targets=right)))
    found = lint_text(AXOLOTL.format(model=model, targets=wrong))
    assert _told(found) == [4]


@pytest.mark.parametrize(("text", "name", "line"), [(FACTORY, "sft.yaml", 5), (COMMAND, "a.sh", 1)])
def test_words_that_commas_part(lint_text: Lint, text: str, name: str, line: int) -> None:
    model = "THUDM/chatglm3-6b"
    assert not _told(lint_text(text.format(model=model, targets="query_key_value"), name))
    assert _told(lint_text(text.format(model=model, targets="q_proj,v_proj"), name)) == [line]


def test_a_script(lint_text: Lint) -> None:
    right, wrong = '"c_attn"', '"q_proj", "v_proj"'
    assert not _told(lint_text(SCRIPT.format(model="gpt2", targets=right), "sft.py"))
    assert _told(lint_text(SCRIPT.format(model="gpt2", targets=wrong), "sft.py")) == [4]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("gpt2", "my-org/gpt2-like"),  # a model of its own
        ("[q_proj, v_proj]", "[q_proj, c_attn]"),  # one of them is there
        ("[q_proj, v_proj]", "[my_layer]"),  # a layer that the user may have added
        ("adapter: lora\n", "adapter: lora\nlora_model_dir: out/adapter\n"),  # has its own list
        ("adapter: lora\n", "adapter: lora\nlora_target_linear: true\n"),  # all linear ones as well
        ("adapter: lora\n", ""),  # no LoRA
    ],
)
def test_what_is_not_sure_is_not_told(lint_text: Lint, old: str, new: str) -> None:
    text = AXOLOTL.format(model="gpt2", targets=LLAMA)
    assert _told(lint_text(text)) == [4]
    assert old in text
    assert not _told(lint_text(text.replace(old, new)))


def test_further_words_of_a_flag_are_not_known(lint_text: Lint) -> None:
    text = "swift sft --model gpt2 --target_modules {} --dataset d --output_dir out\n"
    assert not _told(lint_text(text.format("q_proj c_attn"), "a.sh"))


@pytest.mark.parametrize(
    ("model", "targets", "fires"),
    [
        ("Qwen/Qwen2.5-3B", "Wqkv, out_proj", True),  # no layer of an OPT model either
        ("facebook/opt-1.3b", "q_proj, out_proj", False),
        ("Qwen/Qwen2.5-3B", "q_proj, out_proj", False),
    ],
)
def test_no_layer_of_the_list(lint_text: Lint, model: str, targets: str, fires: bool) -> None:
    assert bool(_told(lint_text(AXOLOTL.format(model=model, targets=targets)))) == fires


TUNE = (
    "model:\n  _component_: torchtune.models.llama3_1.lora_llama3_1_8b\n"
    "  lora_attn_modules: [{targets}]\n  apply_lora_to_mlp: true\n  lora_rank: 8\n"
    "tokenizer:\n  _component_: torchtune.models.llama3.llama3_tokenizer\n  path: t.model\n"
    "optimizer:\n  _component_: torch.optim.AdamW\n  lr: 3.0e-4\nbatch_size: 2\nepochs: 1\n"
)


@pytest.mark.parametrize(
    ("targets", "meant"),
    [
        ("'q_proj', 'v_proj', 'o_proj'", "it calls that output_proj"),
        ("q_proj, gate_proj", "apply_lora_to_mlp"),
        ("q_proj, k_proj, v_proj, output_proj", ""),
    ],
)
def test_names_that_torchtune_passes_over(lint_text: Lint, targets: str, meant: str) -> None:
    found = [f for f in lint_text(TUNE.format(targets=targets)) if "LoRA on" in f.message.en]
    assert [f.line for f in found] == ([3] if meant else [])
    assert all(meant in f.message.en for f in found)
