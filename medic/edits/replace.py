"""Edits of a value where it stands."""

from __future__ import annotations

from collections.abc import Sequence

from medic.edits.keys import KeyTable, pattern, to_written
from medic.edits.places import Place, spelt_like
from medic.edits.scalars import render
from medic.edits.sources import Sources
from medic.edits.trees import (
    command_of,
    flag_of,
    flags_of_literal,
    has_span,
    item_at,
    node_at,
)
from medic.entries import Key
from medic.errors import EditRefused
from medic.facts import Document
from medic.run_config import Change, Origin, Scalar, Span

# What is computed in when every switch for a lower precision is off.
_PLAIN_PRECISION = ("precision", "fp32")


def replace_value(change: Change, origin: Origin, table: KeyTable, sources: Sources) -> None:
    """Writes the new value at one carrier. Raises EditRefused."""
    span = origin.span
    if span is None:
        raise EditRefused("its place is not known", "位置未知")
    document = sources.open(span.file, origin.syntax)
    raw = sources.raw(span)
    if not has_span(document, span):
        raise EditRefused("the file changed since it was read", "文件在读取之后被改动")
    key = table.key_of(origin, change.field)
    if key is not None and key.true_means is not None:
        _switch(change, origin, span, key, table, sources)
        return
    written = to_written(change.field, change.new, key, origin.factor, raw)
    if origin.syntax == "shell" and raw.startswith("-") and isinstance(written, bool):
        raise EditRefused("a flag without a value", "该选项没有取值")
    if "$" in raw and origin.syntax == "shell":
        raise EditRefused(f"computed by the shell: {raw}", f"由 shell 计算得到：{raw}")
    if origin.syntax == "shell" and len(flags_of_literal(document, span)) > 1:
        from medic.edits.switches import SHARED

        raise EditRefused(*SHARED)
    if isinstance(change.old, str) and isinstance(change.new, (int, float)):
        raw = raw.strip("'\"")  # a number that was read as text loses its quotes
    _write(span, origin.path, written, raw, origin, sources)


def _write(
    span: Span,
    path: tuple[str, ...],
    written: Scalar,
    raw: str,
    origin: Origin,
    sources: Sources,
) -> None:
    text = render(written, raw, origin.syntax)
    if text != sources.raw(span):
        sources.add(span.file, span.start, span.end, text)
    sources.expect(span.file, path, written)


# --- switches: one key a value (fp16, bf16) -------------------------------------------------


def _switch(
    change: Change, origin: Origin, span: Span, key: Key, table: KeyTable, sources: Sources
) -> None:
    """Turns this switch on, or off and another one on."""
    on = change.new == key.true_means
    others = [k for k in table.switches(origin, change.field) if k.true_means == change.new]
    document = sources.open(span.file, origin.syntax)
    if origin.syntax == "shell":
        _switch_flag(on, origin, span, others, document, sources)
        return
    raw = sources.raw(span)
    off = change.new == key.false_means or (change.field, change.new) == _PLAIN_PRECISION
    if on or off:
        _write(span, origin.path, on, raw, origin, sources)
        return
    if not others:
        raise EditRefused(
            f"the word for {change.new} is not known here", f"不知道此处用哪个词表示 {change.new}"
        )
    from medic.edits.insert import insert, put_value

    path = _other_path(origin, others[0])
    beside = node_at(document.root, path)
    if beside is not None:
        _write(span, origin.path, False, raw, origin, sources)
        put_value(beside, path, True, origin.syntax, sources)
    elif path[:-1] == origin.path[:-1]:
        _rename_key(document, origin, path, raw, sources)
    else:
        _write(span, origin.path, False, raw, origin, sources)
        insert(Place(span.file, path, origin.syntax, origin, others[0]), True, table, sources)


def _other_path(origin: Origin, other: Key) -> tuple[str, ...]:
    """Where the other switch stands, seen from this one."""
    free, steps = pattern(other)
    own = tuple(other.key.removeprefix("**.").split("."))
    return (*origin.path[: len(origin.path) - len(steps)], *own) if free else own


def _rename_key(
    document: Document, origin: Origin, path: tuple[str, ...], raw: str, sources: Sources
) -> None:
    """``fp16: true`` becomes ``bf16: true``."""
    found = item_at(document.root, origin.path)
    if found is None or origin.span is None:
        raise EditRefused("the file changed since it was read", "文件在读取之后被改动")
    place = found[0].span
    sources.add(place.file, place.start, place.end, render_key(path[-1], sources.raw(place)))
    sources.expect_gone(place.file, origin.path)
    _write(origin.span, path, True, raw, origin, sources)


def render_key(name: str, raw: str) -> str:
    quote = raw[:1] if raw[:1] in ("'", '"') else ""
    return f"{quote}{name}{quote}"


def _switch_flag(
    on: bool,
    origin: Origin,
    span: Span,
    others: Sequence[Key],
    document: Document,
    sources: Sources,
) -> None:
    """``--fp16`` becomes ``--bf16``; a value that says true stays."""
    found = command_of(document, span)
    flag = flag_of(*found) if found else None
    if flag is None or not flag[0].raw.startswith(flag[1]):
        raise EditRefused("the flag comes from a variable", "该选项来自变量")
    if on:
        if not sources.raw(span).startswith("-"):
            _write(span, origin.path, True, sources.raw(span), origin, sources)
        return
    if not others:
        raise EditRefused("no flag says so; leave it out by hand", "没有对应的选项，请手工删去")
    word, name = flag
    new = spelt_like(name, others[0].key.removeprefix("**."), dashes="-" in name.lstrip("-"))
    start = word.span.start
    sources.add(span.file, start, start + len(name.encode()), new)
