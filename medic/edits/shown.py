"""Edits in the words of the user's own files: the key as written, the old text, the new one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

from medic.run_config import Change, Edit, Origin, RunConfig, Span

# (key as written, what stands there, what is written). Without a key it is a repaired flag, or an
# added line, where nothing stood.
Shown = tuple[str, str, str]
Read = Callable[[str], bytes]
# What joins an edit to its neighbours, and says nothing of what it changes.
_JOINS = " \t\r\n,\\"


def shown(
    changes: Sequence[Change], edits: Sequence[Edit], config: RunConfig, read: Read
) -> tuple[Shown, ...]:
    """One entry a place that is rewritten, equal ones once. A flag's repair names the flags.

    Raises OSError if a file cannot be read.
    """
    once = lru_cache(maxsize=None)(read)
    keys = _keys(changes, config)
    found: list[Shown] = [_flag(c) for c in changes if c.field.startswith("flag")]
    for edit in edits if not found else ():
        place = next((s for s in keys if _within(edit, s)), None)
        if place is None:
            old = once(edit.file)[edit.start : edit.end].decode("utf-8", "replace")
            found.append(("", *_told(old, edit.text)))
            continue
        if edit.start == edit.end == place.end and edit.text.strip(_JOINS):
            found.append(("", "", edit.text.strip(_JOINS)))  # behind a value that stays
            continue
        data = once(place.file)
        text = edit.text.encode()
        new = data[place.start : edit.start] + text + data[edit.end : place.end]
        old = data[place.start : place.end].decode("utf-8", "replace")
        found.append((keys[place], old, new.decode("utf-8", "replace")))
    return tuple(dict.fromkeys(found))


def _told(old: str, new: str) -> tuple[str, str]:
    """Both texts without what joins them to their neighbours; in quotes where only that changes."""
    texts = (old.strip(_JOINS), new.strip(_JOINS))
    if texts[0] != texts[1] or not texts[0]:
        return texts
    return _quoted(old), _quoted(new)


def _quoted(text: str) -> str:
    for sign, name in (("\\", "\\\\"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
        text = text.replace(sign, name)
    return f'"{text}"'


def _flag(change: Change) -> Shown:
    new = "" if change.new is None else str(change.new)
    return "", str(change.old), new


def _keys(changes: Sequence[Change], config: RunConfig) -> Mapping[Span, str]:
    return dict(_places(changes, config))


def _places(changes: Sequence[Change], config: RunConfig) -> Iterator[tuple[Span, str]]:
    for setting in config.settings:
        if setting.origin.span is not None:
            yield setting.origin.span, _key(setting.origin)
    for change in changes:
        value = config.values.get(change.field)
        for origin in value.carriers() if value is not None else ():
            if origin.span is not None:
                yield origin.span, _key(origin)


def _key(origin: Origin) -> str:
    """The key as written, with its group where it says nothing alone: ``fp16.enabled``."""
    alone = origin.key.lower() == "enabled"
    return ".".join(origin.path[-2:]) if alone and len(origin.path) > 1 else origin.key


def _within(edit: Edit, span: Span) -> bool:
    return edit.file == span.file and span.start <= edit.start and edit.end <= span.end
