"""Learning rates by what is trained: the whole model, an adapter, new weights, preferences."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.learning_rates import usual
from medic.lint.found import LintFinding
from medic.run_config import Origin, RunConfig, Value

Lint = Callable[..., tuple[LintFinding, ...]]
LOW, HIGH = "learning-rate-too-low", "learning-rate-too-high"
AXOLOTL = (
    "base_model: Qwen/Qwen3-8B\n"
    "datasets:\n  - path: a/b\n    type: alpaca\n"
    "micro_batch_size: 1\n"
    "gradient_accumulation_steps: 8\n"
    "num_epochs: 1\n"
    "learning_rate: {rate}\n"
)
LORA = AXOLOTL + "adapter: lora\nlora_r: 16\n"
TITAN = (
    '[model]\nname = "llama3"\nflavor = "8B"\n'
    "[training]\nlocal_batch_size = 2\nseq_len = 4096\nsteps = 1000\n"
    "[optimizer]\nlr = {rate}\n"
)
TORCHTUNE = (
    "tokenizer:\n  _component_: torchtune.models.llama3.llama3_tokenizer\n"
    "checkpointer:\n  _component_: torchtune.training.FullModelHFCheckpointer\n"
    "  checkpoint_dir: /tmp/Meta-Llama-3-8B/\n  model_type: LLAMA3\n"
    "model:\n  _component_: torchtune.models.llama3.llama3_8b\n"
    "loss:\n  _component_: {loss}\n"
    "optimizer:\n  _component_: torch.optim.AdamW\n  lr: {rate}\n"
    "batch_size: 2\nepochs: 1\n"
)
CROSS, DPO = "torchtune.modules.loss.LinearCrossEntropyLoss", "torchtune.rlhf.loss.DPOLoss"
OPENRLHF = (
    "deepspeed --module openrlhf.cli.train_dpo --pretrain m/Llama-3-8b --dataset a/b \\\n"
    "  --train_batch_size 256 --micro_train_batch_size 1 --max_len 2048 --zero_stage 3 --bf16 \\\n"
    "  --chosen_key chosen --rejected_key rejected --learning_rate {rate}\n"
)
PREFIX = (
    "torchrun --nproc_per_node 1 main.py --model_name_or_path THUDM/chatglm2-6b \\\n"
    "  --per_device_train_batch_size 1 --output_dir out --max_steps 3000 --pre_seq_len 128 \\\n"
    "  --learning_rate {rate}\n"
)


def rates(found: tuple[LintFinding, ...]) -> list[tuple[str, str]]:
    return [(one.name, one.severity) for one in found if one.name in (LOW, HIGH)]


@pytest.mark.parametrize(
    ("text", "name", "rate", "told"),
    [
        (AXOLOTL, "a.yaml", "1e-7", [(LOW, "info")]),
        (AXOLOTL, "a.yaml", "1e-8", [(LOW, "warning")]),
        (AXOLOTL, "a.yaml", "1e-6", []),
        (AXOLOTL + "rl: dpo\n", "a.yaml", "1e-7", []),
        (AXOLOTL + "rl: dpo\n", "a.yaml", "5e-5", [(HIGH, "info")]),
        (LORA, "a.yaml", "2e-6", [(LOW, "info")]),
        (LORA, "a.yaml", "1e-5", []),
        (LORA + "rl: dpo\n", "a.yaml", "5e-7", []),
        (TITAN, "a.toml", "8e-6", [(LOW, "info")]),
        (TITAN, "a.toml", "8e-5", []),
        (TITAN + '[checkpoint]\ninitial_load_path = "hf"\n', "a.toml", "8e-6", []),
        (TORCHTUNE.replace("{loss}", CROSS), "a.yaml", "2e-7", [(LOW, "info")]),
        (TORCHTUNE.replace("{loss}", DPO), "a.yaml", "2e-7", []),
        (OPENRLHF, "run.sh", "5e-5", [(HIGH, "info")]),
        (OPENRLHF, "run.sh", "5e-7", []),
        (PREFIX, "run.sh", "2e-2", []),
        (PREFIX.replace(" --pre_seq_len 128", ""), "run.sh", "4e-3", [(HIGH, "info")]),
    ],
)
def test_a_rate_is_judged_by_what_is_trained(
    lint_text: Lint, text: str, name: str, rate: str, told: list[tuple[str, str]]
) -> None:
    assert rates(lint_text(text.replace("{rate}", rate), name)) == told


def test_the_rate_of_the_actor_is_the_run_s(lint_text: Lint) -> None:
    ppo = OPENRLHF.replace("train_dpo", "train_ppo_ray").replace("--learning_", "--actor_learning_")
    assert rates(lint_text(ppo.replace("{rate}", "5e-5"), "run.sh")) == [(HIGH, "info")]
    assert rates(lint_text(ppo.replace("{rate}", "5e-7"), "run.sh")) == []


@pytest.mark.parametrize(("flavor", "size", "high"), [
    ("8B", "a model of 8B", "0.0009"), ("405B", "a model of 405B", "0.0003"),
    ("debugmodel", "a size that is not stated", "0.006"),
])  # fmt: skip
def test_a_flavor_states_the_size(lint_text: Lint, flavor: str, size: str, high: str) -> None:
    text = TITAN.replace('"8B"', f'"{flavor}"').replace("{rate}", "3e-6")
    (found,) = (one for one in lint_text(text, "a.toml") if one.name == LOW)
    assert size in found.message.en
    assert found.message.en.endswith(f"to {high}")


@pytest.mark.parametrize(("warmup", "told"), [("1000", 1), ("20000", 1), ("999", 0)])
def test_no_length_is_offered_for_a_warmup_as_long_as_the_run(
    lint_text: Lint, warmup: str, told: int
) -> None:
    text = TITAN.replace("{rate}", "3e-4") + f"[lr_scheduler]\nwarmup_steps = {warmup}\n"
    found = [f for f in lint_text(text, "a.toml") if f.name == "warmup-longer-than-run"]
    assert len(found) == told
    for one in found:
        assert one.fix is None
        assert [said.en for said in one.by_hand] == [
            "write the warmup that was meant, or the steps of the run"
        ]


TRL = (
    "model_name_or_path: Qwen/Qwen2.5-7B-Instruct\ndataset_name: a/b\nper_device_train_batch_size: 2\n"
    "max_length: 2048\nbf16: true\nnum_train_epochs: 1\noutput_dir: out\nlearning_rate: {rate}\n"
)


@pytest.mark.parametrize(
    ("text", "rate", "severity"),
    [
        (AXOLOTL, "1e-3", "warning"),
        (AXOLOTL, "6e-4", "info"),
        (AXOLOTL.replace("8B", "0.6B"), "1e-3", "info"),
        (AXOLOTL + "unfrozen_parameters:\n  - lm_head\nfreeze_mm_modules: true\n", "1e-3", "info"),
        (AXOLOTL + "rl: dpo\n", "1e-4", "warning"),
        (LORA, "2e-2", "warning"),
        (LORA, "2e-3", "info"),
        (LORA.replace("8B", "0.6B"), "5e-3", "info"),
        (LORA.replace("8B", "0.6B"), "2e-2", "warning"),
        (LORA.replace("Qwen/Qwen3-8B", "my/model"), "2e-2", "warning"),
        (LORA + "peft_use_adalora: adalora\n", "8e-3", "info"),
        (TRL, "1e-3", "warning"),
        (TRL + "beta: 0.1\n", "5e-5", "info"),
        (TRL + "beta: 0.1\n", "1e-4", "warning"),
    ],
)
def test_ten_times_all_that_is_published_is_a_warning(
    lint_text: Lint, text: str, rate: str, severity: str
) -> None:
    assert rates(lint_text(text.replace("{rate}", rate), "a.yaml")) == [(HIGH, severity)]


def test_a_script_of_ones_own_may_train_something_else(lint_text: Lint) -> None:
    own = PREFIX.replace(" --pre_seq_len 128", "").replace("{rate}", "4e-3")
    assert rates(lint_text(own, "run.sh")) == [(HIGH, "info")]


@pytest.mark.parametrize(
    ("kind", "rate", "fires"),
    [("reward_model: true", "2e-4", False), ("rl: dpo", "2e-4", True)],
)
def test_a_model_of_rewards_takes_higher_rates_than_preferences(
    lint_text: Lint, kind: str, rate: str, fires: bool
) -> None:
    text = (
        f"base_model: google/gemma-2-2b\n{kind}\nmicro_batch_size: 2\nnum_epochs: 4\n"
        f"sequence_len: 2048\nlearning_rate: {rate.replace('2e', '2.0e')}\noutput_dir: out\n"
        "datasets:\n  - {path: a/b, type: bradley_terry.chat_template}\n"
    )
    found = [f for f in lint_text(text, "axolotl.yaml") if f.name == "learning-rate-too-high"]
    assert any(f.severity == "warning" for f in found) is fires


@pytest.mark.parametrize(
    ("stated", "high"),
    [
        ({"parameters": 9e5, "base_model": "m"}, 1e-3),  # smaller than all that is published
        ({"parameters": 9e5, "base_model": "m", "lora_rank": 8}, 3e-3),
        ({"parameters": 1.2e8, "base_model": "m"}, 1e-4),
        ({"base_model": "m"}, 1e-4),
        ({"parameters": 9e5}, 6e-3),  # pretraining has rows of its own
    ],
)
def test_a_tiny_model_is_tuned_at_higher_rates(stated: dict[str, object], high: float) -> None:
    config = RunConfig({k: Value(v, Origin("given")) for k, v in stated.items()})  # type: ignore[arg-type]
    assert usual(config).high == pytest.approx(high)
