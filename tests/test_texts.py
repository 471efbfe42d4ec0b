"""Every text a user sees exists in English and Chinese."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from medic.i18n import Text
from medic.index.knowledge import load

ROOT = Path(__file__).resolve().parents[1]
HAN = re.compile(r"[\u4e00-\u9fff]")
PLACEHOLDER = re.compile(r"\{([a-zA-Z_]\w*)\}")


def texts() -> Iterator[tuple[str, str, str]]:
    """(place, English, Chinese) of every literal Text(...) and error in the source."""
    for place, node in calls():
        values = [_literal(a) for a in node.args[:2]]
        if len(values) == 2 and None not in values:
            yield place, str(values[0]), str(values[1])


@cache
def calls() -> list[tuple[str, ast.Call]]:
    """Every call in the source that makes a text, with its place: all of it is parsed once."""
    return [
        (f"{file.name}:{node.lineno}", node)
        for folder in ("medic", "probes", "tui")
        for file in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Call) and _name(node) in TWO
    ]


TWO = {"Text", "MedicError", "UsageError", "Unreadable", "KnowledgeError", "EditRefused"}


def _name(node: ast.Call) -> str:
    func = node.func
    return func.id if isinstance(func, ast.Name) else getattr(func, "attr", "")


def _literal(node: ast.AST) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def fault(en: str, zh: str) -> str:
    """What is wrong with a text, or nothing."""
    if bool(en.strip()) != bool(zh.strip()):
        return "one language is empty"
    if set(PLACEHOLDER.findall(en)) != set(PLACEHOLDER.findall(zh)):
        return "other placeholders"
    words = re.sub(r"\{[^}]*\}", "", en)
    if len(re.findall(r"[a-z]{3,}", words)) >= 3 and not HAN.search(zh):
        return f"no Chinese in {zh!r}"
    return ""


def test_both_languages() -> None:
    found = list(texts())
    assert len(found) > 1000
    wrong = [(place, fault(en, zh)) for place, en, zh in found]
    assert [f"{place}: {what}" for place, what in wrong if what] == []


@pytest.mark.parametrize(
    ("en", "zh"),
    [("nothing", ""), ("{a} steps", "{b} 步"), ("all ranks have stopped", "all ranks stopped")],
)
def test_a_text_in_one_language_is_told(en: str, zh: str) -> None:
    assert fault(en, zh)


HALF_WIDTH = re.compile(
    r"[\u4e00-\u9fff\uff09\u201d][?!;](?=[\"'\s]|$)|\uff09[,:;](?! )|"
    r"\bzh: \"(?:[^\"\\]|\\.)*[0-9A-Za-z][,;](?=[\u4e00-\u9fff/])",
    re.M,
)
FULL_WIDTH = re.compile(
    r"\ben: (\"(?:[^\"\\]|\\.)*[\uff0c\u3002\uff1f\uff1a\uff1b\uff01\uff08\uff09])"
)


def test_each_language_has_its_own_marks() -> None:
    """A full-width mark in an English sentence, or a half-width one behind Chinese, is a slip."""
    wrong = []
    for file in sorted((ROOT / "knowledge").rglob("*.yaml")):
        text = file.read_text("utf-8")
        wrong += [f"{file.name}: {m.group()[-40:]}" for m in HALF_WIDTH.finditer(text)]
        wrong += [f"{file.name}: {m.group()[-40:]}" for m in FULL_WIDTH.finditer(text)]
    assert not wrong, wrong


BEFORE_FILLED = re.compile(
    r"\}[,;:!?](?=[\u4e00-\u9fff\uff08{])|[\u4e00-\u9fff\uff09][,;:!?](?=\{)"
)


def composed() -> Iterator[tuple[str, str]]:
    """(place, Chinese) of every f-string text, and of what parts its items; {} where it is filled."""
    for place, node in calls():
        for zh in (a for a in node.args[1:2] if isinstance(a, ast.JoinedStr)):
            yield place, _filled(zh)


def _filled(text: ast.JoinedStr) -> str:
    parts = [p.value if isinstance(p, ast.Constant) else _between(p) for p in text.values]
    return "".join(str(part) for part in parts)


def _between(part: ast.expr) -> str:
    """``{X}``, or ``{X;X}`` for ``{";".join(…)}``, since an item of a Chinese list is Chinese."""
    call = part.value if isinstance(part, ast.FormattedValue) else part
    by = call.func if isinstance(call, ast.Call) else None
    mark = _literal(by.value) if isinstance(by, ast.Attribute) and by.attr == "join" else None
    return "{}" if mark is None or not mark.strip(", ") else f"{{}}{mark}{{}}"


def test_composed_texts_have_chinese_marks() -> None:
    found = list(composed())
    assert len(found) > 100
    wrong = [f"{place}: {text}" for place, text in found if BEFORE_FILLED.search(text)]
    assert wrong == []


@pytest.mark.parametrize(
    ("code", "slip"),
    [
        ('f"{where}:{problem.zh}"', True),
        ("f\"\u662f：{';'.join(zh)}\"", True),
        ("f\"\u662f：{'；'.join(zh)}\"", False),
        ('f"{where}：{problem.zh}"', False),
    ],
)
def test_a_composed_slip_is_seen(code: str, slip: bool) -> None:
    node = ast.parse(code, mode="eval").body
    assert isinstance(node, ast.JoinedStr)
    assert bool(BEFORE_FILLED.search(_filled(node))) is slip


@pytest.mark.parametrize(
    ("pattern", "value", "told"),
    [
        ("需要 {what}", "梯度范数", "需要梯度范数"),
        ("需要 {what}", "grad_norm", "需要 grad_norm"),
        ("不能被 {what} 整除", "微批次 x 副本数", "不能被微批次 x 副本数整除"),
        ("不能被 {what} 整除", "dp", "不能被 dp 整除"),
        ("{what} 的默认值", "脚本", "脚本的默认值"),
        ("原因： {what}", "梯度", "原因： 梯度"),
    ],
)
def test_no_blank_parts_two_chinese_words(pattern: str, value: str, told: str) -> None:
    text = Text("needs {what}", pattern).fill(what=value)
    assert text.zh == told
    assert text.en == f"needs {value}"


def _chinese(node: object, kept: str = "zh") -> Iterator[str]:
    """The Chinese texts of an entry; not what people type or programs print."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key == kept and isinstance(value, str):
                yield value
            elif key not in ("phrases", "reports", "instead_of", "signatures"):
                yield from _chinese(value)
    elif isinstance(node, (list, tuple)):
        for value in node:
            yield from _chinese(value)


# The word for what is lost, a name of a function, and names in brackets.
_OTHER_LOSS = re.compile(
    r"损失(?:部分|一些|缩放|函数|几|大部分|一?小时| ?\d)|(?:质量|速度|略有|就能看出)损失"
)
_NAMED_LOSS = re.compile(r"损失|(?<![\w/.-])Loss(?![A-Za-z_])")


def test_the_loss_has_one_name_in_chinese() -> None:
    raw = load().raw
    kinds = ("causes", "symptoms", "checks", "remedies", "procedures", "terms")
    texts = [text for kind in kinds for text in _chinese(dict(raw[kind].items()))]
    told = [text for text in texts if _NAMED_LOSS.search(_OTHER_LOSS.sub("", text))]
    assert len(texts) > 1000
    assert told == []


def bound_twice(source: str) -> list[str]:
    """Names that a module gives a second value at its top: the first is lost to all who use it."""
    tops = [
        node for node in ast.parse(source).body if isinstance(node, (ast.Assign, ast.AnnAssign))
    ]
    targets = [t for n in tops for t in (n.targets if isinstance(n, ast.Assign) else [n.target])]
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    return sorted({name for name in names if names.count(name) > 1})


@pytest.mark.parametrize("folder", ["medic", "probes", "tui"])
def test_no_text_takes_the_name_of_another(folder: str) -> None:
    found = {f.name: bound_twice(f.read_text("utf-8")) for f in (ROOT / folder).rglob("*.py")}
    assert {name: twice for name, twice in found.items() if twice} == {}


def test_a_second_value_of_a_name_is_seen() -> None:
    assert bound_twice("A = Text('a', '甲')\nB = 1\nA: Text = Text('b', '乙')") == ["A"]
    assert bound_twice("A = 1\ndef f():\n    A = 2\nA.x = 3") == []
