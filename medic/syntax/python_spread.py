"""How a training loop of one's own spreads its model over ranks: FSDP, and whether a card ever holds all of it."""

from __future__ import annotations

import ast
import sys

from medic.run_config import MORE
from medic.syntax.python_calls import Calls, makes_model
from medic.syntax.python_numerics import width
from medic.syntax.python_scopes import last
from medic.syntax.python_values import Group, Items, Known, Result, Unknown, dotted

# Other code may recompute activations or wrap the model; these do only what is read here.
_PLAIN = ("torch", "transformers", "peft", "accelerate", "datasets", "bitsandbytes", "numpy", "tqdm",
          "wandb", "deepspeed", "liger_kernel", "evaluate", "pandas", "safetensors", "yaml", "tokenizers")  # fmt: skip
_FSDP1 = ("FSDP", "FullyShardedDataParallel")
_SHARDS = (*_FSDP1, "fully_shard")
_REPLICATES = ("DistributedDataParallel", "DDP")
# In names of what shards weights or states, or of engines that may.
_MAY_SHARD = ("fsdp", "fullysharded", "fully_shard", "zeroredundancy", "deepspeed", "accelerat", "lightning",
              "fabric", "fairscale", "megatron", "colossal", "parallelize", "distribute_", "zero_stage",
              "shard_model", "distributed_optimizer", "distributedoptimizer")  # fmt: skip
# The setting: each rank holds the whole model and its optimizer states.
REPLICATED = "model_replicated"
_ELSEWHERE = ("cpu", "meta")
_GATHERS = ("get_model_state_dict", "get_state_dict", "full_tensor", "summon_full_params")


def plain(loop: Calls) -> bool:
    """Whether all that the module imports is known not to hold the run's own code."""
    roots = {name.partition(".")[0] for name in loop.scopes.imported}
    return all(root in _PLAIN or root in sys.stdlib_module_names for root in roots)


def shards(loop: Calls) -> Result | None:
    found = loop.named(*_SHARDS)
    sure = [c for c in found if not loop.scopes.may_not_run(c)]
    if not found:
        return None
    return Known(True, sure[0].func) if sure else Unknown(found[0])


def replicated(module: ast.Module) -> ast.Call | None:
    """The call by which each rank holds the whole model: torch's DDP, where no name of the module shards
    weights or optimizer states, or hands the model to an engine that may."""
    nodes = list(ast.walk(module))
    wraps = [n for n in nodes if isinstance(n, ast.Call) and last(n.func) in _REPLICATES]
    if not wraps:
        return None
    of_torch = any(
        isinstance(n, ast.Import | ast.ImportFrom) and "torch" in ast.unparse(n) for n in nodes
    )
    names = [
        getattr(n, "id", None) or getattr(n, "attr", None) or getattr(n, "arg", None) for n in nodes
    ]
    names += [n.module for n in nodes if isinstance(n, ast.ImportFrom)]
    names += [n.name for n in nodes if isinstance(n, ast.alias)]
    others = any(word in name.lower() for name in names if name for word in _MAY_SHARD)
    return wraps[0] if of_torch and not others else None


def strategy(loop: Calls) -> Result | None:
    """FSDP1's, by the last step of its name."""
    for call in loop.named(*_FSDP1):
        for keyword in call.keywords:
            if keyword.arg == "sharding_strategy" and dotted(keyword.value):
                return Known(last(keyword.value).lower(), keyword.value)
    return None


def version(loop: Calls) -> Result | None:
    """1 of the class that wraps, 2 of ``fully_shard``."""
    found = loop.named(*_SHARDS)
    return Known(1 if last(found[0].func) in _FSDP1 else 2, found[0].func) if found else None


def on_card_first(loop: Calls) -> Result | None:
    """Whether the whole model is put on the card before it is sharded; None where it cannot be told.
    ``deepspeed.initialize`` does it with a model that ``zero.Init`` did not make (``runtime/engine.py``)."""
    engine = engines(loop)
    if engine:
        sharded = loop.named("Init", "HfDeepSpeedConfig")
        return Known(not sharded, engine[0].func) if sharded or plain(loop) else None
    found = loop.named(*_SHARDS)
    if not found:
        return None
    end = max((c.end_lineno or c.lineno, c.end_col_offset or 0) for c in found)
    for call in loop.calls:
        if (call.lineno, call.col_offset) < end and _onto_card(loop, call):
            return Known(True, call.func)
    return Known(False, found[0].func) if plain(loop) else None


def _onto_card(loop: Calls, call: ast.Call) -> bool:
    """A model's ``cuda()`` or ``to(device)``, or a ``device_map`` of what loads it."""
    if makes_model(call):
        return any(k.arg == "device_map" and not _elsewhere(loop, k.value) for k in call.keywords)
    if not isinstance(call.func, ast.Attribute) or "model" not in dotted(call.func.value).lower():
        return isinstance(call.func, ast.Attribute) and _made(call.func.value, call, loop)
    return _moves(loop, call)


def _made(holder: ast.expr, call: ast.Call, loop: Calls) -> bool:
    """``AutoModelForCausalLM.from_pretrained(…).cuda()``"""
    return isinstance(holder, ast.Call) and makes_model(holder) and _moves(loop, call)


def _moves(loop: Calls, call: ast.Call) -> bool:
    if last(call.func) == "cuda":
        return True
    given = [*call.args, *(k.value for k in call.keywords if k.arg == "device")]
    where = [v for v in given if not _elsewhere(loop, v) and width(loop.value(v)) is None]
    return last(call.func) == "to" and any("dtype" not in dotted(v) for v in where)


def _elsewhere(loop: Calls, node: ast.expr) -> bool:
    """Whether it is another device than a card."""
    value = loop.value(node.args[0] if isinstance(node, ast.Call) and node.args else node)
    return isinstance(value, Known) and value.value in (None, *_ELSEWHERE)


def gathered_on_card(loop: Calls) -> Result | None:
    """Whether a full state dict of FSDP stays on the card; None where it cannot be told.

    torch offloads none unless told (``FullStateDictConfig``, ``StateDictOptions``), and gathers a full one
    where FSDP1's kind of state dict is not set (``fsdp/fully_sharded_data_parallel.py``)."""
    found = loop.named(*_SHARDS)
    if not found:
        return None
    stated = loop.named("FullStateDictConfig", "StateDictOptions")
    for call in stated:
        name = "offload_to_cpu" if last(call.func) == "FullStateDictConfig" else "cpu_offload"
        full = loop.argument(call, "full_state_dict")
        whole = name == "offload_to_cpu" or _on(full)
        if whole and not _on(loop.argument(call, name)):
            unsure = isinstance(loop.argument(call, name), Unknown)
            return Unknown(call) if unsure else Known(True, call.func)
    if not stated and _default_of_fsdp1(loop):
        return Known(True, loop.named("state_dict")[0].func)
    open_ones = loop.named(*_GATHERS) if not stated else []
    return Known(False, found[0].func) if plain(loop) and not open_ones else None


def _default_of_fsdp1(loop: Calls) -> bool:
    """A model's ``state_dict()`` under FSDP1 whose kind nothing sets."""
    if not loop.named(*_FSDP1) or loop.named("state_dict_type", "set_state_dict_type"):
        return False
    return any("model" in dotted(c.func).lower() for c in loop.named("state_dict"))


def _on(value: Result | None) -> bool:
    return isinstance(value, Known) and value.value is True


def engines(loop: Calls) -> list[ast.Call]:
    """Calls that make DeepSpeed's engine."""
    return [c for c in loop.calls if dotted(c.func).endswith("deepspeed.initialize")]


def engine_settings(loop: Calls) -> dict[str, tuple[ast.AST, Result]] | None:
    """What the engine's configuration states, by the names of a loop's settings, or the file that it is
    read from; None where neither can be told."""
    (call, *more) = engines(loop)
    stated = loop.argument(call, "config") or loop.argument(call, "config_params")
    if more or stated is None or isinstance(stated, (Unknown, Items)):
        return None
    if isinstance(stated, Known):
        named = isinstance(stated.value, str) and stated.value.endswith(".json")
        return {"deepspeed_config": (stated.node, stated)} if named else None
    if MORE in stated.settings:  # a call's result
        return None
    found: dict[str, tuple[ast.AST, Result]] = {}
    for name, path in _ENGINE.items():
        value: Result | None = stated
        for step in path:
            value = value.get(step) if isinstance(value, Group) else None
        if value is not None:
            found[name] = (value.node, value)
    for kind in ("bf16", "fp16"):
        inner = stated.get(kind)
        if isinstance(inner, Group) and _on(inner.get("enabled")):
            found["mixed_precision"] = (inner.node, Known(kind, inner.node))
    found.setdefault("zero_stage", (stated.node, Known(0, stated.node)))
    return found


# The path of what DeepSpeed's configuration states.
_ENGINE = {
    "batch_size": ("train_micro_batch_size_per_gpu",),
    "gradient_accumulation_steps": ("gradient_accumulation_steps",),
    "optimizer": ("optimizer", "type"),
    "zero_stage": ("zero_optimization", "stage"),
    "optimizer_offload": ("zero_optimization", "offload_optimizer", "device"),
    "offload_param_device": ("zero_optimization", "offload_param", "device"),
    "reduce_bucket_size": ("zero_optimization", "reduce_bucket_size"),
    "overlap_comm": ("zero_optimization", "overlap_comm"),
}
