"""Rules of TrainingArguments: what is fine is silent, each mutation fires at its key."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]

BASE = (
    "per_device_train_batch_size: 4\n"
    "gradient_accumulation_steps: 2\n"
    "num_train_epochs: 2\n"
    "learning_rate: 2.0e-5\n"
    "warmup_steps: 20\n"
    "bf16: true\n"
)
WORKERS = "dataloader_num_workers: 4\n"
VALUE = "flag-value-not-accepted"
NEEDS = "option-needs-another-option"
EXCLUDE = "options-exclude-each-other"
WITHOUT = "option-without-effect"
RENAMED = "argument-renamed-in-library"
DEPRECATED = "argument-deprecated"
OTHERWISE = "option-reads-otherwise"
# What is added to the clean file, what to the broken one, the check, and the key it points at.
MUTATIONS = [
    ("optim: adamw_torch_fused", "optim: adamw_trch", VALUE, "optim"),
    ("lr_scheduler_type: cosine", "lr_scheduler_type: cosin", VALUE, "lr_scheduler_type"),
    ("eval_strategy: epoch", "eval_strategy: epochs", VALUE, "eval_strategy"),
    ("save_strategy: best", "save_strategy: step", VALUE, "save_strategy"),
    ("logging_strategy: epoch", "logging_strategy: batch", VALUE, "logging_strategy"),
    ("metric_for_best_model: eval_loss\ngreater_is_better: false",
     "metric_for_best_model: eval_loss\ngreater_is_better: true", OTHERWISE, "greater_is_better"),
    ("metric_for_best_model: eval_f1\ngreater_is_better: true",
     "metric_for_best_model: f1\ngreater_is_better: false", OTHERWISE, "greater_is_better"),
    ("hub_strategy: end", "hub_strategy: always", VALUE, "hub_strategy"),
    ("save_total_limit: 1", "save_total_limit: 0", OTHERWISE, "save_total_limit"),
    ("logging_strategy: steps\nlogging_steps: 5", "logging_strategy: steps\nlogging_steps: 0",
     VALUE, "logging_steps"),
    ("logging_steps: 5", "logging_steps: 0", VALUE, "logging_steps"),
    ("torch_empty_cache_steps: 4", "torch_empty_cache_steps: 0", VALUE, "torch_empty_cache_steps"),
    ("lr_scheduler_type: reduce_lr_on_plateau\neval_strategy: epoch",
     "lr_scheduler_type: reduce_lr_on_plateau\neval_strategy: 'no'", NEEDS, "lr_scheduler_type"),
    ("lr_scheduler_type: reduce_lr_on_plateau\neval_strategy: epoch",
     "lr_scheduler_type: reduce_lr_on_plateau", NEEDS, "lr_scheduler_type"),
    ("lr_scheduler_type: cosine_with_min_lr\nlr_scheduler_kwargs:\n  min_lr: 2.0e-6",
     "lr_scheduler_type: cosine_with_min_lr", NEEDS, "lr_scheduler_type"),
    ("lr_scheduler_type: warmup_stable_decay\nlr_scheduler_kwargs: {num_decay_steps: 100}",
     "lr_scheduler_type: warmup_stable_decay", NEEDS, "lr_scheduler_type"),
    ("optim: galore_adamw\noptim_target_modules: [attn, mlp]", "optim: galore_adamw",
     NEEDS, "optim"),
    ("optim: galore_adamw\noptim_target_modules: all-linear",
     "optim: galore_adamw_layerwise\noptim_target_modules: all-linear", EXCLUDE, "optim"),
    ("fsdp: full_shard auto_wrap", "fsdp: full_shard auto_wrap\ndeepspeed: ds.json",
     EXCLUDE, "fsdp"),
    ("fsdp: full_shard\nfsdp_config:\n  activation_checkpointing: true",
     "fsdp: full_shard\ngradient_checkpointing: true\nfsdp_config:\n  activation_checkpointing: true",
     EXCLUDE, "gradient_checkpointing"),
    ("save_only_model: true\nfsdp: full_shard",
     "save_only_model: true\nfsdp: full_shard\nload_best_model_at_end: true\n"
     "eval_strategy: epoch\nsave_strategy: epoch", EXCLUDE, "save_only_model"),
    ("save_only_model: true\ndeepspeed: ds.json",
     "save_only_model: true\ndeepspeed: ds.json\nload_best_model_at_end: true\n"
     "eval_strategy: epoch\nsave_strategy: epoch", EXCLUDE, "save_only_model"),
    ("fp16_full_eval: false\nbf16_full_eval: true", "fp16_full_eval: true\nbf16_full_eval: true",
     "two-precisions-set", "fp16_full_eval"),
    ("save_strategy: steps\nsave_steps: 20", "save_strategy: 'no'\nsave_steps: 20",
     WITHOUT, "save_steps"),
    ("eval_strategy: steps\neval_steps: 20", "eval_strategy: 'no'\neval_steps: 20",
     WITHOUT, "eval_steps"),
    ("seed: 1", "warmup_ratio: 0.1", WITHOUT, "warmup_ratio"),
    ("fsdp: full_shard\nfsdp_config: {transformer_layer_cls_to_wrap: Block}",
     "fsdp_config: {transformer_layer_cls_to_wrap: Block}", WITHOUT, "fsdp_config"),
    ("fsdp: full_shard\nfsdp_config: fsdp.json", "fsdp_config: fsdp.json",
     WITHOUT, "fsdp_config"),
    ("eval_strategy: epoch", "evaluation_strategy: epoch", RENAMED, "evaluation_strategy"),
    ("use_cpu: false", "no_cuda: false", RENAMED, "no_cuda"),
    ("optim: adafactor", "adafactor: true", RENAMED, "adafactor"),
    ("hub_token: x", "push_to_hub_token: x", RENAMED, "push_to_hub_token"),
    ("hub_model_id: a", "push_to_hub_model_id: a", RENAMED, "push_to_hub_model_id"),
    ("hub_model_id: a", "push_to_hub_organization: a", RENAMED, "push_to_hub_organization"),
    ("seed: 1", "per_gpu_eval_batch_size: 4", RENAMED, "per_gpu_eval_batch_size"),
    ("seed: 1", "use_mps_device: true", RENAMED, "use_mps_device"),
    ("seed: 1", "fp16_backend: auto", RENAMED, "fp16_backend"),
    ("torch_compile_backend: inductor", "torchdynamo: inductor", RENAMED, "torchdynamo"),
    ("seed: 1", "fsdp_min_num_params: 100", RENAMED, "fsdp_min_num_params"),
    ("fsdp: full_shard", "fsdp: full_shard\nfsdp_transformer_layer_cls_to_wrap: B", RENAMED,
     "fsdp_transformer_layer_cls_to_wrap"),
    ("include_for_metrics: [inputs]", "include_inputs_for_metrics: true", RENAMED,
     "include_inputs_for_metrics"),
    ("seed: 1", "tpu_metrics_debug: true", RENAMED, "tpu_metrics_debug"),
    ("seed: 1", "use_legacy_prediction_loop: true", RENAMED, "use_legacy_prediction_loop"),
    ("seed: 1", "use_ipex: true", RENAMED, "use_ipex"),
    *(("seed: 1", f"{key}: 1", DEPRECATED, key) for key in (
        "overwrite_output_dir", "save_safetensors", "half_precision_backend", "fp16_opt_level",
        "include_tokens_per_second", "jit_mode_eval", "ray_scope", "past_index", "mp_parameters",
        "tpu_num_cores", "group_by_length", "logging_dir")),
]  # fmt: skip
LOADING = [
    ("dataloader_num_workers: 4\ndataloader_prefetch_factor: 2", 2,
     "dataloader_num_workers: 0\ndataloader_prefetch_factor: 2"),
    ("dataloader_num_workers: 4\ndataloader_persistent_workers: true", 2,
     "dataloader_num_workers: 0\ndataloader_persistent_workers: true"),
    ("dataloader_num_workers: 4\ndataloader_prefetch_factor: 2", 1,
     "dataloader_prefetch_factor: 2"),
    ("dataloader_num_workers: 4\ndataloader_persistent_workers: true", 1,
     "dataloader_persistent_workers: true"),
]  # fmt: skip
FSDP = (
    "distributed_type: FSDP\nnum_processes: 8\nmixed_precision: bf16\nfsdp_config:\n"
    "  fsdp_version: 1\n"
)
TOGETHER = [
    ("gradient_checkpointing: false\n", "gradient_checkpointing: true\n",
     FSDP + "  fsdp_activation_checkpointing: true\n"),
    ("save_only_model: false\n", "save_only_model: true\n",
     FSDP + "  fsdp_state_dict_type: SHARDED_STATE_DICT\n"),
    ("auto_find_batch_size: false\n", "auto_find_batch_size: true\n",
     "distributed_type: DEEPSPEED\nnum_processes: 8\nmixed_precision: bf16\n"
     "deepspeed_config: {zero_stage: 3, zero3_save_16bit_model: true}\n"),
]  # fmt: skip


def told(findings: tuple[LintFinding, ...]) -> list[tuple[str, int]]:
    return [(f.name, f.line) for f in findings]


@pytest.mark.parametrize(("good", "bad", "cause", "key"), MUTATIONS)
def test_each_mutation_fires(lint_text: Lint, good: str, bad: str, cause: str, key: str) -> None:
    base = BASE + WORKERS
    assert told(lint_text(base + good + "\n")) == []
    text = base + bad + "\n"
    line = 1 + [one.split(":")[0] for one in text.splitlines()].index(key)
    assert told(lint_text(text)) == [(cause, line)]


@pytest.mark.parametrize(("good", "line", "bad"), LOADING)
def test_what_needs_workers(lint_text: Lint, good: str, line: int, bad: str) -> None:
    assert told(lint_text(BASE + good + "\n")) == []
    found = told(lint_text(BASE + bad + "\n"))
    assert [f for f in found if f[0] != "slow-data-loader"] == [(NEEDS, 6 + line)]


@pytest.mark.parametrize(("good", "bad", "launcher"), TOGETHER)
def test_what_the_launcher_excludes(lint_text: Lint, good: str, bad: str, launcher: str) -> None:
    base = BASE + WORKERS
    more = {"accelerate.yaml": launcher}
    assert told(lint_text(base + good, "run.yaml", more)) == []
    assert told(lint_text(base + bad, "run.yaml", more)) == [(EXCLUDE, 8)]


def test_a_share_of_warmup_and_an_old_batch_key(lint_text: Lint) -> None:
    base = BASE + WORKERS
    ratio = base.replace("warmup_steps: 20", "warmup_ratio: 0.03")
    assert told(lint_text(ratio)) == [(DEPRECATED, 5)]
    old = base.replace("per_device_train_batch_size", "per_gpu_train_batch_size")
    assert told(lint_text(old)) == [(RENAMED, 1)]


def test_a_command_is_read_alike(lint_text: Lint) -> None:
    flags = "train.py --per_device_train_batch_size 4 --bf16 True --warmup_steps 20 \\\n"
    end = "  --dataloader_num_workers 4 --learning_rate 2e-5 --num_train_epochs 2"
    text = f"torchrun --nproc_per_node 8 {flags}{end}\n"
    assert told(lint_text(text, "run.sh")) == []
    text = f"torchrun --nproc_per_node 8 {flags}{end} --evaluation_strategy epoch\n"
    assert told(lint_text(text, "run.sh")) == [(RENAMED, 2)]


def test_the_old_name_of_the_evaluation_takes_no_other_words(lint_text: Lint) -> None:
    text = BASE + WORKERS + "evaluation_strategy: {}\n"
    assert told(lint_text(text.format("epochs"))) == [(RENAMED, 8), (VALUE, 8)]
    more = {"requirements.txt": "transformers==4.40.1\n"}
    assert told(lint_text(text.format("epoch"), more=more)) == []
    assert told(lint_text(text.format("epochs"), more=more)) == [(VALUE, 8)]


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("", "", []),
        ('"bf16": {"enabled": "auto"}', '"bf16": {"enabled": false}', [EXCLUDE]),
        ('"warmup_max_lr": "auto"', '"warmup_max_lr": 1e-4', ["conflicting-values"]),
        ('"warmup_max_lr": "auto"', '"warmup_max_lr": 2e-5', []),
        ("WarmupLR", "WarmUpLR", [VALUE]),
    ],
)
def test_a_deepspeed_file_that_says_otherwise(
    lint_text: Lint, old: str, new: str, names: list[str]
) -> None:
    script = (
        "deepspeed train.py --deepspeed ds.json --output_dir out --bf16 True \\\n"
        "  --per_device_train_batch_size 4 --learning_rate 2e-5 --num_train_epochs 1\n"
    )
    engine = (
        '{"bf16": {"enabled": "auto"}, "zero_optimization": {"stage": 2},\n'
        ' "scheduler": {"type": "WarmupLR", "params": {"warmup_max_lr": "auto"}},\n'
        ' "train_micro_batch_size_per_gpu": "auto"}\n'
    )
    found = lint_text(script, "run.sh", {"ds.json": engine.replace(old, new) if old else engine})
    assert [one.name for one in found] == names
