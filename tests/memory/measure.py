"""Measures the peak GPU memory of training steps: one JSON line of settings in, one measured out.

    python tests/memory/measure.py PLAN.jsonl ROWS.jsonl [SECONDS]

Needs torch with CUDA and transformers; ``liger_kernel`` for ``loss: fused``, ``peft`` for ``lora``.
A file of rows is a plan too: measuring it again checks it. Each row runs in a process of its own
(forked before CUDA starts), ``world`` of them where the row is sharded, three steps on random
tokens. Settings: hidden, layers, heads, kv_heads, inter, vocab, tie, seq, micro, and optionally
dtype (bf16_autocast, bf16_pure, fp16_autocast, fp32), optim (adamw, adamw_fused,
adamw_foreach_off, sgd, sgd_momentum, adafactor), ckpt, attn (sdpa, eager), accum, loss (full,
fused), lora (rank), lora_every, family (llama, gpt2, qwen3, mixtral), experts, top_k, world, mode
(ddp, fsdp2), limit (bytes that the process may reserve).

Adds bytes: params (a count), peak_allocated, peak_reserved, device_used, device_total, and the
torch peaks of the latest step's forward, backward and optimizer in ``phases``.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

ROW_SECONDS = 60
STEPS = 3


def model_of(row: dict[str, Any]) -> Any:
    """The row's model on the GPU with random weights."""
    import torch
    import transformers as hf

    common = {"vocab_size": row["vocab"], "tie_word_embeddings": row.get("tie", False)}
    family = row.get("family", "llama")
    if family == "gpt2":
        config = hf.GPT2Config(
            n_embd=row["hidden"],
            n_layer=row["layers"],
            n_head=row["heads"],
            n_inner=row["inter"],
            n_positions=row["seq"],
            **common,
        )
    else:
        kind = {"llama": hf.LlamaConfig, "qwen3": hf.Qwen3Config, "mixtral": hf.MixtralConfig}
        sizes = {
            "hidden_size": row["hidden"],
            "num_hidden_layers": row["layers"],
            "num_attention_heads": row["heads"],
            "num_key_value_heads": row["kv_heads"],
            "intermediate_size": row["inter"],
            "max_position_embeddings": row["seq"],
        }
        if family == "mixtral":
            sizes["num_local_experts"] = row["experts"]
            sizes["num_experts_per_tok"] = row["top_k"]
        if family == "qwen3":
            sizes["head_dim"] = row.get("head_dim", row["hidden"] // row["heads"])
        config = kind[family](**sizes, **common)
    config.use_cache = False
    dtype = torch.bfloat16 if row.get("dtype") == "bf16_pure" else torch.float32
    with torch.device("cuda"):
        model = hf.AutoModelForCausalLM.from_config(
            config, dtype=dtype, attn_implementation=row.get("attn", "sdpa")
        )
    if row.get("loss") == "fused":
        from liger_kernel.transformers import monkey_patch as liger

        patch = getattr(liger, f"apply_liger_kernel_to_{family}")
        patch(rope=False, rms_norm=False, swiglu=False, cross_entropy=False,
              fused_linear_cross_entropy=True, model=model)  # fmt: skip
    if row.get("lora"):
        model = adapted(model, row)
    if row.get("ckpt"):
        model.gradient_checkpointing_enable({"use_reentrant": False})
    return model.train()


def adapted(model: Any, row: dict[str, Any]) -> Any:
    """LoRA adapters on all linear maps of the layers, or on queries and values."""
    from peft import LoraConfig, get_peft_model

    maps = "all-linear" if row.get("lora_every", True) else ["q_proj", "v_proj"]
    model.enable_input_require_grads()
    return get_peft_model(
        model, LoraConfig(r=row["lora"], lora_dropout=row.get("dropout", 0.0), target_modules=maps)
    )


def optimizer_of(row: dict[str, Any], model: Any) -> Any:
    import torch

    name = row.get("optim", "adamw")
    weights = [p for p in model.parameters() if p.requires_grad]
    if name.startswith("sgd"):
        return torch.optim.SGD(weights, lr=1e-3, momentum=0.9 if "momentum" in name else 0)
    if name == "adafactor":
        return torch.optim.Adafactor(weights, lr=1e-3)
    fused = True if "fused" in name else None
    foreach = False if "foreach_off" in name else None
    return torch.optim.AdamW(weights, lr=1e-4, fused=fused, foreach=foreach)


def spread(row: dict[str, Any], model: Any) -> Any:
    """The model over the ranks of the row."""
    import torch
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

    if row["mode"] == "ddp":
        return torch.nn.parallel.DistributedDataParallel(model)
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for layer in model.model.layers:
        fully_shard(layer, mp_policy=policy)
    return fully_shard(model, mp_policy=policy)


def train(row: dict[str, Any], rank: int) -> dict[str, Any]:
    """Three steps; the peaks in bytes."""
    import torch

    torch.cuda.set_device(rank)
    total = torch.cuda.mem_get_info()[1]
    if row.get("limit"):
        torch.cuda.set_per_process_memory_fraction(row["limit"] / total)
    torch.manual_seed(rank)
    model = model_of(row)
    params = sum(p.numel() for p in model.parameters())
    if row.get("world", 1) > 1:
        model = spread(row, model)
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    optimizer = optimizer_of(row, model)
    peaks = Peaks()
    result: dict[str, Any] = {"params": params, "ok": True}
    try:
        for _ in range(STEPS):
            peaks.phases = {}
            one_step(row, model, optimizer, peaks)
    except torch.OutOfMemoryError as problem:
        result.update(ok=False, error=str(problem)[:500])
    peaks.mark("end")
    del peaks.phases["end"]
    free, total = torch.cuda.mem_get_info()
    result.update(peak_allocated=peaks.allocated, peak_reserved=peaks.reserved)
    result.update(device_used=total - free, device_total=total, phases=peaks.phases)
    result["retries"] = torch.cuda.memory_stats()["num_alloc_retries"]
    return result


class Peaks:
    """Peak bytes so far, and by phase of the latest step."""

    def __init__(self) -> None:
        self.allocated = self.reserved = 0
        self.phases: dict[str, int] = {}

    def mark(self, phase: str) -> None:
        """The phase ends here."""
        import torch

        now = torch.cuda.max_memory_allocated()
        self.phases[phase] = max(self.phases.get(phase, 0), now)
        self.allocated = max(self.allocated, now)
        self.reserved = max(self.reserved, torch.cuda.max_memory_reserved())
        torch.cuda.reset_peak_memory_stats()


def one_step(row: dict[str, Any], model: Any, optimizer: Any, peaks: Peaks) -> None:
    """Forward and backward of each micro batch, the optimizer's step, gradients freed."""
    import torch

    half = {"bf16_autocast": torch.bfloat16, "fp16_autocast": torch.float16}
    dtype = half.get(row.get("dtype", "bf16_autocast"))
    if row.get("mode", "").startswith("fsdp"):
        dtype = None
    for _ in range(row.get("accum", 1)):
        tokens = torch.randint(0, row["vocab"], (row["micro"], row["seq"]), device="cuda")
        cast = torch.autocast("cuda", dtype) if dtype else contextlib.nullcontext()
        with cast:
            loss = model(input_ids=tokens, labels=tokens).loss
        peaks.mark("forward")
        loss.backward()
        peaks.mark("backward")
        del loss
    optimizer.step()
    peaks.mark("optimizer")
    optimizer.zero_grad(set_to_none=True)


def child(row: dict[str, Any], rank: int, world: int, out: int) -> None:
    """Body of a forked process: its result goes to the pipe ``out``."""
    signal.alarm(ROW_SECONDS)
    code = 0
    try:
        if world > 1:
            import torch

            os.environ.update(
                RANK=str(rank), WORLD_SIZE=str(world), MASTER_ADDR="localhost", MASTER_PORT="29541"
            )
            torch.cuda.set_device(rank)
            torch.distributed.init_process_group("nccl")
        text = json.dumps(train(row, rank))
    except Exception as problem:
        text, code = json.dumps({"failed": f"{type(problem).__name__}: {problem}"[:600]}), 1
    os.write(out, text.encode())
    os._exit(code)


def measured(row: dict[str, Any]) -> dict[str, Any]:
    """The row with what rank 0 of its processes saw."""
    world = row.get("world", 1)
    read, write = os.pipe()
    null = os.open(os.devnull, os.O_WRONLY)
    pids = []
    for rank in range(world):
        pid = os.fork()
        if pid == 0:
            child(row, rank, world, write if rank == 0 else null)
        pids.append(pid)
    os.close(write)
    os.close(null)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    for pid in pids:
        os.waitpid(pid, 0)
    settings = {k: v for k, v in row.items() if k not in MEASURED}
    return {**settings, **json.loads(text or '{"failed": "no answer in time"}')}


MEASURED = {"params", "ok", "error", "failed", "peak_allocated", "peak_reserved", "device_used",
            "device_total", "phases", "retries"}  # fmt: skip


def main(plan: str, out: str, seconds: float = 1e9) -> None:
    import torch  # noqa: F401 - loaded once, before the forks
    import transformers
    from transformers.models.gpt2 import modeling_gpt2  # noqa: F401
    from transformers.models.llama import modeling_llama  # noqa: F401
    from transformers.models.mixtral import modeling_mixtral  # noqa: F401
    from transformers.models.qwen3 import modeling_qwen3  # noqa: F401

    transformers.logging.set_verbosity_error()
    start = time.monotonic()
    with Path(out).open("w", encoding="utf-8") as file:
        for number, line in enumerate(Path(plan).read_text("utf-8").splitlines()):
            if time.monotonic() - start > seconds:
                break
            began = time.monotonic()
            row = measured(json.loads(line))
            file.write(json.dumps(row) + "\n")
            file.flush()
            state = row.get("failed") or row.get("ok")
            print(number, f"{time.monotonic() - began:.1f}s", state, flush=True)  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(float, sys.argv[3:4]))
