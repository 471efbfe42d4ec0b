"""The probe of the options of torch's allocator that a script sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from medic.facts import Repair, Respelt
from medic.i18n import Text
from medic.probe import Finding, Look, Probe
from medic.run_config import Edit, Span
from medic.text.patterns import regex
from medic.text.slips import is_swapped

from .distance import NEAREST, letters_apart
from .masked import COMMENT, MASK
from .script_text import ScriptText, read_script

NOT_TAKEN = "flag-value-not-accepted"
_ALLOCATOR = regex(
    r"\b(PYTORCH_(?:CUDA_|HIP_|NPU_)?ALLOC_CONF)=(?:\"([^\"$`]*)\"|'([^'$`]*)'|([^\s;&|\"'$`]+))"
)
_OPTION = regex(r"\s*([A-Za-z][\w-]*)\s*([:=]?)\s*(\[[^\]]*\]|[^,\[]*)(?:,|$)")
_SWITCH = (lambda v: v in ("True", "False"), Text("True or False", "True 或 False"))
Form = tuple[Callable[[str], bool], Text]


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdecimal()


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


_COUNT = (_is_count, Text("a whole number", "整数"))
# c10/core/AllocatorConfig.cpp, c10/cuda/CUDAAllocatorConfig.cpp: keys and what each takes.
_KEYS: Mapping[str, Form | None] = {
    "max_split_size_mb": (
        lambda v: _is_count(v) and int(v[:9]) > 20,
        Text("a whole number above 20", "大于 20 的整数"),
    ),
    "max_non_split_rounding_mb": _COUNT,
    "garbage_collection_threshold": (
        lambda v: 0 < _number(v) < 1,
        Text("a share between 0 and 1", "0 与 1 之间的小数"),
    ),
    "roundup_power2_divisions": None,
    "backend": (
        lambda v: v in ("native", "cudaMallocAsync", "hipMallocAsync"),
        Text("native or cudaMallocAsync", "native 或 cudaMallocAsync"),
    ),
    "expandable_segments": _SWITCH,
    "release_lock_on_cudamalloc": _SWITCH,
    "release_lock_on_hipmalloc": _SWITCH,
    "pinned_use_cuda_host_register": _SWITCH,
    "pinned_use_hip_host_register": _SWITCH,
    "pinned_num_register_threads": _COUNT,
    "pinned_use_background_threads": _SWITCH,
    "pinned_reserve_segment_size_mb": _COUNT,
    "graph_capture_record_stream_reuse": _SWITCH,
    "per_process_memory_fraction": None,
}
_SHORTEST = 6
_NO_KEY = Text(
    "{name}: torch's allocator has no option {key}; {meant} is meant",
    "{name}：torch 的显存分配器没有 {key} 选项，应为 {meant}",
)
_NO_VALUE = Text(
    "{name}: {key} takes {takes}, not {value}", "{name}：{key} 只接受{takes}，而不是 {value}"
)


def run(look: Look) -> Iterator[Finding]:
    for given in look.files("script"):
        script = read_script(look, given.path, given.name)
        if script is not None:
            yield from _allocator(script)


def _allocator(script: ScriptText) -> Iterator[Finding]:
    for number, line in enumerate(script.code, 1):
        for found in _ALLOCATOR.finditer(script.line_text(number)) if "ALLOC_CONF" in line else ():
            if line[found.start(1)] in (MASK, COMMENT):
                continue
            group = next(i for i in (2, 3, 4) if found[i] is not None)
            for option in _OPTION.finditer(found[group]):
                at = found.start(group)
                place = (at + option.start(1), at + option.end(3))
                slip = _option(found[1], option[1], option[2], option[3].strip())
                if slip is not None:
                    what, new = slip
                    yield _finding(script, what, script.between(number, place), new)


def _option(name: str, key: str, sign: str, value: str) -> tuple[Text, str] | None:
    """What is wrong with one option, and the option as it is meant or "". One without a colon is
    told where the form of the whole variable is.
    """
    if sign != ":":
        return None
    if key not in _KEYS:
        meant = _nearest(key)
        new = f"{meant}:{value}"
        return (_NO_KEY.fill(name=name, key=key, meant=meant), new) if meant else None
    form = _KEYS[key]
    if form is None or form[0](value):
        return None
    title = value.title()
    right = f"{key}:{title}" if form is _SWITCH and title in ("True", "False") else ""
    return _NO_VALUE.fill(name=name, key=key, takes=form[1], value=value or "''"), right


def _nearest(key: str) -> str:
    text = key.replace("-", "_").lower()
    near = [k for k in _KEYS if k == text or _slip(text, k) or k.startswith(f"{text}_")]
    return near[0] if len(near) == 1 and len(text) >= _SHORTEST else ""


def _slip(text: str, key: str) -> bool:
    return is_swapped(text, key) or letters_apart(text, key, 2) is not None


def _finding(script: ScriptText, what: Text, span: Span, new: str) -> Finding:
    repair = None
    if new:
        edit = Edit(span.file, span.start, span.end, new)
        repair = Repair((Respelt((edit,)),), safe=False, why=NEAREST)
    values = {"what": what, "closed": True}
    source = script.at(span)
    return Finding(NOT_TAKEN, "fires", values, source, span=span, repair=repair)


PROBE = Probe(
    name="allocator-options",
    title=Text("options of torch's allocator", "显存分配器选项"),
    tells=(NOT_TAKEN,),
    run=run,
    files=("script",),
    seconds=0.01,
    limit_seconds=5,
)
