"""The optimizer of a training loop of one's own, and what it computes in."""

from __future__ import annotations

import ast

from medic.syntax.python_calls import Calls, one
from medic.syntax.python_scopes import last
from medic.syntax.python_values import Known, Result, Unknown

_OPTIMIZERS = ("adam", "adafactor", "muon", "lion", "sgd", "rmsprop", "adagrad", "lamb")
_MAKERS = ("torch", "bitsandbytes", "transformers", "apex", "deepspeed", "lion_pytorch")
_WIDTHS = {
    "bfloat16": "bf16",
    "float16": "fp16",
    "half": "fp16",
    "float32": "fp32",
    "float": "fp32",
}


def optimizer(loop: Calls) -> Result | None:
    """By medic's word for it: the class, and how its step is made."""
    found: list[Result] = []
    for call in loop.calls:
        origin, name = loop.scopes.origin(call.func), last(call.func)
        known = any(word in name.lower() for word in _OPTIMIZERS)
        if known and name[:1].isupper() and origin.partition(".")[0] in _MAKERS:
            found.append(_told_by(loop, call, origin, _spelt(name.lower())))
    return one(found)


def _spelt(name: str) -> str:
    """As trainers spell it: PagedAdamW8bit is their ``paged_adamw_8bit``."""
    for part in ("paged", "fused"):
        name = name.replace(part, f"{part}_")
    return name.replace("8bit", "_8bit").replace("32bit", "_32bit")


def _told_by(loop: Calls, call: ast.Call, origin: str, name: str) -> Result:
    words = {"fused": ("_fused", True), "foreach": ("_foreach_off", False)}
    for argument, (word, when) in words.items():
        value = loop.argument(call, argument)
        if isinstance(value, Unknown):
            return value
        if isinstance(value, Known) and value.value is when:
            name += word
    momentum = loop.argument(call, "momentum", 2) if name == "sgd" else None
    if isinstance(momentum, Unknown):
        return momentum
    if isinstance(momentum, Known) and momentum.value:
        name += "_momentum"
    return Known(f"torch.optim.{name}" if origin.startswith("torch") else name, call.func)


def precision(loop: Calls) -> Result | None:
    """What autocast, accelerate or FSDP computes in."""
    stated = [loop.argument(c, "mixed_precision") for c in loop.named("Accelerator")]
    found = [v for v in stated if v is not None and not _is(v, "no", None)]
    policies = loop.named("MixedPrecision", "MixedPrecisionPolicy")
    found += [width(loop.argument(c, "param_dtype", 0)) or Unknown(c) for c in policies]
    casts = [c for c in loop.named("autocast") if loop.scopes.origin(c.func).startswith("torch")]
    on = [c for c in casts if not _is(loop.argument(c, "enabled"), False)]
    return one([*found, *(_autocast(loop, call) for call in on)])


def _is(value: Result | None, *values: object) -> bool:
    return isinstance(value, Known) and value.value in values


def _autocast(loop: Calls, call: ast.Call) -> Result:
    """On a GPU fp16 where no dtype is named (``torch.cuda.amp.autocast()``, ``torch.autocast("cuda")``)."""
    if isinstance(loop.argument(call, "enabled"), Unknown):
        return Unknown(call)
    device = loop.argument(call, "device_type", 0)
    stated = loop.argument(call, "dtype", None if device is None else 1)
    if stated is not None:
        return width(stated) or Unknown(call)
    return Known("fp16", call.func) if device is None or _is(device, "cuda") else Unknown(call)


def width(value: Result | None) -> Result | None:
    """A dtype of torch by medic's word."""
    if not isinstance(value, Known):
        return None
    word = _WIDTHS.get(str(value.value).removeprefix("torch."))
    return Known(word, value.node) if word else None
