"""The probe of nanoGPT's own flags: configurator.py takes a known name, and a value of its type."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from medic.facts import Launch, Launches, Word
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, source_of
from medic.run_config import RunConfig
from medic.text.patterns import regex

from .key_names import Framework, names_of, nearest_name
from .lint_keys import MISSPELT, NEAR

VALUE = "flag-value-not-accepted"
OTHERWISE = "option-reads-otherwise"
_NANOGPT = "nanogpt"
_FLAG = regex(r"--([A-Za-z_]\w*)=(.*)", re.DOTALL)
# Types of the globals of train.py; all others are texts.
_TYPES: Mapping[str, type] = {
    **dict.fromkeys(
        ("learning_rate", "weight_decay", "beta1", "beta2", "grad_clip", "min_lr", "dropout"), float
    ),
    **dict.fromkeys(
        ("eval_only", "always_save_checkpoint", "wandb_log", "bias", "decay_lr", "compile"), bool
    ),
    **dict.fromkeys(
        ("eval_interval", "log_interval", "eval_iters", "gradient_accumulation_steps",
         "batch_size", "block_size", "n_layer", "n_head", "n_embd", "max_iters", "warmup_iters",
         "lr_decay_iters"),
        int,
    ),
}  # fmt: skip
_NO = frozenset(("false", "no", "off", "0", "none"))
_SAYS = Text(
    "{name} has to be of type {type}: configurator.py asserts it, {value} is {other}",
    "{name} 必须是 {type} 类型：configurator.py 会断言检查，而 {value} 是 {other}",
)


_TRUE = Text(
    "{name} is the text {value}: any text but an empty one counts as True",
    "{name} 是文本 {value}：只要不是空文本，都当作 True",
)


def run(look: Look) -> Iterator[Finding]:
    launches = look.fact(Launches).launches if look.has(Launches) else ()
    framework = next((f for f in look.frameworks if f.name == _NANOGPT), None)
    if framework is None:
        return
    config = look.fact(RunConfig)
    yield from _texts(config)
    for launch in launches:
        if _is_nanogpt(launch, config):
            for word in launch.arguments:
                yield from _of_word(word, config, framework)


def _texts(config: RunConfig) -> Iterator[Finding]:
    """``wandb_log = "False"`` of a configuration: train.py executes the file, and no type is asked."""
    for setting in config.settings:
        name, value, origin = setting.path[-1], setting.value, setting.origin
        if origin.framework != _NANOGPT or origin.syntax != "python" or origin.span is None:
            continue
        if _TYPES.get(name) is bool and isinstance(value, str) and value.lower() in _NO:
            what = _TRUE.fill(name=name, value=repr(value))
            source = source_of(origin.span, f"{name} = {value!r}")
            yield Finding(OTHERWISE, "fires", {"what": what}, source, span=origin.span)


def _is_nanogpt(launch: Launch, config: RunConfig) -> bool:
    """train.py with a Python file as its configuration: no other parser takes that."""
    script = (launch.script.value or "") if launch.script else ""
    words = [word.value or "" for word in launch.arguments]
    files = [w for w in words if w.endswith(".py") and not w.startswith("-")]
    return script.endswith("train.py") and bool(files) and _NANOGPT in config.frameworks


def _of_word(word: Word, config: RunConfig, framework: Framework) -> Iterator[Finding]:
    found = _FLAG.fullmatch(word.value or "")
    if found is None:
        return
    name, value = found[1], found[2]
    source = source_of(word.span, word.raw)
    names = names_of(framework, {})
    if name not in names.leaves:
        near = nearest_name(name, sorted(names.leaves))
        if near:
            what = NEAR.fill(framework=framework.title, key=f"--{name}", meant=f"--{near}")
            yield Finding(MISSPELT, "fires", {"what": what}, source, span=word.span)
        return
    wanted, have = _TYPES.get(name, str), _type(value)
    replaced = any(s.path == (name,) and s.origin.syntax == "python" for s in config.settings)
    if have is not wanted and not replaced:
        told = {"name": name, "type": wanted.__name__, "value": value, "other": have.__name__}
        values = {"what": _SAYS.fill(told), "rule": "type-of-global"}
        yield Finding(VALUE, "fires", values, source, span=word.span)


def _type(text: str) -> type:
    """As configurator.py reads a value: a Python literal, or else text."""
    try:
        return type(ast.literal_eval(text[:1000]))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return str


PROBE = Probe(
    name="nanogpt-values",
    title=Text("nanoGPT's own flags", "nanoGPT 的参数"),
    tells=(MISSPELT, VALUE, OTHERWISE),
    run=run,
    needs=(RunConfig,),
    wants=(Launches,),
    files=("script", "python"),
    seconds=0.01,
    limit_seconds=5,
)
