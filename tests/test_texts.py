"""Every text a user sees exists in English and Chinese."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
HAN = re.compile(r"[\u4e00-\u9fff]")
PLACEHOLDER = re.compile(r"\{([a-zA-Z_]\w*)\}")
# Names, units and commands that read the same in both languages.
SAME = re.compile(r"[\s\w.,:;/()\[\]{}<>=+*%$\"'`|-]*")


def texts() -> Iterator[tuple[str, str, str]]:
    """(place, English, Chinese) of every literal Text(...) and error in the source."""
    for folder in ("medic", "probes", "tui"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if isinstance(node, ast.Call) and _name(node) in TWO:
                    values = [_literal(a) for a in node.args[:2]]
                    if len(values) == 2 and None not in values:
                        yield f"{file.name}:{node.lineno}", str(values[0]), str(values[1])


TWO = {"Text", "MedicError", "UsageError", "Unreadable", "KnowledgeError", "EditRefused"}


def _name(node: ast.Call) -> str:
    func = node.func
    return func.id if isinstance(func, ast.Name) else getattr(func, "attr", "")


def _literal(node: ast.AST) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


@pytest.mark.parametrize(("place", "en", "zh"), list(texts()))
def test_both_languages(place: str, en: str, zh: str) -> None:
    assert bool(en.strip()) == bool(zh.strip()), place
    assert set(PLACEHOLDER.findall(en)) == set(PLACEHOLDER.findall(zh)), place
    words = re.sub(r"\{[^}]*\}", "", en)
    if len(re.findall(r"[a-z]{3,}", words)) >= 3:
        assert HAN.search(zh), f"{place}: no Chinese in {zh!r}"


def test_texts_are_found() -> None:
    assert len(list(texts())) > 100
