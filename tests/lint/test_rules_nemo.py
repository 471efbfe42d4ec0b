"""Rules of NeMo 1: a clean configuration is silent, each mutation fires at its place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.index.knowledge import load
from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
CLEAN = """\
trainer:
  devices: 8
  num_nodes: 1
  precision: bf16
  max_steps: 1000
  accumulate_grad_batches: 1
exp_manager:
  exp_dir: out
model:
  micro_batch_size: 1
  global_batch_size: 64
  tensor_model_parallel_size: 2
  sequence_parallel: true
  gradient_accumulation_fusion: true
  megatron_amp_O2: true
  ub_tp_comm_overlap: true
  fsdp: false
  fp8: false
  use_emha: false
  optim:
    name: distributed_fused_adam
    lr: 1.0e-4
    sched:
      warmup_steps: 20
"""
NO_OVERLAP = ("ub_tp_comm_overlap: true", "ub_tp_comm_overlap: false")
NO_FUSION = ("accumulation_fusion: true", "accumulation_fusion: false")
FSDP = ("fsdp: false", "fsdp: true")
PLAIN_ADAM = ("distributed_fused_adam", "fused_adam")
# name of the rule, what is changed in the clean text, the line where it fires
MUTATIONS = {
    "accumulation-twice": ([("batches: 1", "batches: 4")], 6),
    "sequence-parallel-alone": ([("model_parallel_size: 2", "model_parallel_size: 1")], 13),
    "fused-accumulation-without-o2": ([("amp_O2: true", "amp_O2: false")], 14),
    "fused-accumulation-under-fsdp": ([FSDP, NO_OVERLAP], 14),
    "communication-overlap-under-fsdp": ([FSDP, NO_FUSION], 16),
    "communication-overlap-alone": ([("parallel: true", "parallel: false")], 16),
    "fsdp-with-fp8": ([FSDP, ("fp8: false", "fp8: true"), NO_FUSION, NO_OVERLAP], 17),
    "fused-attention-of-nemo": ([("emha: false", "emha: true")], 19),
    "o2-with-fp16": ([("bf16", "16-mixed"), PLAIN_ADAM, NO_FUSION], 15),
    "fused-accumulation-of-plain-optimizer": ([PLAIN_ADAM], 14),
}
RULES = {r.name: r for r in load().frameworks["nemo"].rules}


def faults(found: tuple[LintFinding, ...]) -> list[tuple[str, int, str]]:
    told = (f for f in found if f.severity != "info" or f.name == "option-without-effect")
    return [(f.name, f.line, f.message.en) for f in told]


def test_the_clean_configuration_is_silent(lint_text: Lint) -> None:
    assert faults(lint_text(CLEAN)) == []


def test_fp16_with_the_distributed_optimizer_is_silent(lint_text: Lint) -> None:
    assert faults(lint_text(CLEAN.replace("bf16", "16"))) == []


def test_every_rule_is_tried() -> None:
    assert set(MUTATIONS) == set(RULES)


@pytest.mark.parametrize("name", MUTATIONS)
def test_each_mutation_fires(lint_text: Lint, name: str) -> None:
    changes, line = MUTATIONS[name]
    text = CLEAN
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    rule = RULES[name]
    assert faults(lint_text(text)) == [(rule.cause, line, rule.say.en)]
