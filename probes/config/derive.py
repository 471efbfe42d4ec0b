"""Values that follow from stated ones, and the defaults of the framework in use.

Nothing stated is ever replaced, and nothing is guessed: a field whose inputs are unknown stays
unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from medic.run_config import Origin, Scalar, Value

from .keys import Framework

Numbers = Sequence[float]

_SHARDS = ("tensor_parallel_size", "pipeline_parallel_size", "context_parallel_size")
# Where a framework takes a global batch, the accumulation is what remains of it.
_REMAINS = ("gradient_accumulation_steps",)


def _quotient(n: Numbers) -> float | None:
    """The first number by the product of the others; None if it does not divide."""
    divisor = 1.0
    for factor in n[1:]:
        divisor *= factor
    return n[0] / divisor if divisor and n[0] % divisor == 0 else None


def _product(n: Numbers) -> float:
    product = 1.0
    for factor in n:
        product *= factor
    return product


def _floor(n: Numbers) -> float | None:
    return n[0] // n[1] if n[1] else None


def _share(n: Numbers) -> float | None:
    return round(n[0] * n[1]) if 0 <= n[0] <= 1 else None


# (field, inputs, how, said); EP borrows data parallel ranks, so it does not divide them.
_RULES: Sequence[tuple[str, tuple[str, ...], Callable[[Numbers], float | None], str]] = (
    ("world_size", ("nodes", "gpus_per_node"), _product, "×"),
    ("world_size", ("data_parallel_size", *_SHARDS), _product, "×"),
    ("data_parallel_size", ("world_size", *_SHARDS), _quotient, "/"),
    ("gpus_per_node", ("world_size", "nodes"), _quotient, "/"),
    ("nodes", ("world_size", "gpus_per_node"), _quotient, "/"),
    (
        "global_batch_size",
        ("micro_batch_size", "gradient_accumulation_steps", "data_parallel_size"),
        _product,
        "×",
    ),
    (
        "gradient_accumulation_steps",
        ("global_batch_size", "micro_batch_size", "data_parallel_size"),
        _quotient,
        "/",
    ),
    (
        "micro_batch_size",
        ("global_batch_size", "gradient_accumulation_steps", "data_parallel_size"),
        _quotient,
        "/",
    ),
    ("global_batch_size", ("global_batch_tokens", "sequence_length"), _quotient, "/"),
    ("global_batch_tokens", ("global_batch_size", "sequence_length"), _product, "×"),
    ("total_steps", ("total_tokens", "global_batch_tokens"), _floor, "/"),
    ("warmup_steps", ("warmup_ratio", "total_steps"), _share, "×"),
)


def complete(
    stated: Mapping[str, Value],
    frameworks: Sequence[Framework],
    *,
    takes_global: bool,
    unknown: Collection[str] = (),
) -> dict[str, Value]:
    """Stated values with derived ones and defaults.

    ``frameworks`` give their defaults, the first one rules. ``takes_global``: the framework takes
    a global batch, so accumulation follows from that and has its default only without one.
    ``unknown`` fields are stated by something that is not known here: no default stands for them.
    """
    values = {k: v for k, v in stated.items() if not (k in _REMAINS and _is_loop(v, stated))}
    _of_all_processes(values, frameworks[:1])
    remains = _REMAINS if takes_global and "global_batch_size" in stated else ()
    _defaults(values, frameworks, leave=(*remains, *unknown))
    _derive(values)
    return values


def _of_all_processes(values: dict[str, Value], frameworks: Sequence[Framework]) -> None:
    """Where the accumulation counts the micro batches of all processes together (nanoGPT), it
    gives the global batch, and that of one process follows from it.
    """
    keys = [key for f in frameworks for key in f.keys if key.field in _REMAINS]
    if not any(key.scope == "global" for key in keys):
        return
    joint = values.pop("gradient_accumulation_steps", None)
    numbers = [_number(values.get("micro_batch_size")), _number(joint)]
    if joint is not None and None not in numbers:
        note = "micro_batch_size × gradient_accumulation_steps"
        batch = int(_product([n for n in numbers if n is not None]))
        values.setdefault("global_batch_size", Value(batch, Origin("derived", note=note)))


def _is_loop(accumulation: Value, stated: Mapping[str, Value]) -> bool:
    """Lightning's own loop under a global batch: Megatron models accumulate inside one of its
    steps, where accumulate_grad_batches has to be 1 and says nothing of the batch.
    """
    leaf = accumulation.origin.key.lstrip("-+").rpartition(".")[2]
    beside = {"global_batch_size", "micro_batch_size"} <= stated.keys()
    return leaf == "accumulate_grad_batches" and accumulation.value == 1 and beside


def _derive(values: dict[str, Value]) -> None:
    changed = True
    while changed:
        changed = False
        for field, inputs, how, sign in _RULES:
            if field in values:
                continue
            numbers = [_number(values.get(name)) for name in inputs]
            known = [n for n in numbers if n is not None]
            result = how(known) if len(known) == len(numbers) else None
            if result is not None and result == int(result):
                note = f" {sign} ".join(inputs[:2])
                if len(inputs) > 2:
                    rest = " × ".join(inputs[1:])
                    note = f"{inputs[0]} / ({rest})" if sign == "/" else " × ".join(inputs)
                values[field] = Value(int(result), Origin("derived", note=note))
                changed = True


def _number(value: Value | None) -> float | None:
    if value is None or isinstance(value.value, bool):
        return None
    return float(value.value) if isinstance(value.value, (int, float)) else None


def _defaults(
    values: dict[str, Value], frameworks: Sequence[Framework], leave: Sequence[str]
) -> None:
    for framework in frameworks:
        for field, value in framework.defaults.items():
            if field not in values and field not in leave and not _is_share(field, values):
                values[field] = Value(value, _default(framework, value))


def _default(framework: Framework, value: Scalar) -> Origin:
    return Origin("default", framework=framework.name, note=f"{framework.name}: {value}")


def _is_share(field: str, values: Mapping[str, Value]) -> bool:
    """Whether the warmup is stated as a share of the run: no default number of steps stands then."""
    return field == "warmup_steps" and "warmup_ratio" in values
