"""The probe of what the GPUs that a batch script asks for, or that are told (``--gpu``), do not
compute: bf16, FlashAttention-2."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from medic.facts import Launches, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of, source_of
from medic.run_config import RunConfig, Setting, Span
from medic.text.patterns import regex

if TYPE_CHECKING:
    from .script_text import ScriptText


PRECISION, ATTENTION = "precision-not-supported-by-device", "flash-attn-gpu-too-old"
# Of Volta, Turing and older: compute capability below 8.0 (NVIDIA, CUDA GPUs).
_OLDER = regex(
    r"(?<![a-z0-9])(v100s?|p100|p40|p4|k80|m60|t4|titan[_-]?(?:rtx|xp|v)|(?:rtx[_-]?)?20[678]0(?:[_-]?ti)?|"
    r"(?:gtx[_-]?)?1080(?:[_-]?ti)?|quadro[_-]?rtx[_-]?\d000|volta|turing|pascal)(?![a-z0-9])"
)
_OTHER = regex(
    r"(?<![a-z0-9])(?:[abh]\d{2,3}s?|l40s?|l4|gh200|gb200|ampere|hopper|ada)(?![a-z0-9])"
)
_ASKS = regex(
    r"^#SBATCH\s+(?:--(?:gres|gpus|gpus-per-node|gpus-per-task|gpus-per-socket|constraint|partition)"
    r"|-[CGp])[= ]?\s*([^\s#]+)"
)
_ATTENTION = ("attn_implementation", "_attn_implementation", "attn_impl", "flash_attn")
_FLASH = ("flash_attention_2", "fa2", "flash_attn", "flash_attn_2", "flash_attention_3")
_SWITCHES = ("flash_attention", "use_flash_attn", "use_flash_attention", "use_flash_attention_2")
_NO_BF16 = Text(
    "{key} {value}: {gpu}, which line {line} of {script} asks for, has no bf16",
    "{key} {value}：{script} 第 {line} 行申请的 {gpu} 没有 bf16",
)
_NO_FLASH = Text(
    "{key} {value}: {gpu}, which line {line} of {script} asks for, is older than Ampere",
    "{key} {value}：{script} 第 {line} 行申请的 {gpu} 早于 Ampere 架构",
)
_NO_BF16_THERE = Text("{key} {value}: the {gpu} has no bf16", "{key} {value}：{gpu} 没有 bf16")
_NO_FLASH_THERE = Text(
    "{key} {value}: the {gpu} is older than Ampere", "{key} {value}：{gpu} 早于 Ampere 架构"
)


def run(look: Look) -> Iterator[Finding]:
    """By the GPU that is told, else by the one script that launches: another one may ask for others."""
    config = config_of(look)
    told = str(config.get("gpu") or "")
    if not told:
        if look.files("script"):
            yield from _by_script(look)
        return
    one = _OLDER.search(told.lower().replace(" ", "-"))
    if one is None or _OTHER.search(told.lower()):
        return
    found = {
        PRECISION: (_bf16(config), _NO_BF16_THERE),
        ATTENTION: (_flash(config), _NO_FLASH_THERE),
    }
    for name, ((key, value, span), said) in found.items():
        yield judged(name, key, value, span, said.fill(key=key, value=value, gpu=told))


def has_no_bf16(look: Look) -> bool:
    """Whether the GPU that is told, or that the one script of a launch asks for, has no bf16."""
    told = str(config_of(look).get("gpu") or "").lower()
    if told:
        one = _OLDER.search(told.replace(" ", "-"))
        return one is not None and _OTHER.search(told) is None
    if len(scripts := look.files("script")) != 1:
        return False
    from .script_text import read_script

    script = read_script(look, scripts[0].path, scripts[0].name)
    return script is not None and older(script) is not None


def _by_script(look: Look) -> Iterator[Finding]:
    # Where a configuration is all there is, what reads scripts is not imported.
    from .launches import launches_in
    from .script_text import read_script

    scripts = [s for f in look.files("script") if (s := read_script(look, f.path, f.name))]
    config = config_of(look)
    if len(scripts) != 1 or config.others:
        return
    (script,) = scripts
    asked = older(script)
    if asked is None or not launches_in(look, script.file):
        return
    gpu, line = asked
    found = {PRECISION: (_bf16(config), _NO_BF16), ATTENTION: (_flash(config), _NO_FLASH)}
    for name, ((key, value, span), said) in found.items():
        what = said.fill(key=key, value=value, gpu=gpu, line=line, script=script.name)
        yield judged(name, key, value, span, what)


def judged(name: str, key: str, value: str, span: Span | None, what: Text) -> Finding:
    if span is None:
        return Finding(name, "passes")
    source: Source = source_of(span, f"{key}: {value}")
    return Finding(name, "fires", {"what": what}, source, span=span)


def older(
    script: ScriptText, lacks: re.Pattern[str] = _OLDER, others: re.Pattern[str] = _OTHER
) -> tuple[str, int] | None:
    """The GPU that ``lacks`` matches of those that the directives ask for, and the line; None where
    ``others`` will do as well."""
    found: tuple[str, int] | None = None
    for number, text in enumerate(script.lines, 1):
        asks: re.Match[str] | None = _ASKS.match(text)
        if asks is None or number in script.documents:
            continue
        words = asks[1].lower()
        one = lacks.search(words)
        if others.search(words):
            return None
        if one is not None and found is None:
            found = one[1].upper(), number
    return found


def _bf16(config: RunConfig) -> tuple[str, str, Span | None]:
    origin = config.origin("precision")
    if config.get("precision") != "bf16" or origin is None:
        return "", "", None
    return origin.key, "true" if "bf16" in origin.key else "bf16", origin.span


def _flash(config: RunConfig) -> tuple[str, str, Span | None]:
    found: Setting | None = None
    for name in (*_ATTENTION, *_SWITCHES):
        one = config.setting(name)
        value = str(one.value).lower() if one is not None else ""
        if value in _FLASH or (name in _SWITCHES and value == "true"):
            found = found or one
    return (found.origin.key, str(found.value), found.origin.span) if found else ("", "", None)


PROBE = Probe(
    name="older-gpus",
    title=Text("what older GPUs compute", "较早 GPU 的计算能力"),
    tells=(PRECISION, ATTENTION),
    run=run,
    needs=(RunConfig,),
    wants=(Launches,),
    files=("script", "config"),
    seconds=0.02,
    limit_seconds=5,
)
