"""The probe of fp8 on a GPU that has none: one that a batch script asks for, or that is told."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Launches
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of
from medic.run_config import RunConfig, Span
from medic.text.patterns import regex

from .older_gpus import PRECISION, judged, older

# Ampere and older: compute capability below 8.9 (NVIDIA, CUDA GPUs).
_LACKS = regex(
    r"(?<![a-z0-9])(v100s?|p100|t4|titan[_-]?(?:rtx|xp|v)|(?:rtx[_-]?)?20[678]0(?:[_-]?ti)?|a100|a800|a30|"
    r"a40|a10g?|a16|(?:rtx[_-]?)?a[456]000|(?:rtx[_-]?)?30[5-9]0(?:[_-]?ti)?|volta|turing|ampere)"
    r"(?![a-z0-9])"
)
_HAVE = regex(
    r"(?<![a-z0-9])(?:[hb]\d{2,3}s?|l40s?|l4|g[hb]\d{3}|mi\d{3}x?|(?:rtx[_-]?)?[45]0[6-9]0|hopper|"
    r"ada|blackwell)(?![a-z0-9])"
)
_CONVERTERS, _EMULATED = "converters", "emulate"
_FORMATS = ("fp8_format", "fp8_e4m3", "fp8_hybrid")
# Of an engine that serves: it may keep the weights in fp8 and compute in bf16.
_SERVES = frozenset(("vllm", "sglang"))
_THERE = Text(
    "{key} {value}: the {gpu} has no fp8 (compute capability 8.9 or higher)",
    "{key} {value}：{gpu} 不支持 fp8（需要计算能力 8.9 及以上）",
)
_ASKED = Text(
    "{key} {value}: {gpu}, which line {line} of {script} asks for, has no fp8 (compute capability 8.9 "
    "or higher)",
    "{key} {value}：{script} 第 {line} 行申请的 {gpu} 不支持 fp8（需要计算能力 8.9 及以上）",
)


def run(look: Look) -> Iterator[Finding]:
    """torchtitan float8.py, Transformer Engine fp8.py: both refuse what is below 8.9."""
    config = config_of(look)
    told = str(config.get("gpu") or "")
    key, value, span = _fp8(config)
    if span is None:
        return
    if told:
        words = told.lower().replace(" ", "-")
        if _LACKS.search(words) is not None and _HAVE.search(words) is None:
            yield judged(PRECISION, key, value, span, _THERE.fill(key=key, value=value, gpu=told))
    elif look.files("script") and not config.others:
        yield from _by_script(look, key, value, span)


def _by_script(look: Look, key: str, value: str, span: Span) -> Iterator[Finding]:
    from .launches import launches_in
    from .script_text import read_script

    scripts = [s for f in look.files("script") if (s := read_script(look, f.path, f.name))]
    asked = older(scripts[0], _LACKS, _HAVE) if len(scripts) == 1 else None
    if asked is not None and launches_in(look, scripts[0].file):
        gpu, line = asked
        what = _ASKED.fill(key=key, value=value, gpu=gpu, line=line, script=scripts[0].name)
        yield judged(PRECISION, key, value, span, what)


def _fp8(config: RunConfig) -> tuple[str, str, Span | None]:
    """What asks for fp8 in training: (the key, its value, where)."""
    origin = config.origin("precision")
    if config.get("precision") == "fp8" and origin is not None and origin.framework not in _SERVES:
        return origin.key, "fp8", origin.span
    switch = config.setting("fp8")
    if switch is not None and str(switch.value).lower() in ("true", "hybrid", "e4m3"):
        return switch.origin.key, str(switch.value).lower(), switch.origin.span
    for name in _FORMATS:
        one = config.setting(name)
        if one is not None and config.setting("mixed_precision") is None and one.value:
            return one.origin.key, str(one.value), one.origin.span
    converters, emulated = config.setting(_CONVERTERS), config.setting(_EMULATED)
    if converters is not None and "float8" in str(converters.value):
        computed = emulated is None or emulated.value is not True
        return converters.origin.key, "float8", converters.origin.span if computed else None
    return "", "", None


PROBE = Probe(
    name="fp8-gpus",
    title=Text("fp8 of the GPUs", "GPU 的 fp8 支持"),
    tells=(PRECISION,),
    run=run,
    needs=(RunConfig,),
    wants=(Launches,),
    files=("script", "config"),
    seconds=0.02,
    limit_seconds=5,
)
