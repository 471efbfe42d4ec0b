"""Rules of accelerate: what is fine is silent, each mutation fires at its key."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]

BASE = "compute_environment: LOCAL_MACHINE\nnum_machines: 1\nnum_processes: 8\n"
FSDP = "distributed_type: FSDP\nmixed_precision: bf16\nfsdp_config:\n  fsdp_version: {v}\n"
FSDP1, FSDP2 = FSDP.format(v=1), FSDP.format(v=2)
ZERO = "distributed_type: DEEPSPEED\ndeepspeed_config:\n"
MESH = "mixed_precision: bf16\nparallelism_config:\n"
VALUE = "flag-value-not-accepted"
NEEDS = "option-needs-another-option"
EXCLUDE = "options-exclude-each-other"
WITHOUT = "option-without-effect"
P = "  parallelism_config_"
MUTATIONS = [
    ("main_process_ip: 10.0.0.1", "main_training_ip: 10.0.0.1",
     "misspelt-config-key", "main_training_ip"),
    ("main_process_port: 29500", "main_training_port: 29500",
     "misspelt-config-key", "main_training_port"),
    (f"{FSDP1}  fsdp_auto_wrap_policy: NO_WRAP",
     "distributed_type: MULTI_GPU\nfsdp_config:\n  fsdp_auto_wrap_policy: NO_WRAP",
     WITHOUT, "distributed_type"),
    ("machine_rank: 0\ndistributed_type: MULTI_GPU", "machine_rank: 0",
     NEEDS, "compute_environment"),
    ("distributed_type: MULTI_GPU\ngpu_ids: all", "distributed_type: MULTI_GPU\ngpu_ids: 0",
     EXCLUDE, "gpu_ids"),
    (f"{MESH}{P}cp_size: 2\n{P}dp_shard_size: 4",
     f"{MESH}{P}cp_size: 2\n{P}sp_size: 2\n{P}dp_shard_size: 2", EXCLUDE, f"{P}cp_size"),
    (f"{MESH}{P}tp_size: 2\n{P}dp_replicate_size: 2\n{P}dp_shard_size: 2",
     f"{MESH}{P}tp_size: 2\n{P}dp_replicate_size: 4\n{P}dp_shard_size: 1",
     EXCLUDE, f"{P}tp_size"),
    (f"{MESH}{P}tp_size: 2\n{P}dp_replicate_size: 2\n{P}dp_shard_size: 2",
     f"{MESH}{P}tp_size: 2\n{P}dp_replicate_size: 4", EXCLUDE, f"{P}tp_size"),
    (f"{MESH}{P}cp_size: 2\n{P}dp_replicate_size: 2\n{P}dp_shard_size: 2",
     f"{MESH}{P}cp_size: 2\n{P}dp_replicate_size: 4\n{P}dp_shard_size: 1",
     EXCLUDE, f"{P}cp_size"),
    (f"{MESH}{P}cp_size: 2\n{P}dp_replicate_size: 2\n{P}dp_shard_size: 2",
     f"{MESH}{P}cp_size: 2\n{P}dp_replicate_size: 4", EXCLUDE, f"{P}cp_size"),
    (f"{FSDP2}  fsdp_state_dict_type: SHARDED_STATE_DICT",
     f"{FSDP2}  fsdp_state_dict_type: LOCAL_STATE_DICT", EXCLUDE, "  fsdp_state_dict_type"),
    (f"{FSDP2}  fsdp_reshard_after_forward: true",
     f"{FSDP2}  fsdp_reshard_after_forward: FULL_SHARD", VALUE, "  fsdp_reshard_after_forward"),
    (f"{FSDP2}  fsdp_forward_prefetch: false", f"{FSDP2}  fsdp_forward_prefetch: true",
     WITHOUT, "  fsdp_forward_prefetch"),
    (f"{FSDP1}  fsdp_sharding_strategy: SHARD_GRAD_OP",
     f"{FSDP2}  fsdp_sharding_strategy: SHARD_GRAD_OP", WITHOUT, "  fsdp_sharding_strategy"),
    (f"{FSDP1}  fsdp_cpu_ram_efficient_loading: true\n  fsdp_sync_module_states: true",
     f"{FSDP1}  fsdp_cpu_ram_efficient_loading: true\n  fsdp_sync_module_states: false",
     NEEDS, "  fsdp_cpu_ram_efficient_loading"),
    ("mixed_precision: 'no'", "mixed_precision: mixed", VALUE, "mixed_precision"),
    ("distributed_type: 'NO'", "distributed_type: DDP", VALUE, "distributed_type"),
    (f"{FSDP1}  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP",
     f"{FSDP1}  fsdp_auto_wrap_policy: TRANSFORMER_WRAP", VALUE, "  fsdp_auto_wrap_policy"),
    (f"{FSDP1}  fsdp_state_dict_type: FULL_STATE_DICT", f"{FSDP1}  fsdp_state_dict_type: FULL",
     VALUE, "  fsdp_state_dict_type"),
    (f"{FSDP1}  fsdp_sharding_strategy: FULL_SHARD", f"{FSDP1}  fsdp_sharding_strategy: FULL",
     VALUE, "  fsdp_sharding_strategy"),
    (f"{FSDP1}  fsdp_backward_prefetch: BACKWARD_PRE", f"{FSDP1}  fsdp_backward_prefetch: PRE",
     VALUE, "  fsdp_backward_prefetch"),
    (f"{FSDP1}  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n"
     "  fsdp_transformer_layer_cls_to_wrap: Block",
     f"{FSDP1}  fsdp_auto_wrap_policy: SIZE_BASED_WRAP\n"
     "  fsdp_transformer_layer_cls_to_wrap: Block",
     WITHOUT, "  fsdp_transformer_layer_cls_to_wrap"),
    (f"{ZERO}  zero3_init_flag: false\n  zero_stage: 2",
     f"{ZERO}  zero3_init_flag: true\n  zero_stage: 2", WITHOUT, "  zero3_init_flag"),
    (f"{ZERO}  offload_param_device: none\n  zero_stage: 2",
     f"{ZERO}  offload_param_device: cpu\n  zero_stage: 2", WITHOUT, "  offload_param_device"),
    *((f"{ZERO}  deepspeed_config_file: ds.json",
       f"{ZERO}  deepspeed_config_file: ds.json\n  {key}: {value}", EXCLUDE, f"  {key}")
      for key, value in (
          ("zero_stage", 2), ("gradient_accumulation_steps", 2), ("gradient_clipping", 1.0),
          ("offload_optimizer_device", "none"), ("offload_param_device", "none"),
          ("zero3_save_16bit_model", "true"))),
    (f"{ZERO}  deepspeed_config_file: ds.json",
     f"mixed_precision: bf16\n{ZERO}  deepspeed_config_file: ds.json",
     EXCLUDE, "mixed_precision"),
]  # fmt: skip
COMMANDS = [
    ("--use_fsdp", "--multi_gpu --use_fsdp", EXCLUDE),
    ("--use_deepspeed", "--multi_gpu --use_deepspeed", EXCLUDE),
    ("--use_fsdp", "--use_fsdp --use_deepspeed", EXCLUDE),
    ("--num_processes 1", "--multi_gpu --num_processes 1", EXCLUDE),
    ("--use_fsdp --fsdp_version 2 --use_parallelism_config", "--use_parallelism_config", NEEDS),
    ("--use_fsdp --fsdp_version 2 --use_parallelism_config",
     "--use_fsdp --fsdp_version 1 --use_parallelism_config", NEEDS),
]  # fmt: skip


def told(findings: tuple[LintFinding, ...]) -> list[tuple[str, int]]:
    return [(f.name, f.line) for f in findings]


@pytest.mark.parametrize(("good", "bad", "cause", "key"), MUTATIONS)
def test_each_mutation_fires(lint_text: Lint, good: str, bad: str, cause: str, key: str) -> None:
    assert told(lint_text(BASE + good + "\n")) == []
    text = BASE + bad + "\n"
    line = 1 + [one.split(":")[0] for one in text.splitlines()].index(key)
    assert told(lint_text(text)) == [(cause, line)]


@pytest.mark.parametrize(("good", "bad", "cause"), COMMANDS)
def test_each_command_fires(lint_text: Lint, good: str, bad: str, cause: str) -> None:
    command = "set -e\naccelerate launch {} train.py\n"
    assert told(lint_text(command.format(good), "run.sh")) == []
    assert told(lint_text(command.format(bad), "run.sh")) == [(cause, 2)]
