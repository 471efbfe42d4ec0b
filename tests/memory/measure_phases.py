"""Measures the peak GPU memory of loading, of the first and of later steps, of saving and of evaluation:
one JSON line of settings in, one measured out.

    python tests/memory/measure_phases.py PLAN.jsonl ROWS.jsonl [SECONDS]

Settings are those of ``measure.py``, and ``load``: moved (made on the host and moved), mapped (transformers'
``from_pretrained`` with a ``device_map``; quantised while loading with ``quant``), twice (``torch.load`` onto the
card beside the model); of several ranks: units (sharded one after the other from the host), whole (on the card
before it is sharded). ``save``: plain (``torch.save`` of the state dict), trainer (``save_pretrained``), of several
ranks: full (a full state dict, offloaded), card (one that stays on the card), shards.

``ranks``: FSDP over so many, of which this process is the first and the others are not there (torch's fake process
group, whose collectives do nothing): allocations are those of a real run, values are not.

Each row has a process of its own. Adds ``phases``: bytes allocated and reserved at most in each, and
``held``: allocated at its end.
"""

from __future__ import annotations

import io
import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from measure_models import HALF, adapted, config_of, optimizer_of
from measure_steps import DEVICE, TINY, cast_of, tokens_of

LATER = 2
ROW_SECONDS = 50


class Phases:
    """Peaks by phase, each from its own beginning."""

    def __init__(self) -> None:
        self.found: dict[str, dict[str, int]] = {}

    def begin(self) -> None:
        import torch

        if TINY:
            return
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()

    def end(self, name: str) -> None:
        import torch

        if TINY:
            self.found[name] = {}
            return
        torch.cuda.synchronize()
        peaks = {
            "allocated": torch.cuda.max_memory_allocated(),
            "reserved": torch.cuda.max_memory_reserved(),
            "held": torch.cuda.memory_allocated(),
        }
        before = self.found.get(name, {})
        self.found[name] = {k: max(v, before.get(k, 0)) for k, v in peaks.items()}
        torch.cuda.reset_peak_memory_stats()


class Nowhere(io.RawIOBase):
    """A file that keeps nothing: what is saved passes through the host, and no disk is waited for."""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return len(data)


def dtype_of(row: dict[str, Any]) -> Any:
    import torch

    half = row.get("dtype") == HALF or row.get("quant") or row.get("stored") == "bf16"
    return torch.bfloat16 if half else torch.float32


def made(row: dict[str, Any], device: str) -> Any:
    """A model with random weights on the device."""
    import torch
    import transformers as hf

    config = config_of(row)
    config.use_cache = False
    with torch.device(device):
        return hf.AutoModelForCausalLM.from_config(
            config, dtype=dtype_of(row), attn_implementation=row.get("attn", "sdpa")
        )


def stored(row: dict[str, Any], place: str) -> None:
    """A checkpoint of the row's model, written by another process: this one's card stays untouched."""
    pid = os.fork()
    if pid == 0:
        try:
            made(row, DEVICE).to("cpu").save_pretrained(place)
        finally:
            os._exit(0)
    os.waitpid(pid, 0)


def loaded(row: dict[str, Any], place: str) -> Any:
    import torch
    import transformers as hf

    way = row["load"]
    if way == "mapped":
        more: dict[str, Any] = {}
        if row.get("quant") == "nf4":
            more["quantization_config"] = hf.BitsAndBytesConfig(
                load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True,
                bnb_4bit_compute_dtype=torch.bfloat16,
            )  # fmt: skip
        elif row.get("quant"):
            more["quantization_config"] = hf.BitsAndBytesConfig(load_in_8bit=True)
        model = hf.AutoModelForCausalLM.from_pretrained(
            place, dtype=dtype_of(row), device_map={"": 0} if not TINY else None,
            attn_implementation=row.get("attn", "sdpa"), **more,
        )  # fmt: skip
        model.config.use_cache = False
        return model
    if way in ("moved", "units"):  # of whatever lies there: to draw weights on the host takes long
        model = made(row, "meta").to_empty(device="cpu")
        model.tie_weights()
        return model.to(DEVICE) if way == "moved" else model
    model = made(row, DEVICE)
    if way == "twice":
        torch.save(model.state_dict(), f"{place}/model.pt")
        Phases().begin()
        beside = torch.load(f"{place}/model.pt", map_location=DEVICE)
        model.load_state_dict(beside)
        del beside
    return model


def prepared(row: dict[str, Any], model: Any) -> Any:
    """With adapters, recomputation and shards."""
    if row.get("quant") and row.get("prepared"):
        from peft import prepare_model_for_kbit_training

        model = prepare_model_for_kbit_training(model, use_gradient_checkpointing=False)
    if row.get("lora"):
        model = adapted(model, row)
    if row.get("ckpt"):
        model.gradient_checkpointing_enable({"use_reentrant": False})
    if row.get("ranks"):
        model = sharded(row, model)
    return model.train()


def alone_among(ranks: int) -> None:
    """This process is the first of so many that are not there."""
    import torch
    from torch.testing._internal.distributed.fake_pg import FakeStore

    torch.distributed.init_process_group("fake", store=FakeStore(), rank=0, world_size=ranks)


def sharded(row: dict[str, Any], model: Any) -> Any:
    from measure_ranks import fsdp1, fsdp2

    return fsdp1(model, DEVICE) if row["mode"] == "fsdp1" else fsdp2(row, model)


def saved(row: dict[str, Any], model: Any, optimizer: Any, place: str) -> None:
    import torch
    from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict

    way = row["save"]
    if way == "plain":
        both = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
        torch.save(both, Nowhere())
        return
    if way == "trainer":
        model.save_pretrained(place)
        return
    if row["mode"] == "fsdp1":
        fsdp1_saved(way, model)
        return
    options = StateDictOptions(full_state_dict=way != "shards", cpu_offload=way != "card")
    get_model_state_dict(model, options=options)


def fsdp1_saved(way: str, model: Any) -> None:
    from torch.distributed.fsdp import FullStateDictConfig, ShardedStateDictConfig, StateDictType
    from torch.distributed.fsdp import FullyShardedDataParallel as Sharded

    kind, how = StateDictType.FULL_STATE_DICT, FullStateDictConfig()
    if way == "full":
        how = FullStateDictConfig(offload_to_cpu=True, rank0_only=True)
    if way == "shards":
        kind, how = StateDictType.SHARDED_STATE_DICT, ShardedStateDictConfig(offload_to_cpu=True)
    with Sharded.state_dict_type(model, kind, how):
        model.state_dict()


def one_step(row: dict[str, Any], model: Any, optimizer: Any) -> None:
    for _ in range(row.get("accum", 1)):
        tokens = tokens_of(row, row["micro"])
        with cast_of(row):
            loss = model(input_ids=tokens, labels=tokens).loss
        loss.backward()
        del loss
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


def phases_of(row: dict[str, Any], place: str) -> dict[str, Any]:
    import torch

    torch.manual_seed(0)
    if row["load"] == "mapped":
        stored(row, place)
    if row.get("ranks"):
        alone_among(row["ranks"])
    phases = Phases()
    phases.begin()
    model = prepared(row, loaded(row, place))
    phases.end("load")
    optimizer = optimizer_of(row, model)
    if not TINY:
        torch.cuda.empty_cache()
    phases.begin()
    one_step(row, model, optimizer)
    phases.end("first step")
    for _ in range(LATER):
        one_step(row, model, optimizer)
        phases.end("later steps")
    if row.get("save"):
        if not TINY:
            torch.cuda.empty_cache()
        phases.begin()
        saved(row, model, optimizer, place)
        phases.end("save")
    if row.get("evaluate"):
        evaluated(row, model, phases)
    return {"ok": True, "phases": phases.found}


def evaluated(row: dict[str, Any], model: Any, phases: Phases) -> None:
    import torch

    if not TINY:
        torch.cuda.empty_cache()
    phases.begin()
    model.eval()
    tokens = tokens_of(row, row["evaluate"])
    with torch.no_grad(), cast_of(row):
        model(input_ids=tokens, labels=tokens)
    phases.end("evaluation")


def child(row: dict[str, Any], out: int) -> None:
    """Body of a forked process: the row's line goes to the pipe ``out``."""
    began = time.monotonic()
    with os.fdopen(out, "w") as pipe, tempfile.TemporaryDirectory() as place:
        try:
            signal.alarm(ROW_SECONDS)
            found = phases_of(row, place)
        except Exception as problem:
            found = {"failed": f"{type(problem).__name__}: {problem}"[:900]}
        found["seconds"] = round(time.monotonic() - began, 1)
        pipe.write(json.dumps(found) + "\n")
    os._exit(0)


def measured(row: dict[str, Any]) -> dict[str, Any]:
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        child(row, write)
    os.close(write)
    with os.fdopen(read) as pipe:
        line = pipe.readline()
    os.waitpid(pid, 0)
    found: dict[str, Any] = json.loads(line or '{"failed": "no answer in time"}')
    return found


def main(plan: str, out: str, seconds: float = 1e9) -> None:
    import torch  # noqa: F401 - loaded once, before the forks
    import transformers
    from transformers.models.llama import modeling_llama  # noqa: F401

    transformers.logging.set_verbosity_error()
    end = time.monotonic() + seconds
    with Path(out).open("a", encoding="utf-8") as file:
        for text in Path(plan).read_text("utf-8").splitlines():
            row = json.loads(text)
            if time.monotonic() > end:
                break
            found = measured(row)
            file.write(json.dumps({**row, **found}) + "\n")
            file.flush()
            told = found.get("failed") or "ok"
            print(found.get("seconds"), row["load"], row.get("save"), told, flush=True)  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(float, sys.argv[3:4]))
