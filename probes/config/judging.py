"""Turns the lint checks of ``checks`` into findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from importlib import import_module

from medic.facts import Launches
from medic.i18n import Text
from medic.probe import SETTLED, Finding, Fires, LintResult, Look, NotChecked, Part, Skip, source_of
from medic.records import replace
from medic.run_config import FIELDS, OVERRIDDEN, Origin, RunConfig, Scalar, Setting

from .carriers import same
from .checks.completions_cut_at_limit import RESPONSE
from .checks.engine_length_above_model import LENGTHS
from .checks.engine_length_above_model import NAME as LONG_ENGINE
from .checks.positions_beyond_trained import PROMPTS
from .checks.rollout_layout import ROLLOUT
from .model_count import with_printed_count
from .several import of_each

# Checks that the sizes of an open model answer, where the run names it and states none.
_OF_A_MODEL = frozenset(
    (
        LONG_ENGINE,
        "positions-beyond-trained",
        "model-not-divisible-by-parallel-size",
        "rollout-tensor-parallel-wrong",
    )
)
_HALF = "fp16-overflow"
# vLLM envs.py, SGLang model_config.py.
_LET_LONG = ("VLLM_ALLOW_LONG_MAX_MODEL_LEN", "SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN")
_WITH_BF16 = Text("a GPU that computes in bf16", "支持 bf16 的 GPU")
_PARALLEL = ("tensor_parallel_size", "pipeline_parallel_size")


def run(look: Look) -> Iterator[Finding | Skip]:
    known = [part for part in look.parts if part.name in look.checks]
    if _has_no_choice(look):
        known = [part for part in known if part.name != _HALF]
        yield Skip(needs=_WITH_BF16, check=_HALF)
    if _may_be_long(look):
        known = [part for part in known if part.name != LONG_ENGINE]

    def judged(config: RunConfig) -> list[Finding | Skip]:
        sized = look.with_named_sizes(config) if _asks_for_sizes(config) else config
        return [
            found
            for part in known
            for found in judge(part, sized if part.name in _OF_A_MODEL else config)
        ]

    yield from of_each(with_printed_count(look, look.fact(RunConfig)), judged)


def _has_no_choice(look: Look) -> bool:
    """Whether fp16 is what the GPU leaves: a run that has not failed is not told of it then."""
    if _HALF not in look.checks or look.fact(RunConfig).get("precision") != "fp16":
        return False
    from ..flags.older_gpus import has_no_bf16

    return not look.files("log") and has_no_bf16(look)


def _may_be_long(look: Look) -> bool:
    """Whether a launch lets the engine take more tokens than the model has positions."""
    launches = look.fact(Launches).launches if look.has(Launches) else ()
    return any(name in launch.environment for launch in launches for name in _LET_LONG)


def _asks_for_sizes(config: RunConfig) -> bool:
    """Whether the sizes of a model that is only named would tell anything."""
    named = config.stated("base_model") or config.setting("model_name") is not None
    parallel = any((config.integer(name) or 1) > 1 for name in _PARALLEL)
    rollout = (f"{ROLLOUT}.tensor_model_parallel_size", RESPONSE, *PROMPTS, *LENGTHS)
    engine = any(config.setting(name) is not None for name in rollout)
    return named and (config.stated("sequence_length") or parallel or engine)


@cache
def _check(module: str) -> Callable[[RunConfig], LintResult | Sequence[Fires]]:
    found: Callable[[RunConfig], LintResult | Sequence[Fires]] = import_module(module).check
    return found


@cache
def _not_checked(name: str, needs: tuple[str | Text, ...]) -> Skip:
    """The same for each of many files."""
    texts = [Text(need, need) if isinstance(need, str) else need for need in needs]
    listed = Text(", ".join(t.en for t in texts), ", ".join(t.zh for t in texts))
    return Skip(needs=listed, check=name)


def judge(check: Part, config: RunConfig) -> list[Finding | Skip]:
    """The findings of one check, or what it needs."""
    missing = config.missing(*check.needs)
    if missing:
        return [_not_checked(check.name, missing)]
    result = _check(check.module)(config)
    if isinstance(result, NotChecked):
        return [_not_checked(check.name, tuple(result.needs))]
    if isinstance(result, Fires):
        return [_fired(check, config, result)]
    if isinstance(result, Sequence):
        return [_fired(check, config, one) for one in result]
    return [
        _settled(check, config, result.settled) if result.settled else Finding(check.name, "passes")
    ]


def _settled(check: Part, config: RunConfig, key: str) -> Finding:
    """Both sides of what is compared are stated, and fit: with the place of one."""
    origin = _origin(config, key)
    if origin is None or not origin.span:
        return Finding(check.name, "passes")
    source = source_of(origin.span, f"{origin.key}: {_shown(config, key)}")
    return Finding(check.name, "passes", {SETTLED: key}, source)


def _fired(check: Part, config: RunConfig, result: Fires) -> Finding:
    """A repair that was computed from values on which two places disagree is left out."""
    if contested(config, (result.at, *check.needs)):
        result = replace(result, changes=())
    fields = (result.at, *check.needs)
    places = ((_shown(config, field), _origin(config, field)) for field in fields)
    at = next(((shown, o, o.span) for shown, o in places if o is not None and o.span), None)
    if at is None:
        return Finding(check.name, "fires", result.values, changes=result.changes)
    shown, origin, span = at
    source = source_of(span, f"{origin.key}: {shown}")
    return Finding(
        check.name,
        "fires",
        result.values,
        source,
        changes=result.changes,
        span=span,
        repair=result.repair,
    )


def _origin(config: RunConfig, name: str) -> Origin | None:
    """Where a canonical field is stated, or else a key of that name."""
    setting = _setting(config, name)
    return setting.origin if setting else config.origin(name) or _switch(config, name)


def _switch(config: RunConfig, key: str) -> Origin | None:
    """Where a flag is given that a field is read from beside others: ``--fp16`` with ``--bf16``."""
    found = (origin for value in config.values.values() for _, origin in value.also)
    return next((origin for origin in found if origin.key == key and origin.span), None)


def _shown(config: RunConfig, name: str) -> Scalar:
    setting = _setting(config, name)
    return setting.value if setting else config.get(name)


def _setting(config: RunConfig, name: str) -> Setting | None:
    """The key, where no canonical field is read from a place: 'weight_decay: -1' states none."""
    origin = config.origin(name)
    placed = origin is not None and origin.span is not None
    return None if name in FIELDS and placed else config.setting(name)


def contested(config: RunConfig, fields: Iterable[str]) -> bool:
    """Whether one of the fields is stated differently in two places of the launch."""
    values = [config.values[field] for field in fields if field in config.values]
    return any(
        origin.note != OVERRIDDEN and not same(other, value.value)
        for value in values
        for other, origin in value.also
    )
