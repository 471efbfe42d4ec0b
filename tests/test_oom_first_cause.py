"""Which cause comes first for an out-of-memory error, where the config, the steps that had passed, a
save that had begun or the message's own numbers leave no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.session.consultation import Session

CONFIG = """model_name_or_path: Qwen/Qwen2.5-7B-Instruct
stage: sft
do_train: true
finetuning_type: full
deepspeed: ds_z3.json
dataset: mydata
template: qwen
cutoff_len: 2048
output_dir: saves
per_device_train_batch_size: 1
gradient_accumulation_steps: 2
learning_rate: 1.0e-5
num_train_epochs: 3.0
bf16: true
"""
ZERO = (
    '{"train_micro_batch_size_per_gpu": "auto", "bf16": {"enabled": "auto"}, '
    '"zero_optimization": {"stage": 3, "stage3_gather_16bit_weights_on_model_save": true}}'
)
LAUNCH = {"four": "torchrun --nproc_per_node 4 src/train.py full.yaml\n", "unknown": ""}
OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {request} GiB. GPU 3 has a total "
    "capacity of 79.14 GiB of which {free} GiB is free. Including non-PyTorch memory, this process has "
    "{process} GiB memory in use. Of the allocated memory {allocated} GiB is allocated by PyTorch, and "
    "{loose} GiB is reserved by PyTorch but unallocated."
)
GENUINE = {"request": 18.56, "free": 9.2, "process": 69.9, "allocated": 66.1, "loose": 1.9}
PIECES = {"request": 1.16, "free": 0.5, "process": 78.6, "allocated": 41.2, "loose": 35.81}
ADVICE = (
    " If reserved but unallocated memory is large try setting {name}={option}:True to avoid it."
)
MODEL = "transformers/models/qwen2/modeling_qwen2.py", "forward"
ZERO_3 = "deepspeed/runtime/zero/partition_parameters.py", "gather"
SAVING = "Saving model checkpoint to saves/checkpoint-500\n"


def log(
    numbers: dict[str, float],
    steps: int,
    frame: tuple[str, str] = MODEL,
    before: str = "",
    after: str = "",
) -> str:
    lines = "".join(
        f"{{'loss': {2 - n / 100:.4f}, 'grad_norm': 1.1, 'learning_rate': 1e-05, 'epoch': {n / 100:.2f}}}\n"
        for n in range(1, steps + 1)
    )
    file, function = frame
    return (
        f"{lines}{before}[rank3]: Traceback (most recent call last):\n"
        f'[rank3]:   File "/opt/v/lib/python3.10/site-packages/{file}", line 60, in {function}\n'
        f"[rank3]: {OOM.format(**numbers)}{after}\n"
    )


def seen(where: Path, text: str, launch: str | None = None) -> Session:
    (where / "train.log").write_text(text)
    if launch is not None:
        (where / "full.yaml").write_text(CONFIG)
        (where / "ds_z3.json").write_text(ZERO)
        (where / "run.sh").write_text(LAUNCH[launch])
    session = Session(load(), collect([str(where)]))
    session.look()
    return session


def causes(session: Session) -> list[str]:
    return [cause.name for cause in session.diagnosis().causes]


def outcomes(session: Session) -> dict[str, str]:
    return {seen.name: seen.outcome for seen in session.evidence.observed}


@pytest.mark.parametrize("launch", ["four", "unknown"])
def test_what_passed_many_times_is_not_too_big_by_its_config(tmp_path: Path, launch: str) -> None:
    session = seen(tmp_path, log(GENUINE, 39), launch)
    assert causes(session)[0] == "long-sample-peak"
    told = outcomes(session).get("oom-beside-estimate")
    assert told == ("less-than-wanted" if launch == "four" else None)


def test_a_micro_batch_of_one_whose_config_fits_is_no_sequence_too_long(tmp_path: Path) -> None:
    session = seen(tmp_path, log(GENUINE, 0), "four")
    assert "sequence-too-long-for-gpu" not in causes(session)[:1]
    assert outcomes(session)["oom-beside-estimate"] == "less-than-wanted"


@pytest.mark.parametrize(
    ("before", "frame", "phase"),
    [
        (SAVING, ZERO_3, "save-or-eval"),
        ("正在保存模型检查点到 saves/checkpoint-500\n", ZERO_3, "save-or-eval"),
        # it is the forward pass that asks, the save is through, or there is none
        (SAVING, MODEL, "later-step"),
        (SAVING + "successfully saved checkpoint at step 500\n", ZERO_3, "later-step"),
        ("", ZERO_3, "later-step"),
    ],
)
def test_a_save_that_had_begun_tells_the_phase(
    tmp_path: Path, before: str, frame: tuple[str, str], phase: str
) -> None:
    assert outcomes(seen(tmp_path, log(GENUINE, 39, frame, before)))["oom-phase"] == phase


def test_a_save_that_had_begun_is_the_cause(tmp_path: Path) -> None:
    session = seen(tmp_path, log(GENUINE, 39, ZERO_3, SAVING), "four")
    assert causes(session)[0] == "eval-or-save-peak"


def test_weights_that_are_gathered_for_a_save_are_the_cause(tmp_path: Path) -> None:
    frame = ("deepspeed/runtime/engine.py", "_zero3_consolidated_16bit_state_dict")
    session = seen(tmp_path, log(GENUINE, 39, frame, SAVING), "four")
    assert causes(session)[0] == "full-state-gathered-at-save"


@pytest.mark.parametrize("name", ["PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"])
def test_the_advice_of_the_message_states_no_setting(tmp_path: Path, name: str) -> None:
    advice = ADVICE.format(name=name, option="expandable_segments")
    session = seen(tmp_path, log(PIECES, 1, after=advice))
    assert causes(session)[0] == "allocator-fragmentation"
    assert "allocator-setting" not in outcomes(session)


def test_a_setting_that_is_stated_and_not_used_is_suspected(tmp_path: Path) -> None:
    export = "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True\n"
    (tmp_path / "run.sh").write_text(export + LAUNCH["four"])
    session = seen(tmp_path, log(PIECES, 1))
    assert causes(session)[0] == "allocator-setting-not-read"


@pytest.mark.parametrize(("steps", "phase"), [(0, "first-step"), (1, None), (2, "later-step")])
def test_one_line_without_a_step_is_of_no_phase(
    tmp_path: Path, steps: int, phase: str | None
) -> None:
    assert outcomes(seen(tmp_path, log(GENUINE, steps))).get("oom-phase") == phase
