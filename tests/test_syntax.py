"""YAML, JSON and TOML: values, exact spans, duplicate keys, and what is refused."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from medic.errors import Unreadable
from medic.facts import Document, Node
from medic.syntax import MAX_BYTES, guess_syntax, parse

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def plain(node: Node | None, *, loader: bool = False) -> Any:
    """The tree as plain Python values; with ``loader`` as PyYAML would read them."""
    if node is None:
        return None
    if node.kind == "mapping":
        return {plain(k, loader=loader): plain(v, loader=loader) for k, v in node.items}
    if node.kind == "sequence":
        return [plain(e, loader=loader) for e in node.elements]
    return node.loader_value if loader else node.value


def scalars(node: Node | None) -> Iterator[Node]:
    if node is None:
        return
    if node.kind == "scalar":
        yield node
    for key, value in node.items:
        yield from scalars(key)
        yield from scalars(value)
    for element in node.elements:
        yield from scalars(element)


def spans_hold(data: bytes, document: Document) -> None:
    for node in scalars(document.root):
        assert data[node.span.start : node.span.end].decode() == node.raw
        before = data[: node.span.start].decode().lstrip("\ufeff")
        assert node.span.line == before.count("\n") + 1
        assert node.span.column == len(before) - (before.rfind("\n") + 1) + 1


def at(root: Node | None, *path: str) -> Node:
    for step in path:
        assert root is not None
        root = root.get(step)
    assert root is not None
    return root


# --- values of any shape ----------------------------------------------------------------------

texts = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=12)
leaves = (
    st.none()
    | st.booleans()
    | st.integers(-(10**15), 10**15)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
trees = st.dictionaries(
    texts,
    st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
        max_leaves=12,
    ),
    max_size=4,
)


@given(trees, st.booleans())
def test_yaml_reads_what_pyyaml_wrote(tree: dict[str, Any], flow: bool) -> None:
    data = yaml.safe_dump(tree, allow_unicode=True, default_flow_style=flow).encode()
    document = parse(data, "a.yaml")
    assert plain(document.root, loader=True) == yaml.safe_load(data)
    spans_hold(data, document)


SCALARS = [
    "1", "012", "0x1F", "0o17", "1e-5", "1.5e6", "2.0e-4", "-3", "+4", ".5", "1.", "1_000", "1_0.5",
    "yes", "Off", "true", "NULL", "~", "null", "12:30", "190:20:30", "1:2", ".inf", "-.INF", ".nan",
    "2024-01-02", "a", "1e", "0b101", "_1", "nan", "1__0", "e5", "0x", "'q'", '"1"',
]  # fmt: skip


@given(st.lists(st.sampled_from(SCALARS), min_size=1, max_size=6))
def test_plain_scalars_by_both_rules(words: list[str]) -> None:
    data = "".join(f"k{i}: {word}\n" for i, word in enumerate(words)).encode()
    loaded = yaml.load(data, Loader=yaml.SafeLoader)
    root = parse(data, "a.yaml").root
    for i, word in enumerate(words):
        node, expected = at(root, f"k{i}"), loaded[f"k{i}"]
        if type(expected).__name__ == "date":
            expected = word
        assert node.loader_value == expected or math.isnan(expected)
        assert node.raw == word


@given(trees, st.sampled_from([None, 1]))
def test_json_reads_what_json_wrote(tree: dict[str, Any], indent: int | None) -> None:
    data = json.dumps(tree, ensure_ascii=False, indent=indent).encode()
    document = parse(data, "a.json")
    assert plain(document.root) == json.loads(data)
    spans_hold(data, document)


@given(st.lists(st.tuples(
    st.sampled_from(["lr", "train.steps", '"a b"', "x-1"]),
    st.sampled_from(["1", "1_000", "0xff", "1e-4", "-2.5", "true", "'raw'", '"e\\n"', "[1, 2]",
                     "{a = 1, b.c = 'x'}", "inf", "1979-05-27", '"""m\nn"""']),
), max_size=4, unique_by=lambda pair: pair[0]), st.booleans())  # fmt: skip
def test_toml_reads_what_tomllib_reads(pairs: list[tuple[str, str]], table: bool) -> None:
    head = "[g]\n" if table else ""
    data = (head + "".join(f"{k} = {v}  # 注\n" for k, v in pairs)).encode()
    document = parse(data, "a.toml")
    assert plain(document.root) == json.loads(json.dumps(tomllib.loads(data.decode()), default=str))
    spans_hold(data, document)


def test_numbers_as_yaml_1_2_and_as_pyyaml_read_them() -> None:
    document = parse(b"lr: 1e-5\nsteps: 1_000\nmode: 012\non: yes\nt: 12:30:45\n", "a.yaml")
    root = document.root
    assert (at(root, "lr").value, at(root, "lr").loader_value) == (1e-5, "1e-5")
    assert at(root, "steps").value == at(root, "steps").loader_value == 1000
    assert (at(root, "mode").value, at(root, "mode").loader_value) == (12, 10)
    assert (at(root, "on").value, at(root, "on").loader_value) == ("yes", True)
    assert (at(root, "t").value, at(root, "t").loader_value) == ("12:30:45", 45045)
    kinds = [(p.kind, p.detail) for p in document.problems]
    assert kinds[0] == ("number-as-text", "lr")
    assert [detail for kind, detail in kinds if kind == "odd-scalar"] == ["mode", "on", "t"]


def test_aliases_and_merged_keys() -> None:
    data = b"base: &b {lr: 1, wd: 2}\nrun: {<<: *b, lr: 3}\nsame: *b\nn: &x 5\n"
    document = parse(data, "a.yaml")
    assert plain(document.root) == yaml.safe_load(data)
    assert data[at(document.root, "n").span.start : at(document.root, "n").span.end] == b"5"
    assert document.problems == ()


def test_of_several_yaml_documents_the_first_is_read() -> None:
    document = parse(b"a: 1\n---\nb: 2\n", "a.yaml")
    assert plain(document.root) == {"a": 1}
    assert [(p.kind, p.detail, p.span.line) for p in document.problems] == [
        ("syntax", "several-documents", 2)
    ]


@pytest.mark.parametrize(
    ("name", "data", "lines"),
    [
        ("a.yaml", b"lr: 1\nwd: 3\nlr: 2\n", (3, 1)),
        ("a.json", b'{"lr": 1,\n "wd": 3, "lr": 2}', (2, 1)),
        ("a.toml", b"lr = 1\nwd = 3\nlr = 2\n", (3, 1)),
    ],
)
def test_a_key_given_twice_is_told_and_the_last_counts(
    name: str, data: bytes, lines: tuple[int, int]
) -> None:
    document = parse(data, name)
    assert plain(document.root) == {"lr": 2, "wd": 3}
    (problem,) = document.problems
    assert (problem.kind, problem.detail) == ("duplicate-key", "lr")
    assert problem.other is not None
    assert (problem.span.line, problem.other.line) == lines


def test_a_repeated_toml_table_is_told() -> None:
    (problem,) = parse(b"[t]\na = 1\n[t]\nb = 2\n", "a.toml").problems
    assert (problem.kind, problem.span.line) == ("duplicate-key", 3)


def test_json_with_comments_trailing_commas_and_nan() -> None:
    data = b'// c\n{"a": [1, 2,], # x\n "s": "//not, a comment,]", /* y */ "n": -Infinity,}\n'
    root = parse(data, "ds.json").root
    assert plain(root) == {"a": [1, 2], "s": "//not, a comment,]", "n": -math.inf}
    assert at(root, "n").raw == "-Infinity"


def test_byte_order_mark_and_crlf_are_counted() -> None:
    data = "\ufeff学习率: 1e-5\r\nb: 2\r\n".encode()
    document = parse(data, "a.yaml")
    assert document.root is not None
    (first, value), (_, second) = document.root.items
    assert (first.raw, value.span.column) == ("学习率", 6)
    assert data[second.span.start : second.span.end] == b"2"
    assert second.span.line == 2


# --- what is refused --------------------------------------------------------------------------

LEVELS = [b"a: &a [%s]\n" % b",".join([b"x"] * 9)] + [
    b"%c: &%c [%s]\n" % (c, c, b",".join([b"*%c" % (c - 1)] * 9)) for c in b"bcdefgh"
]


@pytest.mark.parametrize(
    ("name", "data", "line", "words"),
    [
        ("a.yaml", b"".join(LEVELS), 5, "aliases expand to more than 10,000 nodes"),
        ("a.yaml", b"&a [*a]", 1, "*a refers to itself"),
        ("a.yaml", b"x: *y", 1, "*y is not defined"),
        ("a.yaml", b"[" * 5000 + b"]" * 5000, 1, "nested too deep"),
        ("a.yaml", b"- " * 5000, 1, "nested too deep"),
        ("a.json", b"[" * 100_000 + b"]" * 100_000, 1, "nested too deep"),
        ("a.json", b'{"a":' * 5000 + b"1" + b"}" * 5000, 1, "nested too deep"),
        ("a.toml", b"a=" + b"[" * 5000 + b"]" * 5000, 1, "nested too deep"),
        ("a.toml", b".".join([b"a"] * 5000) + b" = 1", 1, "nested too deep"),
        ("a.yaml", b"a: 1\nx: !!python/object/apply:os.system [id]", 2, "would run Python code"),
        ("a.yaml", "lr: 1".encode("utf-16"), 1, "UTF-16"),
        ("a.yaml", b"a: 1\nb: \x00", 2, "NUL byte"),
        ("a.yaml", b"a: 1\nb: \x01", 2, "control characters"),
        ("a.yaml", b"a: 1\nb: \xff", 2, "not UTF-8"),
        ("a.yaml", b"a:\n\tb: 1", 2, "not YAML"),
        ("a.yaml", b"a: b: c", 1, "mapping values are not allowed"),
        ("a.json", b'{"a": 1\n "b": 2}', 1, "not JSON: Expecting ','"),
        ("a.json", b'{"a": BATCH}', 1, "not JSON: Expecting value"),
        ("a.json", b'{\n"a": True}', 2, "True is not read here, true is"),
        ("a.json", b'{"a": .5}', 1, "the number .5 needs a digit before its point"),
        ("a.json", b'{"a": fp16}', 1, "the text fp16 needs quotes"),
        ("a.toml", b"[a]\nb = True", 2, "True is not read here, true is"),
        ("a.toml", b"[a]\nb = adam", 2, "the text adam needs quotes"),
        ("a.toml", b"[a]\nb = None", 2, "not TOML: Invalid value"),
        ("a.toml", b"a = 1\nb = [1,", 2, "not TOML"),
        ("a.json", b"[" + b"1," * 60_000 + b"1]", 1, "more than 50,000 values"),
    ],
)
def test_refused_with_file_and_line(name: str, data: bytes, line: int, words: str) -> None:
    with pytest.raises(Unreadable) as problem:
        parse(data, name)
    assert problem.value.at == f"{name}:{line}"
    assert words in problem.value.en
    assert problem.value.zh
    assert "\n" not in problem.value.line("en") + problem.value.line("zh")


def test_a_file_above_the_limit_is_not_read() -> None:
    with pytest.raises(Unreadable, match="larger than 2 MiB"):
        parse(b"a: 1\n" * (MAX_BYTES // 5 + 1), "a.yaml")


@pytest.mark.parametrize("name", ["a.yaml", "a.json"])
def test_an_empty_file_has_no_root(name: str) -> None:
    assert parse(b"", name).root is None


@given(st.binary(max_size=200), st.sampled_from(["a.yaml", "a.json", "a.toml", "a.sh", "a"]))
def test_any_bytes_are_read_or_refused(data: bytes, name: str) -> None:
    document, where = Document(name, "text"), name
    try:
        document = parse(data, name)
    except Unreadable as problem:
        where = problem.at
    assert where.startswith(name)
    spans_hold(data, document)


@pytest.mark.parametrize(
    ("name", "data", "syntax"),
    [
        ("x.YML", b"", "yaml"),
        ("run.slurm", b"", "shell"),
        ("x", b"#!/usr/bin/env bash\n", "shell"),
        ("x", b"#!/usr/bin/env python\n", "text"),
        ("x", b"\xef\xbb\xbf{ 'a': 1", "json"),
        ("x", b"[training]\nlr = 1\n", "toml"),
        ("x", b"model:\n  hidden_size: 4\n", "yaml"),
        ("x", b"torchrun --nproc-per-node 2 a.py\n", "shell"),
        ("x", b"LR=1\nBS=2\n", "shell"),
        ("x", b"hello world\n", "text"),
    ],
)
def test_guessed_syntax(name: str, data: bytes, syntax: str) -> None:
    assert guess_syntax(name, data) == syntax
