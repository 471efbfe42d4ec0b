"""Numbers that nothing refuses and no published run has, and those that are just unusual."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
BEYOND, IMPOSSIBLE, CLIP = "value-beyond-published", "impossible-value", "clip-threshold-unusual"
AXOLOTL = (
    "base_model: my/model\ndatasets:\n  - path: a/b\n    type: alpaca\nsequence_len: 2048\n"
    "micro_batch_size: 1\ngradient_accumulation_steps: 8\nnum_epochs: 1\nlearning_rate: 1e-5\n"
)
NEOX = (
    '{"num_layers": 12, "hidden_size": 768, "num_attention_heads": 12, "seq_length": 2048,\n'
    ' "max_position_embeddings": 2048, "pos_emb": "rotary", "train_iters": 1000,\n'
    ' "train_micro_batch_size_per_gpu": 4, "lr_decay_style": "cosine", "precision": "bfloat16",\n'
    ' "optimizer": {"type": "Adam", "params": {"lr": 0.0006, "betas": [0.9, 0.95]}},\n'
    ' "rotary_emb_base": 10000, "layernorm_epsilon": 1.0e-5, "hidden_dropout": 0.1}\n'
)
GRPO = (
    "model_name_or_path: my/model\ndataset_name: a/b\nnum_generations: 8\n"
    "max_completion_length: 1024\nbeta: 0.04\ntemperature: 1.0\nbf16: true\n"
    "per_device_train_batch_size: 8\ngradient_accumulation_steps: 4\nlearning_rate: 1.0e-6\n"
    "output_dir: out\n"
)
DPO = (
    "model_name_or_path: my/model\ndataset_name: a/b\nbeta: 0.1\nloss_type: sigmoid\nbf16: true\n"
    "max_length: 2048\nper_device_train_batch_size: 2\nlearning_rate: 5.0e-7\noutput_dir: out\n"
)
VERL = (
    "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=512 \\\n"
    "  actor_rollout_ref.actor.ppo_mini_batch_size=128 actor_rollout_ref.actor.use_kl_loss=True \\\n"
    "  actor_rollout_ref.actor.kl_loss_coef=0.001 actor_rollout_ref.rollout.name=vllm \\\n"
    "  actor_rollout_ref.rollout.temperature=1.0 actor_rollout_ref.rollout.val_kwargs.temperature=0\n"
)
OWN = "model: {hidden_size: 256, num_layers: 4}\ntraining: {lr: 0.0006, dropout: 0.9, rope_theta: 100}\n"
OLMO = (
    "run_name: mine\nmodel:\n  d_model: 1024\n  n_heads: 16\n  max_sequence_length: 2048\n"
    "optimizer:\n  name: adamw\n  learning_rate: 3.0e-4\n"
    "scheduler:\n  name: cosine_with_warmup\n  units: tokens\n  t_warmup: 8388608000\n  t_max: 4e12\n"
    "global_train_batch_size: 512\ndevice_train_microbatch_size: 4\nmax_duration: 4e12T\n"
)


def told(found: tuple[LintFinding, ...]) -> list[tuple[str, str]]:
    return [(f.name, f.severity) for f in found if f.name in (BEYOND, IMPOSSIBLE)]


@pytest.mark.parametrize(
    ("text", "name", "old", "new", "fires"),
    [
        (AXOLOTL, "a.yaml", "1e-5\n", "1e-5\nval_set_size: 0.95\n", BEYOND),
        (AXOLOTL, "a.yaml", "1e-5\n", "1e-5\nval_set_size: 500\n", ""),
        (AXOLOTL, "a.yaml", "1e-5\n", "1e-5\nadam_beta2: 0.0095\n", BEYOND),
        (AXOLOTL, "a.yaml", "1e-5\n", "1e-5\nadam_beta2: 0.9\n", ""),
        (AXOLOTL, "a.yaml", "1e-5\n", "1e-5\nadam_beta1: 0.5\nadam_beta2: 0.6\n", ""),
        (AXOLOTL, "a.yaml", "1e-5\n", "1e-5\nadam_beta1: 0.98\nadam_beta2: 0.9\n", BEYOND),
        (AXOLOTL, "a.yaml", "1e-5\n", "1e-5\nadam_beta2: 0.5\noptimizer: adafactor\n", ""),
        (AXOLOTL, "a.yaml", "1e-5\n", "1e-5\nadapter: lora\nlora_r: 8\nlora_dropout: 0.5\n", ""),
        (AXOLOTL, "a.yaml", "1e-5\n", "1e-5\nadapter: lora\nlora_r: 8\nlora_dropout: 0.9\n", BEYOND),
        (NEOX, "a.yml", "0.9, 0.95", "0.9, 0.095", BEYOND),
        (NEOX, "a.yml", "0.9, 0.95", "0.9, 0.999", ""),
        (NEOX, "a.yml", "10000", "500", BEYOND),
        (NEOX, "a.yml", "10000", "500000", ""),
        (NEOX, "a.yml", "1.0e-5", "0.1", BEYOND),
        (NEOX, "a.yml", "1.0e-5", "1.0e-12", ""),
        (NEOX, "a.yml", '"hidden_dropout": 0.1', '"hidden_dropout": 0.9', BEYOND),
        (NEOX, "a.yml", '"hidden_dropout": 0.1', '"init_method_std": 2.0', BEYOND),
        (NEOX, "a.yml", '"hidden_dropout": 0.1', '"init_method_std": 0.02', ""),
        (GRPO, "a.yaml", "0.04", "1", BEYOND),
        (GRPO, "a.yaml", "ture: 1.0", "ture: 0.0", IMPOSSIBLE),
        (GRPO, "a.yaml", "ture: 1.0", "ture: 1.5", ""),
        (GRPO, "a.yaml", "ture: 1.0", "ture: 30", BEYOND),
        (DPO, "a.yaml", "beta: 0.1", "beta: 10", BEYOND),
        (DPO, "a.yaml", "beta: 0.1\nloss_type: sigmoid", "beta: 10\nloss_type: simpo", ""),
        (VERL, "run.sh", "coef=0.001", "coef=1", BEYOND),
        (VERL, "run.sh", "coef=0.001", "coef=-0.001", IMPOSSIBLE),
        (VERL, "run.sh", "rollout.temperature=1.0", "rollout.temperature=0", IMPOSSIBLE),
        (OWN, "a.yaml", "0.0006", "0.0005", ""),
    ],
)  # fmt: skip
def test_a_number_far_from_all_that_is_published(
    lint_text: Lint, text: str, name: str, old: str, new: str, fires: str
) -> None:
    assert told(lint_text(text, name)) == []
    found = told(lint_text(text.replace(old, new), name))
    severity = "warning" if fires == BEYOND else "error"
    assert found == ([(fires, severity)] if fires else [])


def test_what_is_usual_is_said(lint_text: Lint) -> None:
    (found,) = (
        f for f in lint_text(NEOX.replace("0.9, 0.95", "0.9, 0.095"), "a.yml") if f.name == BEYOND
    )
    assert found.message.en == (
        "betas is [0.9, 0.095]; below beta1 squared, 0.81, Adam need not converge; 0.95 to 0.999 are usual"
    )
    assert (
        found.message.zh
        == "betas 为 [0.9, 0.095]；小于 beta1 的平方（0.81）时 Adam 不保证收敛；通常为 0.95 到 0.999"
    )


@pytest.mark.parametrize(
    ("clip", "severity"), [("1.0e-6", "warning"), ("0.005", "info"), ("1000", "info"), ("0.5", "")]
)
def test_a_norm_that_leaves_nothing_of_an_update(lint_text: Lint, clip: str, severity: str) -> None:
    found = lint_text(AXOLOTL + f"max_grad_norm: {clip}\n")
    assert [f.severity for f in found if f.name == CLIP] == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("old", "new", "fires"),
    [
        ("", "", 0),
        ("8388608000", "8e12", 1),
        ("  t_max: 4e12\n", "", 0),
        ("8388608000\n  t_max: 4e12\n", "8e12\n", 1),
        ("units: tokens", "units: steps", 0),
    ],
)
def test_a_warmup_beyond_the_decay_of_olmo(lint_text: Lint, old: str, new: str, fires: int) -> None:
    found = lint_text(OLMO.replace(old, new) if old else OLMO)
    assert [f.name for f in found].count("warmup-longer-than-decay") == fires
