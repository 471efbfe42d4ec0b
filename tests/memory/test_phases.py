"""Loading, the first step and saving are phases of their own, and make the peak where they take most."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Sized = Callable[..., dict[str, Any]]
GIB = 2**30
OWN = """import torch
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.distributed.fsdp import FSDP, FullStateDictConfig, StateDictType, fully_shard
from transformers import AutoModelForCausalLM, LlamaForCausalLM
{model}
{shard}
opt = torch.optim.AdamW(model.parameters(), lr=1e-5)
for batch in torch.utils.data.DataLoader(ds, batch_size=1):
    loss = model(**batch).loss
    loss.backward()
    opt.step(); opt.zero_grad()
{save}
"""
LOADS = 'model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-32B", dtype=torch.bfloat16)'
TWO = "for layer in model.model.layers:\n    fully_shard(layer)\nfully_shard(model)"
ONE = "model = FSDP(model, auto_wrap_policy=policy, device_id=rank)"
GIVEN = ("sequence_length=512", "activation_checkpointing=true")
WHOLE = 61.0  # GiB of Qwen2.5-32B in 16 bits


@pytest.fixture
def own(sized: Sized, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """The answer for a loop of one's own over 64 cards."""

    def call(*, model: str = LOADS, shard: str = TWO, save: str = "", more: str = "") -> Any:
        file = tmp_path / "train.py"
        file.write_text(more + OWN.format(model=model, shard=shard, save=save), "utf-8")
        sets = [word for one in GIVEN for word in ("--set", one)]
        return sized(str(file), *sets, "--gpu", "64xh100-80g")

    return call


def asked(*given: str) -> list[str]:
    return [word for one in given for word in ("--set", one)]


FULL = (
    "precision=bf16",
    "micro_batch_size=1",
    "sequence_length=2048",
    "gradient_accumulation_steps=1",
)


def test_phases_stand_in_the_order_of_a_run(sized: Sized) -> None:
    found = sized("--model", "llama-3-8b", *asked(*FULL, "world_size=1"))["phases"]
    assert list(found) == [
        "load", "first step", "forward", "loss", "backward", "optimizer step", "save",
    ]  # fmt: skip


def test_the_first_step_takes_less_until_the_moments_are_made(sized: Sized) -> None:
    found = sized(
        "--model",
        "qwen2.5-1.5b",
        *asked(*(one.replace("batch_size=1", "batch_size=8") for one in FULL), "world_size=1"),
    )
    phases = found["phases"]
    later = max(phases[name] for name in ("forward", "loss", "backward", "optimizer step"))
    assert phases["load"] < phases["save"] < phases["first step"] < later


def test_quantised_while_loading_one_map_is_there_in_16_bits(sized: Sized) -> None:
    sets = asked(*FULL, "world_size=1", "quantization=4bit", "lora_rank=8", "parameter_dtype=bf16")
    found = sized("--model", "llama-3-8b", *sets)
    packed, narrow = 0.5625 * 6.98e9, 2 * 1.05e9  # maps, and embedding and head
    one_map = 2 * 4096 * 14336
    context = 767 * 2**20
    assert found["phases"]["load"] == pytest.approx(packed + narrow + one_map + context, rel=0.04)


@pytest.mark.parametrize(
    ("changes", "phase"),
    [
        ({"shard": f"model.cuda()\n{TWO}"}, "load"),
        ({"shard": f"model = model.to(rank)\n{TWO}"}, "load"),
        ({"shard": f'model.to("cuda", dtype=torch.bfloat16)\n{TWO}'}, "load"),
        ({"shard": "model = FSDP(model.cuda(), auto_wrap_policy=policy)"}, "load"),
        ({"model": LOADS.replace(")", ', device_map={"": rank})')}, "load"),
        ({"model": f"{LOADS}.cuda()"}, "load"),
        ({"save": "sd = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True))"},
         "save"),
        ({"shard": ONE, "save": "torch.save(model.state_dict(), 'm.pt')"}, "save"),
        ({"shard": ONE, "save": "FSDP.set_state_dict_type(model, StateDictType.FULL_STATE_DICT, "
          "FullStateDictConfig(rank0_only=True))\nsd = model.state_dict()"}, "save"),
    ],
)  # fmt: skip
def test_a_whole_model_on_each_card_makes_the_peak(
    own: Callable[..., dict[str, Any]], changes: dict[str, str], phase: str
) -> None:
    found = own(**changes)
    phases = found["phases"]
    assert max(phases, key=phases.__getitem__) == phase
    assert found["device"]["low"] > 0.9 * WHOLE * GIB
    assert found["device"]["estimate"] == phases[phase] > WHOLE * GIB
    assert any(("loading" if phase == "load" else "saving") in note for note in found["notes"])


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"shard": ONE},
        {"shard": f"{TWO}\nmodel.to_empty(device='cuda')"},
        {"shard": f"model.to(torch.bfloat16)\n{TWO}"},
        {"shard": f"model.to('cpu')\n{TWO}"},
        {"model": LOADS.replace(")", ', device_map="cpu")')},
        {"save": "sd = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True, "
         "cpu_offload=True))"},
        {"shard": ONE, "save": "with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT, "
         "FullStateDictConfig(offload_to_cpu=True, rank0_only=True)):\n    sd = model.state_dict()"},
        {"save": "dcp.save({'model': model.state_dict()}, checkpoint_id='out')"},
    ],
)  # fmt: skip
def test_a_model_that_is_sharded_from_the_host_is_never_whole(
    own: Callable[..., dict[str, Any]], changes: dict[str, str]
) -> None:
    found = own(**changes)
    assert found["device"]["high"] < 0.9 * WHOLE * GIB
    assert found["notes"] == []


def test_what_other_code_may_do_is_in_the_high_bound(own: Callable[..., dict[str, Any]]) -> None:
    found = own(more="from mine import prepare\n")
    assert found["device"]["estimate"] < 0.7 * WHOLE * GIB < WHOLE * GIB < found["device"]["high"]
    assert [note.split()[1] for note in found["notes"]] == ["loading", "saving"]
    assert found["not_modelled"] == []


def test_a_trainer_shards_from_the_host(sized: Sized, tmp_path: Path) -> None:
    file = tmp_path / "axolotl.yaml"
    file.write_text(
        "base_model: Qwen/Qwen2.5-32B\nsequence_len: 512\nmicro_batch_size: 1\nbf16: true\n"
        "gradient_checkpointing: true\ngradient_accumulation_steps: 1\noptimizer: adamw_torch\n"
        "datasets: [{path: d, type: alpaca}]\nlearning_rate: 0.00001\n"
        "fsdp_version: 2\nfsdp_config: {reshard_after_forward: true, state_dict_type: FULL_STATE_DICT}\n"
    )
    found = sized(str(file), "--gpu", "64xh100-80g")
    assert found["device"]["high"] < 0.9 * WHOLE * GIB


def test_zero_3_without_its_init_is_not_measured(sized: Sized, tmp_path: Path) -> None:
    file = tmp_path / "accelerate.yaml"
    text = (
        "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nmixed_precision: bf16\n"
        "num_machines: 8\nnum_processes: 64\n"
        "deepspeed_config: {{zero_stage: 3, zero3_init_flag: {on}, gradient_accumulation_steps: 1}}\n"
    )
    sets = asked("micro_batch_size=1", *GIVEN)
    answers = {}
    for on in ("true", "false"):
        file.write_text(text.format(on=on))
        answers[on] = sized(str(file), "--model", "qwen2.5-32b", *sets, "--gpu", "h100-80g")
    assert answers["true"]["not_modelled"] == []
    assert answers["true"]["phases_not_measured"] == ["load", "first step", "save"]
    assert answers["false"]["verdict"] == "at-least"
    assert answers["false"]["not_modelled"] == ["the whole model on each rank before it is sharded"]
    assert json.dumps(answers["false"]["device"]["high"]) == "null"
