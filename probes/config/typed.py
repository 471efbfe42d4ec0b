"""The probe of value types: text where a number, a switch or a block is asked, and what becomes of
it. Of JSON and TOML, whose types are what is written, and of true and false in quotes in YAML.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from medic.facts import Repair
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip
from medic.run_config import RunConfig, Scalar, Setting
from medic.text.patterns import regex

from .keys import Framework, parts_of
from .setting_faults import fault, rewritten
from .several import of_each
from .value_kinds import is_open, switch_meant

IMPOSSIBLE, OTHERWISE, QUOTED = "impossible-value", "option-reads-otherwise", "quoted-value"
_TYPED = ("json", "toml")
_LONGEST = 40  # of a number that a file would have in quotes
_NUMBER = regex(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_INTEGER = regex(r"[-+]?\d+(?:\.0*)?")
_TRUE, _FALSE = ("true", "yes", "on", "1", "t", "y"), ("false", "no", "off", "0", "f", "n")
_NOTHING = ("", "none", "null", "auto")
# Words of a kind in the entries of frameworks; see ``entries.Framework.types``.
_NUMBERS = ("number", "converted-number", "converted-whole")
_SWITCHES = ("switch", "converted-switch")
_A_NUMBER = Text("a number without quotes (this is text)", "是不带引号的数字（现为字符串）")
_A_WHOLE = Text("a whole number without quotes", "是不带引号的整数")
_A_NUMBER_NOT_SWITCH = Text("a number, not true or false", "是数字，而不是 true 或 false")
_A_SWITCH = Text("true or false", "为 true 或 false")
_A_BLOCK = Text("a block of keys in braces, such as {braces}", "是花括号里的一组键，例如 {braces}")
_COUNTS_AS_TRUE = Text(
    '{key}: "{value}" is text, and any text counts as true',
    "{key}：“{value}”是字符串，任何非空字符串都当作 true",
)
_DEEPSPEED = Text(
    "DeepSpeed converts it; transformers and accelerate compare it as text and may refuse it",
    "DeepSpeed 会转换；transformers 和 accelerate 按字符串比较，可能拒绝",
)
_READER = Text(
    "{reader} converts it; a program that reads the file without converting takes it for text, and "
    "any text counts as true",
    "{reader} 会转换；不做转换的程序会把它当作字符串，而任何非空字符串都当作 true",
)
_STAGE = ("zero_optimization", "stage")
_STAGE_AS_TEXT = Text(
    'stage "{value}" is text: transformers and accelerate compare it with a number and take the '
    "run for one without ZeRO, while DeepSpeed converts it",
    "stage “{value}”是字符串：transformers 和 accelerate 与数字比较，会当作没有启用 ZeRO，而 DeepSpeed 会转换它",
)
_UNQUOTED = Text("the same without the quotes", "去掉引号，取值不变")
_AS_MEANT = Text("the switch that is written", "改为字面所写的开关值")


def run(look: Look) -> Iterator[Finding | Skip]:
    entries: Mapping[str, Framework] = {f.name: f for f in look.frameworks}
    yield from of_each(look.fact(RunConfig), lambda config: _judged(config, entries))


def _judged(config: RunConfig, entries: Mapping[str, Framework]) -> Iterator[Finding]:
    typed = [one for one in config.settings if one.origin.syntax in _TYPED]
    sure = _sure(config, entries) if typed else frozenset()
    alike = _alike(config, entries) if typed else frozenset()
    filled = {s.origin.span.file for s in typed if s.value == "auto" and s.origin.span is not None}
    quoted = False
    for setting in config.settings:
        found = _quoted_switch(setting, entries)
        if found is not None:
            quoted = quoted or found.name == QUOTED
            yield found
    for setting in typed:
        origin = setting.origin
        entry = entries.get(origin.framework)
        if entry is None or origin.span is None:
            continue
        kind = _kind(setting, entry.types)
        off = kind == "switch" and str(setting.value).strip().lower() in _FALSE
        if origin.span.file not in sure and not (off and origin.span.file in alike):
            kind = ""
        found = _of(setting, kind, entry.auto_words) if kind else None
        if found is not None and setting.path == _STAGE and origin.span.file in filled:
            found = _stage(setting, found)
        if found is not None:
            quoted = quoted or found.name == QUOTED
            yield found
    if not quoted and any(_is_typed(one, entries) for one in config.settings):
        yield Finding(QUOTED, "passes")


def _is_typed(setting: Setting, entries: Mapping[str, Framework]) -> bool:
    entry = entries.get(setting.origin.framework)
    return entry is not None and bool(entry.types) and setting.origin.syntax in (*_TYPED, "yaml")


def _stage(setting: Setting, found: Finding) -> Finding:
    """Of a file that transformers or accelerate fills in, whose hooks look for ``stage == 3``."""
    what = _STAGE_AS_TEXT.fill(value=setting.value)
    return (
        found
        if found.name != QUOTED
        else _finding(OTHERWISE, setting, {"what": what}, found.repair)
    )


def _quoted_switch(setting: Setting, entries: Mapping[str, Framework]) -> Finding | None:
    """``"false"`` in YAML: without the quotes it would not be text."""
    own, value = entries.get(setting.origin.framework), setting.value
    if own is None or setting.origin.syntax != "yaml" or not isinstance(value, str):
        return None
    if value.lower() not in ("true", "false"):
        return None
    for entry in (own, *(entries[name] for name in own.builds_on if name in entries)):
        kind = next((k for k in _SWITCHES if setting.path in _paths(entry, k)), "")
        if kind:
            return _switch(setting, value, kind)
    return None


def _paths(entry: Framework, kind: str) -> frozenset[tuple[str, ...]]:
    return frozenset(parts_of([key]) for key in entry.types.get(kind, ()))


def _sure(config: RunConfig, entries: Mapping[str, Framework]) -> frozenset[str]:
    """Files with a key that, alone, tells whose they are: other programs have ``train_batch_size``
    and ``optimizer`` too, of types of their own.
    """
    found = set()
    for setting in config.settings:
        entry, span = entries.get(setting.origin.framework), setting.origin.span
        alone = [keys[0] for keys in entry.recognise.any_keys if len(keys) == 1] if entry else []
        if span is not None and any(_begins(setting.path, parts_of([key])) for key in alone):
            found.add(span.file)
    return frozenset(found)


def _alike(config: RunConfig, entries: Mapping[str, Framework]) -> frozenset[str]:
    """Files with two keys that tell whose they are wherever they stand (``**.num_train_epochs``):
    of those a switch that is off in words is told, and no more."""
    found: dict[str, int] = {}
    for setting in config.settings:
        entry, span = entries.get(setting.origin.framework), setting.origin.span
        keys = {keys[0] for keys in entry.recognise.any_keys if len(keys) == 1} if entry else set()
        if span is not None and len(setting.path) == 1 and f"**.{setting.path[0]}" in keys:
            found[span.file] = found.get(span.file, 0) + 1
    return frozenset(file for file, count in found.items() if count > 1)


def _begins(path: Sequence[str], steps: Sequence[str]) -> bool:
    return tuple(path[: len(steps)]) == tuple(steps)


def _kind(setting: Setting, types: Mapping[str, Sequence[str]]) -> str:
    """What a key has to be: the kind that names most of its path."""
    best, size = "", 0
    for kind, keys in types.items():
        for key in keys:
            steps = parts_of([key])
            if setting.path[-len(steps) :] == steps and len(steps) > size:
                best, size = kind, len(steps)
    return best


def _of(setting: Setting, kind: str, auto: Sequence[str]) -> Finding | None:
    value = setting.value
    if value is None or (isinstance(value, str) and value in auto):
        return None
    if kind in _SWITCHES and isinstance(value, str):
        return None if is_open(value.replace(" ", "")) else _switch(setting, value, kind)
    if isinstance(value, str) and is_open(value):
        return None
    if kind == "block":
        return _block(setting)
    if kind in _NUMBERS:
        return _number(setting, value, kind)
    return _switch(setting, value, kind) if kind in _SWITCHES else None


def _block(setting: Setting) -> Finding | None:
    """A list has been joined to text with blanks; a name alone stands for a block elsewhere."""
    if isinstance(setting.value, str) and " " in setting.value:
        return None
    braces = '{"type": …}' if isinstance(setting.value, str) else '{"enabled": true}'
    return _finding(IMPOSSIBLE, setting, {"allowed": _A_BLOCK.fill(braces=braces)})


def _number(setting: Setting, value: Scalar, kind: str) -> Finding | None:
    if isinstance(value, bool):
        return _finding(IMPOSSIBLE, setting, {"allowed": _A_NUMBER_NOT_SWITCH})
    if (
        not isinstance(value, str)
        or len(value) > _LONGEST
        or _NUMBER.fullmatch(value.strip()) is None
    ):
        return None  # a word for a number is told of every syntax
    repair = rewritten(setting, _read(value.strip()), _UNQUOTED, safe=True)
    if kind == "number":
        return _finding(IMPOSSIBLE, setting, {"allowed": _A_NUMBER}, repair)
    if kind == "converted-whole" and _INTEGER.fullmatch(value.strip()) is None:
        return _finding(IMPOSSIBLE, setting, {"allowed": _A_WHOLE}, repair)
    return _finding(QUOTED, setting, {}, repair)


def _switch(setting: Setting, value: Scalar, kind: str) -> Finding | None:
    text = value.strip().lower() if isinstance(value, str) else ""
    if text in _TRUE or text in _FALSE:
        repair = rewritten(setting, text in _TRUE, _AS_MEANT, safe=text in _TRUE)
        if kind == "switch" and text in _FALSE:
            what = _COUNTS_AS_TRUE.fill(key=setting.origin.key, value=value)
            return _finding(OTHERWISE, setting, {"what": what}, repair)
        return _finding(QUOTED, setting, {}, repair)
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    word = setting.origin.syntax == "json" and text not in _NOTHING and not switch_meant(text)
    if (word and not number) or (kind == "converted-switch" and number and value not in (0, 1)):
        return _finding(IMPOSSIBLE, setting, {"allowed": _A_SWITCH})
    return None


def _read(text: str) -> int | float:
    number = float(text)
    whole = number.is_integer() and abs(number) < 1e15
    return int(number) if whole and "e-" not in text.lower() else number


def _finding(
    name: str, setting: Setting, values: Mapping[str, object], repair: Repair | None = None
) -> Finding:
    origin, shown = setting.origin, setting.value
    if isinstance(shown, bool):
        shown = str(shown).lower()
    elif isinstance(shown, str):
        shown = f'"{shown}"'
    of_engine = origin.framework in ("deepspeed", "gpt-neox", "")
    then = _DEEPSPEED if of_engine else _READER.fill(reader=origin.framework)
    told = {"key": origin.key, "value": shown, "then": then, **values}
    return fault(name, setting, shown, told, repair)


PROBE = Probe(
    name="config-types",
    title=Text("types of the values", "配置值的类型"),
    tells=(IMPOSSIBLE, OTHERWISE, QUOTED),
    run=run,
    needs=(RunConfig,),
    seconds=0.01,
    limit_seconds=5,
)
