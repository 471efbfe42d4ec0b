"""YAML entries -> validated knowledge, with file:line errors and nearest-name hints.

Used by the build step and in an editable tree; a start from a wheel never imports this module.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter, ValidationError
from pydantic_core import core_schema

from medic import entries
from medic.entries import KINDS, entry_type
from medic.errors import KnowledgeError
from medic.i18n import Text
from medic.nearest import did_you_mean
from medic.schema.links import check_links
from medic.text.patterns import regex

FORMAT = 3


def _text_schema(_source: object, _handler: object) -> core_schema.CoreSchema:
    """A text in YAML: exactly the two languages, both strings."""
    language = core_schema.typed_dict_field(core_schema.str_schema(strict=True))
    both = core_schema.typed_dict_schema(
        {"en": language, "zh": language}, extra_behavior="forbid", total=True
    )
    return core_schema.no_info_after_validator_function(
        lambda data: Text(**data),
        both,
        serialization=core_schema.plain_serializer_function_ser_schema(
            lambda text: {"en": text.en, "zh": text.zh}
        ),
    )


# Text itself knows nothing of pydantic, which no start but this one loads.
Text.__get_pydantic_core_schema__ = _text_schema  # type: ignore[attr-defined]
_PLACEHOLDER = regex(r"\{([a-z_]+)\}")
_MAX_BYTES = 256 * 1024
_STRING, _LIST, _MAPPING, _MERGE = (
    f"tag:yaml.org,2002:{kind}" for kind in ("str", "seq", "map", "merge")
)
_ANCHOR = regex(rb"(?:^|[\s\[{,:-])&\w")  # without one there is no alias


class Located:
    """One entry's data with the line of every path in its file."""

    def __init__(self, file: Path, root: yaml.Node, data: dict[str, Any]) -> None:
        self.file = file
        self.root = root
        self.data = data

    def line(self, path: Iterable[object]) -> int:
        node = self.root
        line = node.start_mark.line + 1
        for part in path:
            found = _child(node, part)
            if found is None:
                break
            node = found
            line = node.start_mark.line + 1
        return line

    def error(self, path: Iterable[object], en: str, zh: str) -> KnowledgeError:
        return KnowledgeError(en, zh, at=f"{self.file}:{self.line(path)}")


def _child(node: yaml.Node, part: object) -> yaml.Node | None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(part):
                found: yaml.Node = value
                return found
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        element: yaml.Node = node.value[part]
        return element
    return None


def read_entry(file: Path) -> Located:
    """One YAML entry. Raises KnowledgeError for anything that is not one plain mapping."""
    raw = file.read_bytes()
    if len(raw) > _MAX_BYTES:
        raise KnowledgeError("entry larger than 256 KiB", "条目超过 256 KiB", at=str(file))
    kind = yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader
    loader = kind(raw)
    try:
        for event in yaml.parse(raw, Loader=kind) if _ANCHOR.search(raw) else ():
            if isinstance(event, yaml.AliasEvent):
                mark = event.start_mark
                line = mark.line + 1 if mark else 1
                raise KnowledgeError(
                    "an entry has no YAML aliases", "条目中不使用 YAML 别名", at=f"{file}:{line}"
                )
        root = loader.get_single_node()
        data = _made(file, loader, root) if root is not None else None
    except (yaml.YAMLError, RecursionError, ValueError) as problem:
        raise _yaml_error(file, problem) from None
    if not isinstance(data, dict) or root is None:
        raise KnowledgeError("an entry is a mapping", "条目必须是一个映射", at=f"{file}:1")
    return Located(file, root, data)


def _made(file: Path, loader: Any, node: yaml.Node) -> Any:
    """The data of a node, as the loader makes it in several passes. Of two equal keys YAML takes
    the last, and what the first one says is lost without a word: they are refused."""
    if isinstance(node, yaml.ScalarNode):
        return node.value if node.tag == _STRING else loader.construct_object(node, deep=True)
    if isinstance(node, yaml.SequenceNode) and node.tag == _LIST:
        return [_made(file, loader, element) for element in node.value]
    if not isinstance(node, yaml.MappingNode) or node.tag != _MAPPING:
        raise KnowledgeError(
            "an entry has no YAML tags", "条目中不使用 YAML 标签", at=_at(file, node)
        )
    found: dict[Any, Any] = {}
    seen: set[str] = set()
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode) or key.tag == _MERGE:
            raise KnowledgeError("a key is a plain name", "键必须是普通名称", at=_at(file, key))
        if key.value in seen:
            en, zh = f"the key {key.value} stands twice", f"键 {key.value} 出现了两次"
            raise KnowledgeError(en, zh, at=_at(file, key))
        seen.add(key.value)
        found[_made(file, loader, key)] = _made(file, loader, value)
    return found


def _at(file: Path, node: yaml.Node) -> str:
    return f"{file}:{node.start_mark.line + 1}"


def _yaml_error(file: Path, problem: Exception) -> KnowledgeError:
    mark = getattr(problem, "problem_mark", None)
    at = f"{file}:{mark.line + 1}" if mark else str(file)
    words = getattr(problem, "problem", None) or type(problem).__name__
    return KnowledgeError(f"not readable as YAML: {words}", f"YAML 无法解析：{words}", at=at)


@cache
def _adapter(kind: str) -> TypeAdapter[Any]:
    return TypeAdapter(entry_type(kind))


def _validate(entry: Located, kind: str) -> Any:
    try:
        return _adapter(kind).validate_json(json.dumps(entry.data, default=str))
    except ValidationError as problem:
        raise _first_error(entry, problem) from None


def _first_error(entry: Located, problem: ValidationError) -> KnowledgeError:
    first = problem.errors()[0]
    loc = tuple(first["loc"])
    hint = ""
    context = first.get("ctx", {})
    if first["type"] == "literal_error":
        allowed = re.findall(r"'([^']+)'", str(context.get("expected", "")))
        hint = did_you_mean(str(first.get("input")), allowed).en
    elif first["type"] == "unexpected_keyword_argument":
        hint = did_you_mean(str(loc[-1]), _known_keys(entry, loc)).en
    where = ".".join(str(part) for part in loc) or "entry"
    return entry.error(loc, f"{where}: {first['msg']}{hint}", f"{where}: {first['msg']}{hint}")


def _known_keys(entry: Located, loc: tuple[object, ...]) -> list[str]:
    kind = entry.file.parent
    while kind.name not in KINDS and kind != kind.parent:
        kind = kind.parent
    if len(loc) == 1 and kind.name in KINDS:
        return [f.name.replace("_", "-") for f in fields(entry_type(kind.name))]
    types = [getattr(entries, name) for name in entries.__all__]
    found = {f.name for value in types if is_dataclass(value) for f in fields(value)}
    return sorted(name.replace("_", "-") for name in found)


def _check_texts(entry: Located, data: Any, path: tuple[object, ...] = ()) -> None:
    """Both languages are there, and name the same placeholders."""
    if isinstance(data, dict):
        if set(data) == {"en", "zh"} and isinstance(data["en"], str):
            en, zh = (set(_PLACEHOLDER.findall(str(data[k]))) for k in ("en", "zh"))
            if not data["en"].strip() or not str(data["zh"]).strip():
                raise entry.error(path, "a text is empty", "文本为空")
            if en != zh:
                names = ", ".join(sorted(en ^ zh))
                raise entry.error(
                    path, f"placeholders differ: {names}", f"两种语言的占位符不同：{names}"
                )
        for key, value in data.items():
            _check_texts(entry, value, (*path, key))
    elif isinstance(data, list):
        for i, value in enumerate(data):
            _check_texts(entry, value, (*path, i))


def _entries(folders: Iterable[Path], kind: str) -> Iterator[Located]:
    for folder in folders:
        for file in sorted((folder / kind).rglob("*.yaml")):
            yield read_entry(file)


def load(folders: Iterable[Path]) -> dict[str, dict[str, Any]]:
    """All entries of the folders by kind and name. Raises KnowledgeError at the first defect."""
    folders = list(folders)
    found: dict[str, dict[str, Any]] = {}
    located: dict[tuple[str, str], Located] = {}
    for kind in KINDS:
        found[kind] = {}
        for entry in _entries(folders, kind):
            _check_texts(entry, entry.data)
            value = _validate(entry, kind)
            if value.name != entry.file.stem:
                raise entry.error(
                    ("name",), f'the file is "{entry.file.name}"', f"文件名是 {entry.file.name}"
                )
            if value.name in found[kind]:
                other = located[kind, value.name].file
                raise entry.error(("name",), f"also defined in {other}", f"已在 {other} 中定义")
            found[kind][value.name] = value
            located[kind, value.name] = entry
    for kind, name, path, en, zh in check_links(found):
        raise located[kind, name].error(path, en, zh)
    return found


def compile_knowledge(folders: Iterable[Path]) -> dict[str, Any]:
    """The knowledge as JSON data, as the wheel carries it. Raises KnowledgeError."""
    found = load(folders)
    compiled: dict[str, Any] = {"format": FORMAT}
    for kind, values in found.items():
        adapter = _adapter(kind)
        compiled[kind] = {
            name: adapter.dump_python(value, mode="json", exclude_defaults=True)
            for name, value in sorted(values.items())
        }
    return compiled
