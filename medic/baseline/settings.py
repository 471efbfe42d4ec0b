"""Settings that differ: canonical fields, keys as they are written, and flags of the command."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from medic.facts import Difference, Launches, Source, Word
from medic.facts.since_good import Kind
from medic.run_config import FIELDS, Origin, RunConfig, Setting, Value
from medic.text.patterns import regex
from medic.text.safetext import one_line

MAX_SETTINGS = 24
# Every run has its own: no difference worth a line.
_OWN = frozenset({"output_dir", "master_port"})
_OWN_SETTING = regex(
    r"(?:run|exp|experiment|job|project|wandb|log|logging|output|save|report|seed_dir|tensorboard|"
    r"checkpoint)s?_?(?:name|id|dir|path|group|to|entity|project)?$|^master_(?:addr|port)$|"
    r"^rdzv|^node_rank$|^hostfile$|^timestamp$|^date$"
)
_OWN_VARIABLE = regex(
    r"^(?:SLURM|PBS|LSB|WANDB|MLFLOW|COMET)_|_(?:PORT|ADDR|DIR|HOME|KEY|TOKEN)$|PATH$|^(?:PWD|USER|TMPDIR)$"
)
_DATA = regex(
    r"(?:^|_)(?:data|dataset|datasets|corpus|train_files?|train_data|valid_data|shards|blend|"
    r"tokenizer)(?:_(?:path|paths|dir|file|files|name|config|prefix|blend|split|root))?s?$|"
    r"^(?:train|valid|validation|test|eval)_(?:file|files|data|path)s?$"
)


def tells(config: RunConfig) -> bool:
    return bool(config.values or config.settings)


# --- configuration and data -------------------------------------------------------------------


def configs(now: RunConfig | None, good: RunConfig | None) -> Iterator[Difference]:
    if now is None or good is None or not tells(now) or not tells(good):
        return
    told: set[tuple[str, int]] = set()
    for name in FIELDS:
        one, other = now.values.get(name), good.values.get(name)
        told |= _places(one) | _places(other)
        if name not in _OWN and _differ(one, other, now, good):
            yield _of_values(name, one, other)
    yield from _settings(now, good, told)


def _places(value: Value | None) -> set[tuple[str, int]]:
    """Where a canonical value is written: its setting is not told a second time."""
    spans = [o.span for o in value.carriers()] if value is not None else []
    return {(s.file, s.start) for s in spans if s is not None}


def _differ(one: Value | None, other: Value | None, now: RunConfig, good: RunConfig) -> bool:
    """A value that one run states and the other states otherwise, or leaves unsaid in a
    configuration of the same framework. Derived values follow from stated ones."""
    stated = [
        v for v in (one, other) if v is not None and v.origin.source in ("file", "given", "printed")
    ]
    if not stated:
        return False
    if one is not None and other is not None:
        return not _same(one.value, other.value)
    return now.framework == good.framework


def _same(one: object, other: object) -> bool:
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return math.isclose(float(one), float(other), rel_tol=1e-9)
    return str(one) == str(other)


def _of_values(name: str, one: Value | None, other: Value | None) -> Difference:
    return Difference(
        "config",
        name,
        "" if one is None else one_line(str(one.value), 80),
        "" if other is None else one_line(str(other.value), 80),
        _at(one.origin) if one else Source(),
        _at(other.origin) if other else Source(),
    )


def _at(origin: Origin) -> Source:
    if origin.span is None:
        return Source(text=origin.note or origin.source)
    return Source(file=origin.span.file, line=origin.span.line)


def _settings(now: RunConfig, good: RunConfig, told: set[tuple[str, int]]) -> Iterator[Difference]:
    """Keys and flags as they are written, where both runs write in the same syntaxes."""
    ours, theirs = _by_path(now.settings), _by_path(good.settings)
    syntaxes = {s.origin.syntax for s in ours.values()} & {s.origin.syntax for s in theirs.values()}
    found = []
    for path in [*ours, *(p for p in theirs if p not in ours)]:
        one, other = ours.get(path), theirs.get(path)
        kinds = {s.origin.syntax for s in (one, other) if s is not None}
        values = [s.value if s else None for s in (one, other)]
        hidden = any(_place(s) in told for s in (one, other) if s is not None)
        if hidden or not kinds <= syntaxes or _same(*values) or _OWN_SETTING.search(path[-1]):
            continue
        found.append(_of_settings(path, one, other))
    yield from sorted(found, key=lambda d: d.kind != "data")[:MAX_SETTINGS]


def _by_path(settings: Iterable[Setting]) -> dict[tuple[str, ...], Setting]:
    found: dict[tuple[str, ...], Setting] = {}
    for setting in settings:
        if setting.path:
            found.setdefault(setting.path, setting)
    return found


def _place(setting: Setting) -> tuple[str, int] | None:
    span = setting.origin.span
    return (span.file, span.start) if span else None


def _of_settings(path: tuple[str, ...], one: Setting | None, other: Setting | None) -> Difference:
    shell = any(s.origin.syntax == "shell" for s in (one, other) if s is not None)
    return Difference(
        "data" if _DATA.search(path[-1]) else "config",
        ("--" if shell and len(path) == 1 else "") + one_line(".".join(path), 60),
        _shown(one),
        _shown(other),
        _at(one.origin) if one else Source(),
        _at(other.origin) if other else Source(),
    )


def _shown(setting: Setting | None) -> str:
    """The value as it is written; the number of a flag without ``written`` stood in digits."""
    if setting is None or setting.value is None:
        return ""
    digits = setting.origin.syntax == "shell" and isinstance(setting.value, float)
    text = f"{setting.value:.0f}" if digits else str(setting.value)
    return one_line(setting.written or text, 80)


# --- flags of the command ---------------------------------------------------------------------


def flags(
    now: Launches | None, good: Launches | None, ours: RunConfig | None, theirs: RunConfig | None
) -> Iterator[Difference]:
    """Flags of the training script that are no setting of a known framework, where both runs have
    a command."""
    one, other = _flags(now), _flags(good)
    if not one or not other:
        return
    told = {s.path[-1] for c in (ours, theirs) if c for s in c.settings if s.path}
    for name in [*one, *(n for n in other if n not in one)]:
        known = name in told or _OWN_SETTING.search(name) or name in _OWN
        (here, value), (there, before) = (d.get(name, (None, None)) for d in (one, other))
        if not known and not _same(value, before):
            kind: Kind = "data" if _DATA.search(name) else "config"
            shown = one_line(value or "", 80), one_line(before or "", 80)
            yield Difference(kind, f"--{name}", *shown, _of_word(here), _of_word(there))


def variables(now: Launches | None, good: Launches | None) -> Iterator[Difference]:
    """Variables that a script sets for its first command, at the place of the command; of two runs
    that both have one."""
    if now is None or good is None or not now.launches or not good.launches:
        return
    one, other = now.launches[0], good.launches[0]
    for name in sorted({*one.environment, *other.environment}):
        here, there = one.environment.get(name), other.environment.get(name)
        if here == there or _OWN_VARIABLE.search(name) or _OWN_SETTING.search(name.lower()):
            continue
        places = (Source(file=c.span.file, line=c.span.line) for c in (one, other))
        yield Difference(
            "config", name, one_line(here or "", 80), one_line(there or "", 80), *places
        )


def _of_word(word: Word | None) -> Source:
    return Source(file=word.span.file, line=word.span.line) if word else Source()


def _flags(found: Launches | None) -> dict[str, tuple[Word | None, str | None]]:
    """Name -> (its word, value; "set" for a flag without one) of the first command's arguments."""
    launches = found.launches if found is not None else ()
    words = launches[0].arguments if launches else ()
    flags: dict[str, tuple[Word | None, str | None]] = {}
    for number, word in enumerate(words):
        text = word.value or ""
        if text.startswith("--") and len(text) > 2:
            name, sign, value = text[2:].partition("=")
            after = words[number + 1].value if number + 1 < len(words) else None
            bare = after is None or after.startswith("--")
            shown = value if sign else ("set" if bare else after)
            flags[name.lower().replace("-", "_")] = (word, shown)
    return flags
