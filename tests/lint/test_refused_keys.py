"""Keys near none that a framework has, where it stops at any that it does not know."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from medic.probes.flags.key_names import known_tables, names_of

from medic.index.knowledge import load
from medic.lint.found import LintFinding
from tests.lint.test_words_of_releases import AXOLOTL, FACTORY

Lint = Callable[..., tuple[LintFinding, ...]]
NAME = "misspelt-config-key"
TITAN = (
    '[job]\ndump_folder = "./out"\n[model]\nname = "llama3"\nflavor = "8B"\n'
    "[training]\nlocal_batch_size = 2\nseq_len = 4096\nsteps = 1000\nmax_norm = 1.0\n"
    "[optimizer]\nlr = 3e-4\n"
)
NANOTRON = (
    "tokens:\n  batch_accumulation_per_replica: 4\n  micro_batch_size: 2\n  sequence_length: 1024\n"
    "  train_steps: 100\nparallelism:\n  dp: 2\n  tp: 1\n  pp: 1\n"
    "model:\n  dtype: bfloat16\n  make_vocab_size_divisible_by: 1\n"
    "  model_config:\n    is_llama_config: true\n    hidden_size: 64\n    num_hidden_layers: 2\n"
    "    num_attention_heads: 4\n    vocab_size: 512\n"
)
LITGPT = (
    "checkpoint_dir: checkpoints/a\nprecision: bf16-true\nlora_r: 8\nlora_alpha: 16\n"
    "train:\n  global_batch_size: 8\n  micro_batch_size: 1\n  epochs: 1\n  max_norm: 1.0\n"
)
ENGINE = (
    '{"train_micro_batch_size_per_gpu": 1, "gradient_clipping": 1.0, "steps_per_print": 10,\n'
    ' "zero_optimization": {"stage": 2, "overlap_comm": true, "reduce_scatter": true,\n'
    '   "contiguous_gradients": true},\n'
    ' "wall_clock_breakdown": false}\n'
)
LAUNCH = (
    "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nmachine_rank: 0\n"
    "main_training_function: main\nmixed_precision: bf16\nnum_machines: 1\nnum_processes: 8\n"
    "use_cpu: false\n"
)
NEMO = (
    "trainer:\n  devices: 8\n  num_nodes: 1\n  max_steps: 1000\n  precision: bf16\n"
    "exp_manager:\n  name: mine\nmodel:\n  micro_batch_size: 1\n  global_batch_size: 8\n"
    "  tensor_model_parallel_size: 1\n  pipeline_model_parallel_size: 1\n"
)


def told(found: tuple[LintFinding, ...]) -> list[tuple[str, int]]:
    return [(f.severity, f.line) for f in found if f.name == NAME]


@pytest.mark.parametrize(
    ("text", "name", "old", "new", "line"),
    [
        (FACTORY, "a.yaml", "bf16: true\n", "bf16: true\nrow_cache: 3\n", 13),
        (FACTORY, "a.yaml", "bf16: true\n", "bf16: true\n_row_cache: &rows 3\n", 0),
        (FACTORY, "a.yaml", "bf16: true\n", "bf16: true\ndpo_ftx: 0.1\n", 0),  # of older releases
        (FACTORY, "a.yaml", "bf16: true\n", "bf16: true\npredict_with_generate: false\n", 0),
        (FACTORY, "a.yaml", "bf16: true\n", "bf16: true\nmy_rows: 1\nmy_kind: 2\nmine: 3\n", 0),
        (AXOLOTL, "a.yaml", "1e-5\n", "1e-5\nrow_cache: 3\n", 0),  # which ignores them
        (TITAN, "a.toml", "max_norm = 1.0", "max_norm = 1.0\nrow_cache = 3", 11),
        (TITAN, "a.toml", '"8B"', '"8B"\nrow_cache = 3', 0),  # a model has keys of its own
        (TITAN, "a.toml", "max_norm = 1.0", "max_norm = 1.0\n[mine]\nrow_cache = 3", 0),
        (NANOTRON, "a.yaml", "train_steps: 100\n", "train_steps: 100\n  row_cache: 3\n", 6),
        (NANOTRON, "a.yaml", "vocab_size: 512\n", "vocab_size: 512\n    row_cache: 3\n", 0),
        (LITGPT, "a.yaml", "max_norm: 1.0\n", "max_norm: 1.0\n  row_cache: 3\n", 10),
        (LITGPT, "a.yaml", "max_norm: 1.0\n", "max_norm: 1.0\ndata:\n  row_cache: 3\n", 0),
        (ENGINE, "ds.json", '"stage": 2', '"stage": 2, "row_cache": 3', 2),
        (ENGINE, "ds.json", '"steps_per_print": 10', '"row_cache": 3', 0),  # not read, not refused
        (LAUNCH, "a.yaml", "use_cpu: false\n", "row_cache: 3\n", 8),
        (NEMO, "a.yaml", "precision: bf16\n", "precision: bf16\n  row_cache: 3\n", 6),
        (NEMO, "a.yaml", "precision: bf16\n", "precision: bf16\n  gpus: 8\n", 0),
        (NEMO, "a.yaml", "batch_size: 1\n", "batch_size: 1\n  row_cache: 3\n", 0),
    ],
)
def test_a_key_near_none(
    lint_text: Lint, text: str, name: str, old: str, new: str, line: int
) -> None:
    assert told(lint_text(text, name)) == []
    found = told(lint_text(text.replace(old, new), name))
    assert found == ([("warning", line)] if line else [])


def test_who_stops_is_said(lint_text: Lint) -> None:
    (found,) = (f for f in lint_text(FACTORY + "row_cache: 3\n") if f.name == NAME)
    assert found.message.en == (
        "LLaMA-Factory stops at a key that it does not know, and no release that medic knows has row_cache"
    )
    assert (
        found.message.zh
        == "LLaMA-Factory 遇到不认识的键会报错退出，而 medic 已知的版本都没有 row_cache"
    )
    assert found.fix is None


def test_a_file_that_brings_keys_of_its_own(lint_text: Lint) -> None:
    text = TITAN.replace("max_norm = 1.0", "max_norm = 1.0\nrow_cache = 3")
    own = text.replace('"./out"', '"./out"\ncustom_config_module = "my.job_config"')
    assert told(lint_text(own, "a.toml")) == []


def test_what_an_entry_says_of_its_keys_is_in_it() -> None:
    entries = load().frameworks
    tables = known_tables(entries.values())
    for name, entry in entries.items():
        assert {entry.keys_of, *entry.builds_on, *entry.hands_on} <= {"", *entries}, name
        assert set(entry.whole) <= set(entry.choices), name
        assert all(entry.choices[key][-1] == "..." for key in entry.whole), name
        blocks = [block.rpartition(".")[2] for block in entry.refuses if block]
        assert not blocks or names_of(tables[name], tables).leaves.issuperset(blocks), name
