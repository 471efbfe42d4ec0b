"""Edits of exact repairs: a key or flag renamed, rewritten, added or taken out."""

from __future__ import annotations

from collections.abc import Sequence

from medic.edits.cuts import cut
from medic.edits.insert import insert, put_value
from medic.edits.keys import KeyTable, steps_of
from medic.edits.places import Place
from medic.edits.sources import Sources
from medic.edits.switches import FlagAt, flag_at, remove_flag, rewrite_flag
from medic.edits.trees import Item, item_of, name_of
from medic.errors import EditRefused
from medic.facts import Added, Document, Dropped, Removed, Renamed, Respelt, Rewritten
from medic.facts.repairs import Step
from medic.i18n import Text

_CHANGED = ("the file changed since it was read", "文件在读取之后被改动")


def repair_edits(steps: Sequence[Step], table: KeyTable, sources: Sources) -> list[Text]:
    """Adds the edits of all steps to ``sources``; what it returns refuses them."""
    answers = [_try(step, table, sources) for step in steps]
    return [answer for answer in answers if answer is not None]


def _try(step: Step, table: KeyTable, sources: Sources) -> Text | None:
    try:
        _step(step, table, sources)
    except EditRefused as problem:
        return Text(f"{_where(step)}: {problem.en}", f"{_where(step)}：{problem.zh}")
    return None


def _where(step: Step) -> str:
    if isinstance(step, Added):
        return step.beside.where()
    if isinstance(step, Respelt):
        return step.edits[0].file
    return f"{step.place.file}:{step.place.line}"


def _step(step: Step, table: KeyTable, sources: Sources) -> None:
    if isinstance(step, Respelt):
        _respell(step, sources)
    elif isinstance(step, Added):
        _add(step, table, sources)
    elif isinstance(step, Dropped):
        _drop(step, sources)
    elif step.syntax == "shell":
        _flag(step, sources)
    else:
        _key(step, sources)


def _respell(step: Respelt, sources: Sources) -> None:
    for edit in step.edits:
        sources.open(edit.file, "shell")
        sources.add(edit.file, edit.start, edit.end, edit.text)
        if step.joins:
            sources.expect_joined(edit.file)
        if step.parts:
            sources.expect_parted(edit.file)


# --- files ----------------------------------------------------------------------------------


def _key(step: Renamed | Rewritten | Removed, sources: Sources) -> None:
    document = sources.open(step.place.file, step.syntax)
    item = item_of(document.root, step.place)
    if item is None or not _is_named(name_of(item.key), step.key):
        raise EditRefused(*_CHANGED)
    if isinstance(step, Renamed):
        _rename(step, item, sources)
    elif isinstance(step, Rewritten):
        if item.value.kind != "scalar":
            raise EditRefused("it holds a group", "其值是一个分组")
        put_value(item.value, item.path, step.value, step.syntax, sources)
    else:
        _remove(step, item, document, sources)


def _rename(step: Renamed, item: Item, sources: Sources) -> None:
    old = name_of(item.key)
    new = respelt(old, step.key, step.name)
    if any(name_of(key) == new for key, _ in item.parent.items):
        raise EditRefused(f"{new} is there already", f"{new} 已存在")
    place = item.key.span
    raw = sources.raw(place)
    if not raw.strip("'\"") == old:
        raise EditRefused("its name is not written out", "键名不是直接写出的")
    sources.add(place.file, place.start, place.end, raw.replace(old, new))
    path = (*item.path[:-1], new)
    sources.expect_moved(place.file, item.path, path)
    if step.value is not None:
        put_value(item.value, path, step.value, step.syntax, sources)


def _remove(step: Removed, item: Item, document: Document, sources: Sources) -> None:
    if step.syntax == "toml" and item.value.kind == "mapping":
        raise EditRefused("it holds a group", "其值是一个分组")
    place, group = item.key.span, item.parent.span
    file = place.file
    if len(item.parent.items) == 1 and step.syntax == "yaml" and item.above is not None:
        _empty(item, sources)
    else:
        cut(place, item.value.span, group, step.syntax, sources)
    twice = any(p.kind == "duplicate-key" and p.span == place for p in document.problems)
    if not twice:
        sources.expect_gone(file, item.path)


def _empty(item: Item, sources: Sources) -> None:
    """The last key of a group: the group stays, as an empty one."""
    above, group = item.above, item.parent.span
    data = sources.data(group.file)
    if above is None or data[above.span.end : above.span.end + 1] != b":":
        raise EditRefused("nothing would be left of its group", "删去后该分组为空")
    if data[group.start : group.start + 1] == b"{":
        sources.add(group.file, group.start, group.end, "{}")
        return
    sources.add(group.file, above.span.end + 1, above.span.end + 1, " {}")
    cut(item.key.span, item.value.span, group, "yaml", sources)


def _drop(step: Dropped, sources: Sources) -> None:
    document = sources.open(step.place.file, step.syntax)
    twin = item_of(document.root, step.twin)
    if twin is None or sources.raw(step.place) != sources.raw(twin.key.span):
        raise EditRefused(*_CHANGED)
    cut(step.place, step.value, twin.parent.span, step.syntax, sources)


def _add(step: Added, table: KeyTable, sources: Sources) -> None:
    span = step.beside.span
    if span is None:
        raise EditRefused("its place is not known", "位置未知")
    sources.open(span.file, step.beside.syntax)
    near = frozenset((step.beside.path,))
    place = Place(
        span.file,
        step.path,
        step.beside.syntax,
        step.beside,
        relatives=near,
        at_launcher=table.is_launcher(step.beside.framework),
    )
    insert(place, step.value, table, sources)


# --- flags ----------------------------------------------------------------------------------


def _flag(step: Renamed | Rewritten | Removed, sources: Sources) -> None:
    document = sources.open(step.place.file, "shell")
    found = flag_at(document, step.place)
    if found is None or not _is_named(found.name, step.key):
        raise EditRefused(*_CHANGED)
    if isinstance(step, Renamed):
        _rename_flag(step, found, document, sources)
    elif not found.word.raw.lstrip("\"'").startswith(found.name):
        raise EditRefused("it comes from a variable", "来自变量")
    elif isinstance(step, Rewritten):
        rewrite_flag(found, step.place, step.value, document, sources)
    else:
        remove_flag(found, sources)


def _rename_flag(step: Renamed, found: FlagAt, document: Document, sources: Sources) -> None:
    names = [(w.value or w.raw).partition("=")[0] for w in found.command.words]
    new = respelt(found.name, step.key, step.name, names)
    if new in names:
        raise EditRefused(f"{new} is there already", f"{new} 已存在")
    if not found.word.raw.startswith(found.name):
        raise EditRefused("it comes from a variable", "来自变量")
    start = found.word.span.start
    sources.add(found.word.span.file, start, start + len(found.name.encode()), new)
    if step.value is not None:
        rewrite_flag(found, step.place, step.value, document, sources)


# --- names ----------------------------------------------------------------------------------


def _is_named(written: str, key: str) -> bool:
    """Whether a name, as written, ends in the steps of ``key``."""
    own, steps = steps_of(written.lstrip("+")), steps_of(key)
    return own[-len(steps) :] == steps or own[-1:] == steps[-1:]


def respelt(written: str, key: str, name: str, beside: Sequence[str] = ()) -> str:
    """``name`` in the place of ``key`` at the end of a written name, with its dashes.

    A name of one word does not tell; the names ``beside`` it do then.

    >>> respelt("--evaluation-strategy", "evaluation_strategy", "eval_strategy")
    '--eval-strategy'
    """
    last = steps_of(key)[-1]
    front, own = written[: -len(last)], written[-len(last) :]
    names = [own] if "-" in own or "_" in own else [n.lstrip("-") for n in beside if n[:1] == "-"]
    dashed = sum("-" in n for n in names) > sum("_" in n for n in names)
    return front + (name.replace("_", "-") if dashed else name)
