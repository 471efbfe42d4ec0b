"""Remedies are written in the words of the framework whose file it is, or said."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.fixes import Fix
from medic.index.knowledge import load
from medic.runner.registry import all_probes
from medic.session.consultation import Session

OOM = (
    "Traceback (most recent call last):\n"
    '  File "/job/train.py", line 40, in <module>\n'
    "    optimizer.step()\n"
    '  File "/usr/lib/torch/optim/adamw.py", line 143, in _init_group\n'
    "    state = torch.zeros_like(p)\n"
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 256.00 MiB. GPU 0 has a total "
    "capacity of 79.10 GiB of which 120.00 MiB is free.\n"
)
LIGHTNING = (
    "trainer:\n  accelerator: gpu\n  devices: 2\n  strategy: ddp\n  precision: bf16-mixed\n"
    "  accumulate_grad_batches: 4\ndata:\n  batch_size: 4\n"
)
FACTORY = (
    "model_name_or_path: Qwen/Qwen2.5-7B-Instruct\nstage: sft\nfinetuning_type: full\n"
    "dataset: mine\ntemplate: qwen\ncutoff_len: 4096\nper_device_train_batch_size: 8\n"
    "gradient_accumulation_steps: 8\nbf16: true\n"
)
TITAN = (
    '[model]\nname = "llama3"\nflavor = "8B"\n[training]\nlocal_batch_size = 1\nseq_len = 8192\n'
    "steps = 1000\n[parallelism]\ndata_parallel_shard_degree = 1\n"
)


def fixes(folder: Path, cause: str, **files: str) -> dict[str, Fix]:
    (folder / "train.log").write_text(OOM)
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    index = load()
    probes = [p for p in all_probes() if p.reads == "artefacts"]
    session = Session(index, collect([str(folder)], this_host=False, index=index), probes)
    session.look()
    return {fix.remedy.name: fix for fix in session.fixes(cause)}


def test_sharding_is_a_word_of_lightnings_strategy(tmp_path: Path) -> None:
    found = fixes(tmp_path, "model-states-do-not-fit", config_yaml=LIGHTNING)
    diff = found["shard-model-states"].diff
    assert "-  strategy: ddp\n+  strategy: deepspeed_stage_3\n" in diff
    assert "zero_stage" not in diff


@pytest.mark.parametrize(("name", "text"), [("config_yaml", LIGHTNING), ("train_toml", TITAN)])
def test_a_key_that_the_framework_has_not_is_not_written(
    tmp_path: Path, name: str, text: str
) -> None:
    found = fixes(tmp_path, "model-states-do-not-fit", **{name: text})
    fix = found["offload-optimizer-states"]
    assert fix.patch is None
    assert "knows no key of" in fix.notes[0].en


def test_what_the_framework_does_by_itself_comes_last(tmp_path: Path) -> None:
    found = fixes(tmp_path, "micro-batch-too-large", sft_yaml=FACTORY)
    assert list(found)[-1] == "recompute-activations"
    assert found["recompute-activations"].made
    assert found["recompute-activations"].patch is None


@pytest.mark.parametrize(("more", "written"), [("", False), ("--gradient-checkpointing", True)])
def test_a_flag_is_added_only_where_the_script_takes_it(
    tmp_path: Path, more: str, written: bool
) -> None:
    flags = ["--micro-batch-size", "--hidden-size", *([more] if more else [])]
    lines = "".join(f"parser.add_argument('{flag}')\n" for flag in flags)
    (tmp_path / "train.py").write_text(
        f"import argparse\nparser = argparse.ArgumentParser()\n{lines}parser.parse_args()\n"
    )
    launch = "python train.py --micro-batch-size 8 --hidden-size 4096\n"
    found = fixes(tmp_path, "micro-batch-too-large", launch_sh=launch)
    assert (found["recompute-activations"].patch is not None) is written
