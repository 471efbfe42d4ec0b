"""An ordinary folder of one run: its saved checkpoints and its program are no other configurations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.report.verdict_text import _why_no_fault
from medic.run_config import RunConfig
from medic.runner.registry import all_probes
from medic.session.consultation import Session

from .test_rivals import A, rows

MODEL = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 2048,
    "num_hidden_layers": 16, "num_attention_heads": 16, "num_key_value_heads": 16,
    "intermediate_size": 5632, "vocab_size": 32000, "max_position_embeddings": 4096,
}  # fmt: skip
PROGRAM = """\
import sys
eval_interval = 200
eval_iters = 20
batch_size = 16
block_size = 64
n_layer = 3
n_head = 4
n_embd = 96
learning_rate = 2e-3
max_iters = 600
warmup_iters = 30
lr_decay_iters = 600
min_lr = 2e-4
weight_decay = 1e-1
keys = [name for name in globals()]
exec(open(sys.argv[1]).read())
"""
OWN = "batch_size = 8\nblock_size = 48\nlearning_rate = 0.005\nmax_iters = 400\nlr_decay_iters = 400\n"


def looked(root: Path, files: dict[str, str]) -> Session:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    index = load()
    probes = [p for p in all_probes() if p.reads == "artefacts"]
    session = Session(index, collect([str(root)], this_host=False, index=index), probes)
    session.look()
    return session


def test_the_model_file_of_each_checkpoint_is_no_other_configuration(tmp_path: Path) -> None:
    saved = json.dumps({**MODEL, "transformers_version": "4.50.0"})
    files = {"train.yaml": A, "train.log": rows(3e-4, 2000), "out/config.json": json.dumps(MODEL)}
    files |= {f"out/checkpoint-{n}/config.json": saved for n in (500, 1000)}
    found = looked(tmp_path, files).diagnosis()
    assert (found.verdict, found.not_read) == ("healthy", ())


def test_another_model_is_named_with_what_it_states_otherwise(tmp_path: Path) -> None:
    other = json.dumps({**MODEL, "hidden_size": 1024})
    files = {"train.yaml": A, "train.log": rows(3e-4, 2000), "out/config.json": json.dumps(MODEL)}
    session = looked(tmp_path, {**files, "out/checkpoint-500/config.json": other})
    found = session.diagnosis()
    (left,) = found.not_read
    assert "hidden_size 1024 there, 2048 in" in left.en
    assert (found.verdict, found.of_read) == ("not-read-whole", "healthy")
    sound, named = _why_no_fault(session, found)
    assert "nothing in the curves" in sound.en
    assert left.file in named.en
    assert left.zh in named.zh


@pytest.mark.parametrize("word", ["train.py", "./train.py"])
def test_a_program_that_runs_a_file_in_its_globals_states_defaults(
    tmp_path: Path, word: str
) -> None:
    files = {
        "train.py": PROGRAM,
        "config/small.py": OWN,
        "run.sh": f"python {word} config/small.py\n",
    }
    session = looked(
        tmp_path, {**files, "train.log": "iter 0: loss 4.1, time 3.00ms, mfu -100.00%\n"}
    )
    config = session.evidence.fact(RunConfig)
    assert config is not None
    assert (config.get("learning_rate"), config.get("total_steps")) == (0.005, 400)
    assert config.get("num_layers") == 3  # the program's own, which the file does not replace
    assert session.diagnosis().not_read == ()


def test_a_program_beside_a_file_that_it_does_not_run_yields(tmp_path: Path) -> None:
    files = {"train.py": PROGRAM, "conf.yaml": "lr: 1.0e-4\nseq_len: 128\nmax_steps: 100\n",
             "run.sh": "python train.py --config conf.yaml\n", "train.log": rows(1e-4, 100, 10)}  # fmt: skip
    session = looked(tmp_path, files)
    config = session.evidence.fact(RunConfig)
    assert config is not None
    assert config.get("learning_rate") == 1e-4
    assert all(n.aside for n in session.evidence.not_read)


def test_a_second_file_for_the_program_is_still_another_configuration(tmp_path: Path) -> None:
    files = {
        "train.py": PROGRAM,
        "config/small.py": OWN,
        "config/big.py": OWN.replace("= 8", "= 32"),
    }
    files["run.sh"] = "python train.py config/small.py\n"
    config = looked(tmp_path, files).evidence.fact(RunConfig)
    assert config is not None
    assert config.get("micro_batch_size") == 8
