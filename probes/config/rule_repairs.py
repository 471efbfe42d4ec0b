"""The repair of what a framework's rule finds, in the words of the user's file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from medic.facts import Added, Removed, Renamed, Repair, Rewritten
from medic.facts.repairs import Step
from medic.i18n import Text
from medic.records import replace
from medic.run_config import FIELDS, Change, Origin, RunConfig, Scalar, Setting, Span

from ..flags.distance import NEAREST, nearest_value
from .carriers import same
from .keys import Condition, Plain, Rule, RuleFix, parts_of
from .values import PRECISION_NAMES

RENAMED = Text("the same setting under its present name", "同一设置，改用现名")
RENAMED_UNSURE = Text(
    "its present name; check that the value means the same", "改用现名；请确认取值含义不变"
)
NEWER = Text(
    "its name in the releases named; others stop at it: check which one is installed",
    "所述版本中的名称；其他版本遇到它会报错：请先确认安装的版本",
)
KEPT = Text("the run stays as it is", "训练行为不变")
NEEDED = Text("what the option needs; check that you want it", "该选项所需的设置；请确认需要它")
CHOICE = Text("check that this is the side you want", "请确认要保留的是这一侧")
CALLED = Text("what it is called here", "此处的写法")

# Of these checks a setting that is added is what another one lacks.
_LACKS = ("option-needs-another-option", "option-without-effect", "option-reads-otherwise")


class _NoRepairError(Exception):
    """The files do not let the repair be written."""


def repair_of(
    rule: Rule, config: RunConfig, framework: str, at: tuple[str, Origin] | None
) -> Repair | None:
    """The repair that the rule states, else the nearest of the values that it accepts.

    ``at`` is the key of ``where`` that the finding points at, and its place.
    """
    if at is None or at[1].span is None:
        return None
    if rule.fix is None:
        return _nearest(rule, config, framework)
    try:
        steps, changes = _stated(rule.fix, config, framework, at)
    except _NoRepairError:
        return _nearest(rule, config, framework) if rule.fix.words else None
    if not steps and not changes:
        return None
    return Repair(tuple(steps), rule.fix.safe, _why(rule, rule.fix), tuple(changes))


def _why(rule: Rule, fix: RuleFix) -> Text:
    if fix.rename:
        return RENAMED if fix.safe else RENAMED_UNSURE
    if fix.words:
        return CALLED
    if fix.safe:
        return KEPT
    return NEEDED if fix.set and rule.cause in _LACKS else CHOICE


def _stated(
    fix: RuleFix, config: RunConfig, framework: str, at: tuple[str, Origin]
) -> tuple[list[Step], list[Change]]:
    steps: list[Step] = []
    changes: list[Change] = []
    for old, new in fix.rename.items():
        found = _setting(old, config, framework)
        value = _called(found, fix.words[old]) if old in fix.words else None
        twin = config.setting(new, framework)
        if twin is None:
            steps += _renamed(found, old, new, value, config)
        elif twin.value is not None and same(twin.value, found.value if value is None else value):
            steps.append(Removed(_place(found), found.origin.syntax, old))
        else:
            raise _NoRepairError
    for key, words in fix.words.items():
        if key not in fix.rename:
            found = _setting(key, config, framework)
            value = _called(found, words)
            steps.append(Rewritten(_place(found), found.origin.syntax, key, value))
    for key in fix.remove:
        if config.setting(key, framework) is not None:
            found = _setting(key, config, framework)
            steps.append(Removed(_place(found), found.origin.syntax, key))
    for key, value in fix.set.items():
        step = _set(key, value, config, framework, at)
        if isinstance(step, Change):
            changes.append(step)
        elif step is not None:
            steps.append(step)
    return steps, changes


def _setting(key: str, config: RunConfig, framework: str) -> Setting:
    """The setting of a key where it is written itself, not as a reference to another key."""
    found = config.setting(key, framework)
    if found is None or found.origin.span is None or parts_of(found.origin.path) != found.path:
        raise _NoRepairError
    return found


def _place(setting: Setting) -> Span:
    if setting.origin.span is None:
        raise _NoRepairError
    return setting.origin.span


def _renamed(
    setting: Setting, old: str, new: str, value: Scalar, config: RunConfig
) -> Iterator[Step]:
    """The new name in place, or the value (``value`` if it has another word there) elsewhere."""
    origin, before, after = setting.origin, parts_of([old]), parts_of([new])
    place, name = _place(setting), new.rsplit(".", maxsplit=1)[-1]
    if len(after) == 1 == len(before) or before[:-1] == after[:-1]:
        yield Renamed(place, origin.syntax, old, name, value)
        return
    moved = setting.value if value is None else value
    if moved is None or origin.syntax == "shell":
        raise _NoRepairError
    yield Removed(place, origin.syntax, old)
    yield Added(replace(origin, path=()), _beside((old, origin), new, config), moved)


def _called(setting: Setting, words: Mapping[str, Plain]) -> Plain:
    """What the written value is called now."""
    known = {word.lower(): meant for word, meant in words.items()}
    meant = known.get(str(setting.value).lower())
    if meant is None:
        raise _NoRepairError
    return meant


def _set(
    key: str, value: Scalar, config: RunConfig, framework: str, at: tuple[str, Origin]
) -> Step | Change | None:
    if config.setting(key, framework) is not None:
        found = _setting(key, config, framework)
        if found.value is not None and same(found.value, value):
            return None
        return Rewritten(_place(found), found.origin.syntax, key, value)
    origin = config.origin(key) if key in FIELDS else None
    if origin is not None and origin.span is not None:
        return Change(key, config.get(key), value, Text("", ""))
    return Added(at[1], _beside(at, key, config), value)


# --- a key that is not there yet ------------------------------------------------------------


def _beside(at: tuple[str, Origin], key: str, config: RunConfig) -> tuple[str, ...]:
    """The path of a key seen from another one of the same rule."""
    known, origin = at
    own = parts_of([known])
    steps = tuple(key.split("."))
    dashed = _dashed(config, origin)
    if origin.syntax == "shell":
        if len(steps) > 1 and len(own) == 1:
            raise _NoRepairError
        return (_as_flag(origin, own, steps, dashed=dashed),)
    path = origin.path
    if dashed:  # a file of flags
        signs = path[-1][: len(path[-1]) - len(path[-1].lstrip("-"))]
        steps = (*steps[:-1], signs + steps[-1].replace("_", "-"))
    named = parts_of(path)[-len(own) :] == own and len(parts_of(path)) == len(path)
    if named:
        return (*path[: len(path) - len(own)], *steps)
    return steps if len(steps) > 1 else (*path[:-1], *steps)


def _dashed(config: RunConfig, origin: Origin) -> bool:
    """Whether names are written with dashes: this one, else most of those of its framework."""
    own = _word(origin)
    if "-" in own or "_" in own:
        return "-" in own and "_" not in own
    beside = [
        _word(s.origin)
        for s in config.settings
        if (s.origin.syntax, s.origin.framework) == (origin.syntax, origin.framework)
    ]
    return sum("-" in word for word in beside) > sum("_" in word for word in beside)


def _word(origin: Origin) -> str:
    return origin.key.lstrip("-").rsplit(".", maxsplit=1)[-1]


def _as_flag(origin: Origin, own: Sequence[str], steps: Sequence[str], *, dashed: bool) -> str:
    """The flag as the known one is written: its dashes in front, its groups, its signs."""
    written = origin.key
    front = written[: len(written) - len(written.lstrip("-"))]
    groups = written.lstrip("-").split(".")
    above = groups[: len(groups) - len(own)] if len(groups) >= len(own) else []
    name = ".".join((*above, *steps))
    return front + (name.replace("_", "-") if dashed else name)


# --- the nearest word -----------------------------------------------------------------------


def _nearest(rule: Rule, config: RunConfig, framework: str) -> Repair | None:
    """For a rule that lists what a key accepts: the one accepted word that is meant for sure."""
    for key, wanted in rule.where.items():
        accepted = _accepted(wanted)
        if not accepted or config.setting(key, framework) is None:
            continue
        try:
            found = _setting(key, config, framework)
        except _NoRepairError:
            return None
        meant = nearest_value(found.value, accepted, PRECISION_NAMES)
        if meant is None:
            return None
        step = Rewritten(_place(found), found.origin.syntax, key, meant)
        return Repair((step,), safe=False, why=NEAREST)
    return None


def _accepted(wanted: Plain | Sequence[Plain] | Condition) -> list[str]:
    if wanted is None or isinstance(wanted, (str, int, float, bool, Sequence)):
        return []
    return [one for one in wanted.unlike if isinstance(one, str) and one]
