"""The probe of blocks that go to one function as they are: it takes no key but its own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from medic.facts import Renamed, Repair
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip
from medic.records import replace
from medic.run_config import RunConfig, Setting

from ..flags.distance import NEAREST
from ..flags.key_names import AT_TOP, lost_word, nearest_name
from .keys import Framework, parts_of
from .setting_faults import fault
from .several import of_each
from .value_kinds import MORE

MISSPELT = "misspelt-config-key"
# What stands before the name of each key, and may be left out (transformers training_args.py).
_PREFIX = {"fsdp_config": "fsdp_"}
_IF, _MAX_SHOWN = " if ", 10
_NEAR = Text("{block} takes no {key}; {meant} is meant", "{block} 没有 {key} 这个键，应为 {meant}")
_TAKES = Text("{block} takes no {key}; it takes {taken}", "{block} 不接受 {key}，可选 {taken}")
_GIVEN = Text(
    "{kind} has no {key} in its {block}; it takes {taken}",
    "{kind} 的 {block} 不接受 {key}，可选 {taken}",
)


def run(look: Look) -> Iterator[Finding | Skip]:
    entries: Mapping[str, Framework] = {f.name: f for f in look.frameworks}
    yield from of_each(look.fact(RunConfig), lambda config: _judged(config, entries))


def _judged(config: RunConfig, entries: Mapping[str, Framework]) -> Iterator[Finding]:
    for setting in config.settings:
        own = entries.get(setting.origin.framework)
        if own is None or setting.origin.span is None:
            continue
        readers = [own, *(entries[name] for name in own.builds_on if name in entries)]
        for block, kind, taken in (b for r in readers for b in _blocks(r, setting, config)):
            for inner in _keys(setting, block):
                found = _fault(inner, block[-1], kind, taken)
                told = found is not None and _told_elsewhere(inner, own, found[1])
                if found is not None and not told:
                    yield _finding(inner, *found)
                    break


def _blocks(
    entry: Framework, setting: Setting, config: RunConfig
) -> Iterator[tuple[tuple[str, ...], str, Sequence[str]]]:
    """(path of the block, the word that decides what it takes or "", what it takes)."""
    for text, taken in entry.takes.items():
        name, _, condition = text.partition(_IF)
        steps = parts_of([name])
        within = setting.path[:-1][-len(steps) :] == steps
        if not within and not (setting.path[-len(steps) :] == steps and _is_json(setting)):
            continue
        key, _, words = condition.partition("=")
        stated = config.setting(key) if key else None
        kind = str(stated.value) if stated is not None else ""
        if not key or kind.lower() in words.lower().split("|"):
            yield steps, kind if key else "", taken


def _is_json(setting: Setting) -> bool:
    return isinstance(setting.value, str) and setting.value.startswith("{")


def _keys(setting: Setting, block: tuple[str, ...]) -> list[Setting]:
    """The setting itself, or those that a flag holds as JSON."""
    if setting.path[-1] != block[-1]:
        return [setting]
    try:
        held = json.loads(str(setting.value))
    except (ValueError, RecursionError):
        return []
    names = held if isinstance(held, dict) else {}
    return [replace(setting, path=(*setting.path, str(name).lower())) for name in names]


def _fault(
    setting: Setting, block: str, kind: str, taken: Sequence[str]
) -> tuple[Text, str] | None:
    """(what is wrong with a key, the name that is meant or "")."""
    prefix = _PREFIX.get(block, "")
    name = setting.path[-1].removeprefix(prefix)
    words = [word for word in taken if word != MORE]
    if name in words or not name.isidentifier():
        return None
    shown = {"block": block, "key": setting.path[-1], "kind": kind}
    meant = nearest_name(name, words) or lost_word(name, words)
    if meant:
        whole = prefix + meant if setting.path[-1].startswith(prefix) else meant
        return _NEAR.fill({**shown, "meant": whole}), whole
    if MORE in taken:
        return None
    listed = ", ".join([*words[:_MAX_SHOWN], *([MORE] if len(words) > _MAX_SHOWN else [])])
    what = _GIVEN if kind else _TAKES
    return what.fill({**shown, "taken": listed}), ""


def _told_elsewhere(setting: Setting, own: Framework, meant: str) -> bool:
    """Whether the keys of the block are compared with the framework's own (flags/lint_keys.py)."""
    flat = own.keys_stand == AT_TOP or _is_json(setting)
    return bool(meant) and not flat


def _finding(setting: Setting, what: Text, meant: str) -> Finding:
    origin, repair = setting.origin, None
    if meant and origin.key_span is not None and not _is_json(setting):
        step = Renamed(origin.key_span, origin.syntax, setting.path[-1], meant)
        repair = Repair((step,), safe=False, why=NEAREST)
    return fault(MISSPELT, setting, setting.value, {"what": what}, repair)


PROBE = Probe(
    name="closed-blocks",
    title=Text("blocks that one function takes", "整块传给函数的配置"),
    tells=(MISSPELT,),
    run=run,
    needs=(RunConfig,),
    seconds=0.01,
    limit_seconds=5,
)
