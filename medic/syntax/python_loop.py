"""A training loop of one's own -> what its calls say of the run; nothing runs.

Read are calls that mean the same in every script: the model that is loaded or made, the loader's batch,
the optimizer, autocast, adapters, recomputation, FSDP. What stands in a variable counts where it is
bound once, to what is known; all else stays unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from medic.syntax.python_calls import Calls, makes_model, one
from medic.syntax.python_numerics import optimizer, precision, width
from medic.syntax.python_reader import Reader
from medic.syntax.python_scopes import last
from medic.syntax.python_spread import (
    engine_settings,
    engines,
    gathered_on_card,
    on_card_first,
    plain,
    shards,
    strategy,
    version,
)
from medic.syntax.python_values import Group, Known, Result, Unknown, dotted

# Settings that no trainer has: what lies whole on each card before FSDP shards it, or when it is saved.
ON_CARD_FIRST, GATHERED_ON_CARD = "model_on_card_first", "state_dict_on_card"
LOOP = "training_loop"  # the setting by which such a file is known
_RECOMPUTES = ("gradient_checkpointing_enable", "apply_activation_checkpointing")
_MAY_RECOMPUTE = ("checkpoint", "checkpoint_wrapper", "set_activation_checkpointing")
_NOT_TRAINED = ("eval", "val", "test", "dev", "infer")
_LENGTHS = ("max_length", "max_seq_length", "max_seq_len", "seq_len", "seq_length", "block_size",
            "sequence_length", "context_length", "max_len")  # fmt: skip
_BATCHES = ("batch_size", "micro_batch_size", "per_device_batch_size", "per_device_train_batch_size",
            "train_batch_size", "device_batch_size")  # fmt: skip
_DTYPES = ("dtype", "torch_dtype")


def loop_of(reader: Reader, module: ast.Module) -> Group | None:
    """The settings of a module that loads or makes one model and runs the backward pass itself; None
    of any other, and where an engine whose configuration is not known trains."""
    calls = [n for n in ast.walk(module) if isinstance(n, ast.Call)]
    names = {last(c.func) for c in calls}
    models = [c for c in calls if makes_model(c)]
    if "backward" not in names or len(models) != 1 or "DataParallel" in names:
        return None
    found = Group(models[0])
    found.settings[LOOP] = (models[0].func, Known(value=True, node=models[0].func))
    loop = Calls(reader, module, calls)
    engine = engine_settings(loop) if engines(loop) else {}
    if engine is None:
        return None
    for name, tell in _TOLD.items():
        value = tell(loop)
        if value is not None:
            found.settings[name] = (value.node, value)
    found.settings.update(engine)
    for name, value in loop.sizes():
        found.settings[name] = (value.node, value)
    return found


def _batch(loop: Calls) -> Result | None:
    """Of the loader that is trained on; where the program makes none, a variable that is named so."""
    loaders = [c for c in loop.named("DataLoader") if not _is_other(loop.scopes.bound_to(c))]
    found = [loop.argument(c, "batch_size", 1) or Unknown(c) for c in loaders]
    return one(found) if loop.named("DataLoader") else one(_named(loop, _BATCHES))


def _named(loop: Calls, names: tuple[str, ...]) -> list[Result]:
    """What variables and options of these names are known to be."""
    named = [*loop.scopes.constants(), *loop.scopes.reader.options.items()]
    return [v for name, v in named if name.lower() in names and isinstance(v, Known)]


def _is_other(name: str) -> bool:
    return any(word in name.lower() for word in _NOT_TRAINED)


def _accumulation(loop: Calls) -> Result | None:
    """accelerate's, or the number of micro batches after which the loop steps."""
    stated = [loop.argument(c, "gradient_accumulation_steps") for c in loop.named("Accelerator")]
    found = [value for value in stated if value is not None]
    for test in (n for n in ast.walk(loop.module) if isinstance(n, ast.If)):
        steps = any(
            isinstance(n, ast.Call)
            and dotted(n.func).lower().endswith(("optimizer.step", "optim.step", "opt.step"))
            for statement in test.body
            for n in ast.walk(statement)
        )
        counts = [n for n in ast.walk(test.test) if isinstance(n, ast.BinOp)]
        found += [loop.value(n.right) for n in counts if steps and isinstance(n.op, ast.Mod)]
    return one(found)


def recompute(loop: Calls) -> Result | None:
    """On where it is switched on in any case; off where all of the code is known not to."""
    on: list[Result] = [_switched(loop, call) for call in loop.named(*_RECOMPUTES)]
    for call in loop.named("prepare_model_for_kbit_training"):
        said = loop.argument(call, "use_gradient_checkpointing", 1) or Known(True, call.func)
        on.append(Unknown(call) if loop.scopes.may_not_run(call) else said)
    if on:
        return one(on)
    if loop.named(*_MAY_RECOMPUTE) or not plain(loop):
        return None
    made = next(c for c in loop.calls if makes_model(c))
    return Known(False, made.func)


def _switched(loop: Calls, call: ast.Call) -> Result:
    """Whether a call that switches something on is made."""
    if loop.scopes.never_runs(call):
        return Known(False, call.func)
    return Unknown(call) if loop.scopes.may_not_run(call) else Known(True, call.func)


def _compiled(loop: Calls) -> Result | None:
    found = [c for c in loop.named("compile") if loop.scopes.origin(c.func).startswith("torch")]
    if not found:
        return None
    return Unknown(found[0]) if loop.scopes.may_not_run(found[0]) else Known(True, found[0].func)


def _liger(loop: Calls) -> Result | None:
    for call in loop.calls:
        name = dotted(call.func)
        if "AutoLigerKernel" in name or "apply_liger_kernel_to_" in name:
            return Known(True, call.func)
    return None


def _dtype(loop: Calls) -> Result | None:
    """That the whole model is cast to or made in, or that peft's preparation leaves what is not
    quantised in."""
    prepared = loop.named("prepare_model_for_kbit_training")
    if prepared:
        return Known("float32", prepared[0].func)
    found: list[Result] = []
    for call in loop.calls:
        holder = call.func.value if isinstance(call.func, ast.Attribute) else None
        if not isinstance(holder, ast.Name) or "model" not in holder.id.lower():
            continue
        if last(call.func) in ("half", "bfloat16", "float"):
            word = {"half": "float16", "float": "float32"}.get(last(call.func), "bfloat16")
            found.append(Known(word, call.func))
        elif last(call.func) == "to":
            given = [*call.args, *(k.value for k in call.keywords if k.arg == "dtype")]
            found += [v for v in map(loop.value, given) if width(v) is not None]
    return one(found) or _made_in(loop)


def _made_in(loop: Calls) -> Result | None:
    """torch's own default, of a model that no file is loaded for."""
    made = next(c for c in loop.calls if makes_model(c))
    loaded = last(made.func) == "from_pretrained"
    told = loop.named("set_default_dtype") or any(k.arg in _DTYPES for k in made.keywords)
    return None if loaded or told else Known("float32", made.func)


def _length(loop: Calls) -> Result | None:
    """Tokens that the tokenizer cuts at, else a variable that is named so."""
    found = [
        value
        for call in loop.calls
        if "tok" in dotted(call.func).lower()
        and (value := loop.argument(call, "max_length")) is not None
    ]
    if not found:
        found = _named(loop, _LENGTHS)
    return one(found)


_TOLD: dict[str, Callable[[Calls], Result | None]] = {
    "batch_size": _batch,
    "gradient_accumulation_steps": _accumulation,
    "optimizer": optimizer,
    "mixed_precision": precision,
    "gradient_checkpointing": recompute,
    "fsdp": shards,
    "sharding_strategy": strategy,
    "fsdp_version": version,
    ON_CARD_FIRST: on_card_first,
    GATHERED_ON_CARD: gathered_on_card,
    "compile": _compiled,
    "use_liger_kernel": _liger,
    "torch_dtype": _dtype,
    "max_length": _length,
}
