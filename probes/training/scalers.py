"""fp16 whose loss is not scaled, and gradients that are applied with their scale."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text
from medic.text.patterns import regex

from .code import OPTIMIZERS, Code, Fault, at, calls_in, dotted, last
from .flow import without_gradients

UNSCALED, SCALE_KEPT = "fp16-gradients-underflow", "scaler-called-out-of-order"
_NO_SCALER = Text(
    "{autocast} computes in fp16, and {backward} has no loss scale: gradients below 6e-8 become zero",
    "{autocast} 以 fp16 计算，而 {backward} 没有 loss scale：小于 6e-8 的梯度变成 0",
)
_OFF = Text(
    "{autocast} computes in fp16, and the scaler in line {line} is switched off: gradients below 6e-8 "
    "become zero",
    "{autocast} 以 fp16 计算，而第 {line} 行的 scaler 是关闭的：小于 6e-8 的梯度变成 0",
)
_STEPS = Text(
    "{step} applies gradients that {scaler}.scale() multiplied: it has to be {scaler}.step({optimizer})",
    "{step} 直接应用了被 {scaler}.scale() 放大的梯度：应写成 {scaler}.step({optimizer})",
)
_HALF = ("float16", "half")
_SCALERS = regex(r"(?i)scaler|loss_scal|\.scale\(|amp\.scale_loss|Accelerator\(|FusedAdam")


def scalers(code: Code, precision: str = "") -> Iterator[Fault]:
    """``precision`` is that of the run config: what ``torch.float16 if ... else ...`` comes to."""
    yield from _unscaled(code, precision)
    yield from _steps_with_scale(code)


def _unscaled(code: Code, precision: str) -> Iterator[Fault]:
    backward = next((c for c in sorted(code.calls, key=at) if _plain(c)), None)
    cast = next((c for c in sorted(code.calls, key=at) if _in_half(code, c, precision)), None)
    if backward is None or cast is None or without_gradients(code, cast):
        return
    made = [c for c in code.calls if last(c.func).endswith("GradScaler")]
    values = {"autocast": ast.unparse(cast), "backward": f"{_short(backward)}()"}
    if not made and not _SCALERS.search(code.text):
        yield Fault(UNSCALED, _NO_SCALER.fill(values), backward)
    elif len(made) == 1 and _never(made[0]):
        yield Fault(UNSCALED, _OFF.fill({**values, "line": made[0].lineno}), made[0])


def _plain(call: ast.Call) -> bool:
    return last(call.func) == "backward" and isinstance(call.func, ast.Attribute) and not call.args


def _short(call: ast.Call) -> str:
    text = ast.unparse(call.func)
    return text if len(text) <= 40 else "backward"


def _never(scaler: ast.Call) -> bool:
    given = next((w.value for w in scaler.keywords if w.arg == "enabled"), None)
    return isinstance(given, ast.Constant) and given.value is False


def _in_half(code: Code, call: ast.Call, precision: str) -> bool:
    """``torch.autocast("cuda", torch.float16)``, and on a GPU the one that names no type: the
    documentation of ``torch.amp`` has float16 as the default of "cuda", bfloat16 as that of "cpu"."""
    name = dotted(call.func)
    if last(call.func) != "autocast" or "autocast" not in name or _switched(call):
        return False
    words = {w.arg: w.value for w in call.keywords}
    on_gpu = name.endswith("cuda.amp.autocast")
    device = words.get("device_type") or (call.args[0] if call.args and not on_gpu else None)
    kind = words.get("dtype") or (call.args[1] if len(call.args) > 1 and not on_gpu else None)
    if kind is None:
        plain = isinstance(device, ast.Constant) and device.value == "cuda"
        return on_gpu or plain
    return _is_half(code, kind, precision)


def _switched(call: ast.Call) -> bool:
    """Whether a setting turns it on or off, which is not known here."""
    given = next((w.value for w in call.keywords if w.arg == "enabled"), None)
    return given is not None and not (isinstance(given, ast.Constant) and given.value is True)


def _is_half(code: Code, kind: ast.AST, precision: str) -> bool:
    if dotted(kind).startswith("torch."):
        return last(kind) in _HALF
    nodes = code.assigned.get(dotted(kind), ())
    value = nodes[0].value if len(nodes) == 1 else None
    if isinstance(value, ast.Attribute):
        return last(value) in _HALF
    chosen = isinstance(value, (ast.IfExp, ast.Subscript))
    return chosen and precision == "fp16" and "float16" in ast.unparse(value or kind)


# --- the scale stays ------------------------------------------------------------------------


def _steps_with_scale(code: Code) -> Iterator[Fault]:
    """``scaler.scale(loss).backward()`` and a plain ``optimizer.step()`` behind it, where nothing
    takes the scale off again."""
    if "unscale_" in code.text or code.own_gradients:
        return
    for backward in sorted(code.calls, key=at):
        receiver = getattr(backward.func, "value", None)
        if last(backward.func) != "backward" or not isinstance(receiver, ast.Call):
            continue
        scaler = dotted(receiver.func).removesuffix(".scale")
        if not dotted(receiver.func).endswith(".scale") or not _is_scaler(code, scaler):
            continue
        within = code.function(backward)
        steps = [c for c in calls_in(within) if last(c.func) == "step" and at(c) > at(backward)]
        scaled = [c for c in code.calls if dotted(c.func) == f"{scaler}.step"]
        plain = [c for c in steps if not c.args and _is_optimizer(code, c)]
        if plain and not scaled:
            name = dotted(plain[0].func).removesuffix(".step")
            values = {"step": f"{name}.step()", "scaler": scaler, "optimizer": name}
            yield Fault(SCALE_KEPT, _STEPS.fill(values), plain[0])
            return


def _is_scaler(code: Code, name: str) -> bool:
    made = [n.value for n in code.assigned.get(name, ())]
    calls = [one for one in made if isinstance(one, ast.Call)]
    return (
        len(made) == 1
        and bool(calls)
        and last(calls[0].func) == "GradScaler"
        and not _never(calls[0])
    )


def _is_optimizer(code: Code, step: ast.Call) -> bool:
    made = [n.value for n in code.assigned.get(dotted(step.func).removesuffix(".step"), ())]
    return any(isinstance(one, ast.Call) and last(one.func) in OPTIMIZERS for one in made)
