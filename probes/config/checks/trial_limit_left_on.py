"""A limit of the data that a trial of the code left in, and how often the rest is seen."""

from __future__ import annotations

from pathlib import PurePath

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig
from medic.text.patterns import regex

from .models import counted, key_number

NAME = "trial-limit-left-on"
NEEDS: tuple[str, ...] = ()
# After forty passes more of them add nothing (Muennighoff et al. 2023, "Scaling data-constrained
# language models": repeated tokens are worth nothing from about 40 epochs on).
WORTHLESS = 40
_OVERFIT = "overfit_batches"
# What a limit counts: names that only limit, not those of a plan (train_samples, total_tokens).
_LIMITS = {
    "tokens": ("limit_tokens", "limit_train_tokens", "debug_tokens", "subset_tokens"),
    "samples": (
        "limit_samples", "limit_train_samples", "max_train_samples", "max_samples", "debug_samples",
        "limit_examples", "max_train_examples", "subset_size", "train_subset_size",
    ),
    "batches": ("limit_train_batches", "limit_batches", "debug_batches"),
}  # fmt: skip
_TRIAL = regex(
    r"(?i)(?:^|[_.\-])(?:debug|smoke|tests?|overfit\w*|sanity|toy|tiny|trial|demo)(?:$|[_.\-])"
)
_OF_EVALUATION = regex(r"(?i)eval|valid|test|bench|infer|generat")
_SAME = Text(
    "{key} {value}: every epoch is the same {value} batches, and they stand for the validation data, "
    "too, unless this has a loader of its own",
    "{key} {value}：每个 epoch 都只训练同样的 {value} 个 batch；没有单独的验证 loader 时，验证也用它们",
)
_SHARE = Text(
    "{key} {value}: every epoch is the same {value} of the data",
    "{key} {value}：每个 epoch 都只训练同样的 {value} 数据",
)
_OFTEN = Text(
    "{key} {value}: the run takes at least {taken} {unit} of these, each is seen {passes} times",
    "{key} {value}：整个训练至少要取 {taken} 个{unit}，每个被看 {passes} 遍",
)
_UNITS = {
    "tokens": Text("tokens", " token"),
    "samples": Text("samples", "样本"),
    "batches": Text("batches", " batch"),
}
_KEY = Text(
    "a limit of the data (overfit_batches, max_train_samples, …)",
    "对数据量的限制（overfit_batches 等）",
)


def check(config: RunConfig) -> LintResult:
    if any(_TRIAL.search(PurePath(file).name) for file in config.files[:1]):
        return Passes()  # of a trial, and called so
    batches = key_number(config, _OVERFIT)
    if batches is not None:
        shown = f"{batches:g}" if batches >= 1 else f"{batches:.0%}"
        what = (_SAME if batches >= 1 else _SHARE).fill(key=_OVERFIT, value=shown)
        return Fires(_OVERFIT, {"what": what}) if batches > 0 else Passes()
    for unit, names in _LIMITS.items():
        key = next((name for name in names if _limits_training(config, name)), "")
        limit = key_number(config, key) if key else None
        if limit is not None and limit >= 1:
            return _passes(config, unit, key, limit)
    return NotChecked((_KEY,))


def _limits_training(config: RunConfig, name: str) -> bool:
    """Whether a limit is set, and not below a section of an evaluation (nanotron's ``lighteval``)."""
    setting = config.setting(name)
    return setting is not None and not any(map(_OF_EVALUATION.search, setting.path[:-1]))


def _passes(config: RunConfig, unit: str, key: str, limit: float) -> LintResult:
    taken = _taken(config, unit)
    if taken is None:
        return NotChecked(("total_steps", "micro_batch_size"))
    passes = taken / limit
    if passes < WORTHLESS:
        return Passes()
    words = {"key": key, "value": f"{limit:,.0f}", "taken": f"{taken:,.0f}"}
    return Fires(
        key, {"what": _OFTEN.fill({**words, "unit": _UNITS[unit], "passes": f"{passes:,.0f}"})}
    )


def _taken(config: RunConfig, unit: str) -> float | None:
    """What all steps take, of one replica where the number of replicas is not known."""
    steps = counted(config, "total_steps") if config.stated("total_steps") else None
    if steps is None:
        return None
    accumulated = counted(config, "gradient_accumulation_steps") or 1
    if unit == "batches":
        return float(steps * accumulated)
    batch = counted(config, "global_batch_size")
    micro = counted(config, "micro_batch_size")
    if batch is None and micro is None:
        return None
    sequences = steps * (batch or (micro or 1) * accumulated)
    length = counted(config, "sequence_length") if unit == "tokens" else 1
    return float(sequences * length) if length else None
