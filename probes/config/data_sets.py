"""The probe of data sets that a configuration names and that lie beside it: LLaMA-Factory's list of
them, and the columns of their first rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from medic.errors import Unreadable
from medic.facts import GivenFile, LogHits, Node, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of
from medic.run_config import RunConfig, Setting, Span

from .data_rows import Row, beside, columns_of, first_rows

NOT_FOUND, COLUMNS = "data-set-not-found", "column-names-not-mapped"
_FACTORY, _AXOLOTL = "llama-factory", "axolotl"
_INFO, _FOLDER = "dataset_info.json", "data"
_REMOTE = ("ONLINE", "REMOTE:")
_MAX_SHOWN = 6
_UNLISTED = Text("{info} has no {name}{near}", "{info} 中没有 {name}{near}")
_NEAR = Text("; {near} is there", "；其中有 {near}")
_HAS = Text("; it has {names}", "；其中有 {names}")
_LACKS = Text(
    "no row of {file} has {column}{by}; its columns are {columns}",
    "{file} 的数据中没有 {column}{by}；其列为 {columns}",
)
_IN_LIST = Text(" in {column}", "（{column} 内）")
# LLaMA-Factory data/parser.py: the columns that it takes where none are named.
_USUAL = {"alpaca": ("instruction", "output"), "sharegpt": ("conversations",)}
_TAGS = {"role_tag": "from", "content_tag": "value"}


def run(look: Look) -> Iterator[Finding]:
    config = config_of(look)
    if look.has(LogHits):  # of a run it is told by its log
        return
    for key in ("dataset", "eval_dataset"):
        named = config.setting(key, _FACTORY)
        if named is not None and named.origin.framework == _FACTORY:
            yield from _factory(look, config, named)
    for given in look.files("config"):
        if _AXOLOTL in config.frameworks:
            yield from _axolotl(look, given)


def _folders(look: Look, file: str) -> list[Path]:
    """Where a trainer may be started: beside the file, beside a script, here."""
    scripts = [Path(given.path).parent for given in look.files("script")]
    return [*dict.fromkeys([Path(file).parent, *scripts, Path()])]


# --- LLaMA-Factory --------------------------------------------------------------------------


def _factory(look: Look, config: RunConfig, named: Setting) -> Iterator[Finding]:
    """data/parser.py get_dataset_list: each name has to be in the folder's list."""
    span = named.origin.span
    folder = config.setting("dataset_dir", _FACTORY)
    where = str(folder.value) if folder is not None and folder.value else _FOLDER
    if span is None or not isinstance(named.value, str) or where.startswith(_REMOTE):
        return
    info = beside(f"{where}/{_INFO}", _folders(look, span.file))
    root = _root(look, str(info)) if info is not None else None
    if info is None or root is None:
        return
    listed = [str(key.value) for key, _ in root.items]
    for name in (one.strip() for one in named.value.strip("[]").replace(" ", ",").split(",")):
        entry = root.get(name) if name else None
        if name and "$" not in name and name not in listed:
            near = look.nearest(name, listed)
            shown = ", ".join(listed[:_MAX_SHOWN])
            more = _NEAR.fill(near=near[0]) if near else _HAS.fill(names=shown)
            what = _UNLISTED.fill(info=f"{where}/{_INFO}", name=name, near=more)
            yield _told(NOT_FOUND, what, span, name)
        elif entry is not None:
            yield from _entry(look, info.parent, entry, span)


def _root(look: Look, path: str) -> Node | None:
    try:
        return look.parse(path).root
    except Unreadable:
        return None


def _entry(look: Look, folder: Path, entry: Node, span: Span) -> Iterator[Finding]:
    file = _text(entry, "file_name")
    path = beside(file, [folder]) if file else None
    rows = first_rows(look, path) if path is not None else []
    if not rows or path is None:
        return
    columns, tags = entry.get("columns"), entry.get("tags")
    kind = _text(entry, "formatting") or "alpaca"
    wanted: list[tuple[str, Span]] = [(name, span) for name in _USUAL.get(kind, ())]
    if columns is not None:
        stated = ((str(one.value), one.span) for _, one in columns.items)
        wanted = [(name, place) for name, place in stated if name]
    have = columns_of(rows)
    for name, place in wanted:
        if name not in have:
            yield _told(COLUMNS, _lacks(path, name, have), place, name)
    messages = _text(columns, "messages") if columns is not None else "conversations"
    if kind == "sharegpt" and messages in have:
        for tag, usual in _TAGS.items():
            node = tags.get(tag) if tags is not None else None
            key = str(node.value) if node is not None else usual
            yield from _inside(path, rows, messages, key, node.span if node else span)


def _text(node: Node, key: str) -> str:
    found = node.get(key)
    return found.value if found is not None and isinstance(found.value, str) else ""


# --- axolotl --------------------------------------------------------------------------------

# prompt_strategies: kind -> (key of the entry, the column where that is not stated; "" for none).
_FIELDS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "alpaca": (("", "instruction"), ("", "output")),
    "completion": (("field", "text"),),
    "chat_template": (("field_messages", ""),),
}
_OWN = ("field_instruction", "field_output")
_PARTS = ("role", "content")


def _axolotl(look: Look, given: GivenFile) -> Iterator[Finding]:
    root = _root(look, given.path)
    listed = root.get("datasets") if root is not None else None
    for entry in listed.elements if listed is not None else ():
        file = _text(entry, "path")
        path = beside(file, _folders(look, given.path)) if file else None
        rows = first_rows(look, path) if path is not None else []
        if rows and path is not None:
            yield from _of_entry(entry, path, rows)


def _of_entry(entry: Node, path: Path, rows: list[Row]) -> Iterator[Finding]:
    have, kind = columns_of(rows), entry.get("type")
    if kind is None:
        return
    if kind.kind == "mapping":
        named = [(kind.get(key), "") for key in _OWN]
    else:
        known = _FIELDS.get(str(kind.value).partition(".")[0], ())
        named = [(entry.get(key) if key else None, usual) for key, usual in known]
    for node, usual in named:
        name = str(node.value) if node is not None and node.value else usual
        if name and name not in have:
            place = node.span if node is not None else kind.span
            yield _told(COLUMNS, _lacks(path, name, have), place, name)
    if str(kind.value) == "chat_template":
        yield from _parts(entry, path, rows, have)


def _parts(entry: Node, path: Path, rows: list[Row], have: list[str]) -> Iterator[Finding]:
    """message_property_mappings, and message_field_role as older releases call it."""
    messages = _text(entry, "field_messages") or "messages"
    mapped = entry.get("message_property_mappings")
    for part in _PARTS:
        node = mapped.get(part) if mapped is not None else entry.get(f"message_field_{part}")
        if node is not None and isinstance(node.value, str) and messages in have:
            yield from _inside(path, rows, messages, node.value, node.span)


# --- both -----------------------------------------------------------------------------------


def _inside(path: Path, rows: list[Row], column: str, key: str, place: Span) -> Iterator[Finding]:
    """The keys of the messages that a column holds."""
    lists = (row[column] for row in rows if isinstance(row.get(column), list))
    messages = [one for each in lists for one in each if isinstance(one, dict)]
    have = columns_of(messages)
    if messages and key not in have:
        yield _told(COLUMNS, _lacks(path, key, have, _IN_LIST.fill(column=column)), place, key)


def _lacks(path: Path, name: str, have: list[str], by: Text | None = None) -> Text:
    columns = ", ".join(have[:_MAX_SHOWN])
    return _LACKS.fill(file=path.name, column=name, by=by or Text("", ""), columns=columns)


def _told(check: str, what: Text, span: Span, word: str) -> Finding:
    source = Source(span.file, span.line, text=word)
    return Finding(check, "fires", {"what": what}, source, span=span)


PROBE = Probe(
    name="named-data-sets",
    title=Text("data sets that a configuration names", "配置所引用的数据集"),
    tells=(NOT_FOUND, COLUMNS),
    run=run,
    wants=(RunConfig, LogHits),
    files=("config", "script"),
    seconds=0.05,
    limit_seconds=10,
)
