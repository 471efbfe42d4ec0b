"""From suspect flags to findings: what to say, where, and the exact repair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from medic.i18n import Text
from medic.i18n import plain as same_text
from medic.probe import Finding
from medic.run_config import Change

from .launchers import LAUNCHER_OPTIONS
from .match import boolean
from .places import Places
from .spelling import negated, plain
from .suspects import Suspect, as_unknown

if TYPE_CHECKING:
    from .meaning import Nearest

MAX_LISTED = 8

STOPS = Text(
    "the parser exits with code 2 before training starts", "解析器以退出码 2 结束，训练不会开始"
)
IGNORED = Text(
    "the script drops unknown flags without a word (parse_known_args): it trains with the default",
    "脚本用 parse_known_args 丢弃未知选项且不提示：训练会按默认值进行",
)
VALUE_IGNORED = Text(
    "the script drops the value without a word (parse_known_args); the switch is on all the same",
    "脚本用 parse_known_args 丢弃该取值且不提示：无论取值如何，开关都被打开",
)
LEFT_OUT = {
    True: Text("nothing: leave it out, it is on by default", "删去该选项（默认已开启）"),
    False: Text("nothing: leave it out, it is off by default", "删去该选项（默认为关闭）"),
}
_RENAME = Text("the parser knows {new}, not {old}", "解析器只认识 {new}，不认识 {old}")
_DROP = Text("a switch takes no value", "开关型选项不接受取值")


def misspelt(found: Sequence[Suspect], nearest: Nearest, places: Places) -> Finding:
    """One finding for all unknown flags; the first leads."""
    first = found[0]
    answers = [_answer(s, nearest) for s in found]
    exists = _exists(first, nearest)
    value = {
        **_common(first, places),
        "meant": answers[0] or _instead(first, exists),
        "exists": exists,
        "flags": tuple(s.flag for s in found),
        "meanings": tuple(f"{s.flag} -> {a or '?'}" for s, a in zip(found, answers, strict=True)),
        "consequence": IGNORED if first.spec.ignores_unknown else STOPS,
    }
    changes = tuple(c for s, a in zip(found, answers, strict=True) for c in _renamed(s, a))
    return Finding(
        "misspelt-flag", "fires", value, places.source(first), places.more(found), changes
    )


def _answer(suspect: Suspect, nearest: Nearest) -> str:
    if suspect.switch is not None:
        return ""  # its opposite exists: there is nothing to write
    if suspect.hint:
        return suspect.hint
    from .meaning import meant  # its tables are large, and few flags are unknown

    return meant(as_unknown(suspect), suspect.spec, suspect.used, nearest)


def _renamed(suspect: Suspect, new: str) -> list[Change]:
    if new:
        why = _RENAME.fill(old=suspect.flag, new=new)
        return [Change(f"flag:{suspect.flag}", suspect.flag, new, why)]
    if suspect.switch is not None:
        return [Change(f"flag:{suspect.flag}", suspect.flag, None, _DROP)]
    return []


def with_value(found: Sequence[Suspect], places: Places) -> Finding:
    """One finding for all switches that were given a value; the first leads."""
    first = found[0]
    changes = [change for s in found for change in _repair(s)]
    value = {
        **_common(first, places),
        "value": first.value or "",
        "correct": _correct(first),
        "flags": tuple(s.flag for s in found),
        "consequence": VALUE_IGNORED if first.spec.ignores_unknown else STOPS,
    }
    return Finding(
        "boolean-flag-with-value",
        "fires",
        value,
        places.source(first),
        places.more(found),
        tuple(changes),
    )


def _common(first: Suspect, places: Places) -> dict[str, object]:
    script = first.spec.script or Text("the script", "脚本")
    return {"flag": first.flag, "script": script, "where": places.where(first)}


def _instead(suspect: Suspect, exists: Text | str) -> Text:
    """What to write where no option has a similar name."""
    launcher, script = suspect.launcher, suspect.spec.script
    if suspect.switch is not None:
        return LEFT_OUT[not negated(suspect.flag)]
    if plain(suspect.flag) in LAUNCHER_OPTIONS.get(launcher, ()):
        return Text(
            f"{suspect.flag} before {script}, as an option of {launcher},",
            f"写在 {script} 之前的 {launcher} 选项 {suspect.flag}",
        )
    if not exists:
        return Text("another option", "其他选项")
    return Text("one of its options ({exists})", "已有选项之一（{exists}）").fill(exists=exists)


def _correct(suspect: Suspect) -> Text | str:
    """How the switch is written so that it says what its value was to say."""
    switch, on = suspect.switch, boolean(suspect.value or "")
    if switch is None or on is None:
        return suspect.flag
    if suspect.flag not in switch.names:
        # Only the opposite exists: to say the opposite it is written, else nothing is.
        return LEFT_OUT[not negated(suspect.flag)] if on else switch.names[0]
    if on:
        return suspect.flag
    opposite = _opposite(suspect)
    return opposite or LEFT_OUT[negated(suspect.flag)]


def _opposite(suspect: Suspect) -> str:
    switch = suspect.switch
    if switch is None:
        return ""
    if not negated(suspect.flag):
        return switch.negative
    base = suspect.flag.split("-no-", 1)[-1].split("-no_", 1)[-1]
    names = {n for o in suspect.spec.options for n in o.names}
    return next((n for n in names if n.startswith("--") and plain(n) == plain(base)), "")


def _repair(suspect: Suspect) -> list[Change]:
    """The value goes; where the correct form is another flag, it takes the place of both."""
    if boolean(suspect.value or "") is None:
        return []
    correct = _correct(suspect)
    new = correct if isinstance(correct, str) and correct != suspect.flag else None
    changes = [Change(f"flag-value:{suspect.flag}", suspect.value, new, _DROP)]
    if isinstance(correct, Text):
        changes.append(Change(f"flag:{suspect.flag}", suspect.flag, None, _DROP))
    return changes


def _exists(suspect: Suspect, nearest: Nearest) -> Text | str:
    """The options that there are, those that read alike first."""
    names = [o.names[0] for o in suspect.spec.options if o.names[0].startswith("--")]
    near = nearest(suspect.flag, names, MAX_LISTED)
    listed = [*near, *(n for n in names if n not in near)][:MAX_LISTED]
    more = len(names) - len(listed)
    if not listed:
        return ""
    text = ", ".join(listed)
    return (
        Text(f"{text} and {more} more", f"{text} 等 {len(names)} 个") if more else same_text(text)
    )
