"""Scripts of transformers' Trainer: what their own code says of recomputation, and what it leaves open."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.memory.habits import settled
from medic.run_config import RunConfig
from medic.runner.registry import all_probes
from medic.runner.run import observe, with_needs

Sized = Callable[..., dict[str, Any]]
SCRIPT = """import argparse
import yaml
{imports}
from transformers import AutoConfig, AutoModelForCausalLM, Trainer, TrainingArguments

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config")
    {more}
    options = parser.parse_args()
    cfg = yaml.safe_load(open(options.config))
    model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.2-1B", torch_dtype="bfloat16")
    {model}
    args = TrainingArguments({arguments})
    Trainer(model=model, args=args, train_dataset=data).train()

main()
"""
STATED = "output_dir='out', per_device_train_batch_size=4, bf16=True"
YAML = "output_dir: out\nper_device_train_batch_size: 4\nbf16: true\n"
SET = ("--gpu=h100-80g", "--set=sequence_length=2048")


def script(**parts: str) -> str:
    return SCRIPT.format(**{"imports": "", "more": "", "model": "", "arguments": STATED, **parts})


@pytest.fixture
def assumed(sized: Sized, tmp_path: Path) -> Callable[..., bool]:
    """Whether recomputation is assumed to be off, of a script and a file of its arguments."""

    def told(text: str, arguments: str = "") -> bool:
        (tmp_path / "train.py").write_text(text)
        (tmp_path / "run.yaml").write_text(arguments)
        files = ("train.py", "run.yaml") if arguments else ("train.py",)
        found = sized(*(str(tmp_path / name) for name in files), *SET)
        return "activation_checkpointing = off" in found["assumed"]

    return told


def test_arguments_that_do_not_recompute_are_no_assumption(assumed: Callable[..., bool]) -> None:
    assert not assumed(script())


def test_arguments_from_a_file_that_is_here_are_none_either(assumed: Callable[..., bool]) -> None:
    assert not assumed(script(arguments="**cfg"), YAML)


@pytest.mark.parametrize(
    "parts",
    [
        {"arguments": "**cfg"},
        {"arguments": f"{STATED}, **cfg"},
        {"imports": "from helpers import prepare"},
        {"more": "parser.add_argument('--gradient_checkpointing', action='store_true')"},
        {"more": "from torch.utils.checkpoint import checkpoint; checkpoint(f, x)"},
    ],
    ids=["file elsewhere", "more elsewhere", "own module", "option", "function"],
)
def test_what_may_recompute_stays_an_assumption(
    assumed: Callable[..., bool], parts: dict[str, str]
) -> None:
    assert assumed(script(**parts))


def test_code_that_recomputes_is_believed_and_the_file_before_it(
    sized: Sized, tmp_path: Path
) -> None:
    peaks = []
    calls = "model.gradient_checkpointing_enable()"
    for text, file in (
        (script(arguments="**cfg", model=calls), YAML),
        (script(arguments="**cfg"), f"{YAML}gradient_checkpointing: true\n"),
        (script(arguments="**cfg"), YAML),
    ):
        (tmp_path / "train.py").write_text(text)
        (tmp_path / "run.yaml").write_text(file)
        found = sized(*(str(tmp_path / name) for name in ("train.py", "run.yaml")), *SET)
        peaks.append(found["peak"]["estimate"])
    assert peaks[0] == peaks[1] < peaks[2]


@pytest.mark.parametrize(
    ("files", "known"),
    [
        ({"train.py": script(arguments="**cfg")}, False),
        ({"train.py": script(arguments="**cfg"), "other.py": script()}, None),
        ({"train.py": script()}, None),  # whose own arguments are not those of the file
    ],
    ids=["the program", "one of two", "arguments of its own"],
)
def test_the_only_program_beside_its_arguments_is_read(
    tmp_path: Path, state: Path, files: dict[str, str], known: bool | None
) -> None:
    for name, text in {**files, "run.yaml": YAML, "train.log": "step 1 loss 2.0\n"}.items():
        (tmp_path / name).write_text(text)
    probes = with_needs(("config",), all_probes(None, ("config",)))
    case, index = collect([str(tmp_path)]), load()
    found = observe(case, index, [p for p in probes if p.reads == "artefacts"])
    config = found.fact(RunConfig) or RunConfig()
    assert config.integer("micro_batch_size") == 4
    assert settled(config)[0].get("activation_checkpointing") is known


def test_the_loss_that_is_offered_is_what_its_key_brings(sized: Sized, tmp_path: Path) -> None:
    """``use_liger_kernel`` fuses the gate and the norms beside the loss."""
    arguments = YAML.replace("batch_size: 4", "batch_size: 24")
    (tmp_path / "train.py").write_text(script(arguments="**cfg"))
    peaks = []
    for more in ("", "use_liger_kernel: true\n"):
        (tmp_path / "run.yaml").write_text(arguments + more)
        found = sized(*(str(tmp_path / name) for name in ("train.py", "run.yaml")), *SET)
        peaks.append(found)
    offered = [one for one in peaks[0]["remedies"] if one["name"] == "fuse-loss"]
    assert peaks[0]["fits"] is False
    assert [one["device"] for one in offered] == [peaks[1]["device"]["estimate"]]


LOADS = 'AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B-Instruct"'
PREFERENCES = f"""from trl import DPOConfig, DPOTrainer
kw = dict(dtype=torch.bfloat16)
model = {LOADS}, {{trained}})
ref = {LOADS}, {{reference}})
args = DPOConfig(output_dir="o", per_device_train_batch_size=2, bf16=True, max_length=2048)
DPOTrainer(model=model, ref_model=ref, args=args, train_dataset=data).train()
"""
BF16, FP32 = 'torch_dtype="bfloat16"', "dtype=torch.float32"


@pytest.mark.parametrize(
    ("trained", "reference", "wide"),
    [(BF16, BF16, False), ("**kw", "**kw", False), (BF16, FP32, True), (FP32, BF16, False)],
)
def test_two_models_are_held_as_each_is_loaded(
    sized: Sized, tmp_path: Path, trained: str, reference: str, wide: bool
) -> None:
    (tmp_path / "dpo.py").write_text(PREFERENCES.format(trained=trained, reference=reference))
    found = sized(str(tmp_path / "dpo.py"), "--gpu=80GB")
    parts = found["parts"]
    assert "parameter_dtype" not in " ".join(found["assumed"])
    assert (parts["weights"] > 20 * 2**30) == (trained == FP32)
    assert (parts["reference model"] > 20 * 2**30) == wide


def test_what_one_of_two_loads_leaves_open_stays_open(sized: Sized, tmp_path: Path) -> None:
    script = PREFERENCES.format(trained="device_map=None", reference=BF16)
    (tmp_path / "dpo.py").write_text(script)
    assert "parameter_dtype = fp32" in sized(str(tmp_path / "dpo.py"), "--gpu=80GB")["assumed"]
