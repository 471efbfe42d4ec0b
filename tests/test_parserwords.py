"""What parsers say of broken files, in Chinese."""

from __future__ import annotations

import re

import pytest

from medic.errors import Unreadable
from medic.syntax import parse
from medic.text.parserwords import in_chinese

CJK = re.compile("[\u4e00-\u9fff]")
BROKEN = [
    ("a.yaml", "a: b: c\n"),
    ("a.yaml", "a:\n\tb: 1\n"),
    ("a.yaml", "a: 1\n b: 2\n"),
    ("a.yaml", "a:\n  b: 1\n c: 2\n"),
    ("a.yaml", 'a: "x\n'),
    ("a.yaml", "a: [1, 2\nb: 1\n"),
    ("a.yaml", "a: {b: 1\nc: 2\n"),
    ("a.yaml", "a: %x\n"),
    ("a.yaml", "a: @x\n"),
    ("a.yaml", "a: *\n"),
    ("a.yaml", "a: 1\nb\n"),
    ("a.yaml", "- a\nb: 1\n"),
    ("a.yaml", 'a: "\\q"\n'),
    ("a.yaml", "a: \x07\n"),
    ("a.json", '{"a": 1 "b": 2}'),
    ("a.json", '{"a" 1}'),
    ("a.json", "{a: 1}"),
    ("a.json", '{"a": tru}'),
    ("a.json", '{"a": "x}'),
    ("a.json", '{"a": 1'),
    ("a.toml", "a = tru\n"),
    ("a.toml", "a\n"),
    ("a.toml", "[a\nb = 1\n"),
    ("a.toml", "a = [1, 2\n"),
    ("a.toml", 'a = "x\n'),
    ("a.toml", "a = 1 2\n"),
    ("a.toml", 'a = "\\q"\n'),
    ("a.toml", "= 1\n"),
    ("a.py", "a = (1\n"),
    ("a.py", "a = 1)\n"),
    ("a.py", "a = [1)\n"),
    ("a.py", "a = 'x\n"),
    ("a.py", "  a = 1\n"),
    ("a.py", "if a:\nb = 1\n"),
    ("a.py", "if a\n  b = 1\n"),
    ("a.py", "if a:\n    b = 1\n  c = 2\n"),
    ("a.py", "a = 1\uff0c2\n"),
    ("a.py", "f(a=1 b=2)\n"),
    ("a.py", "f(a=1, 2)\n"),
    ("a.py", "a = 012\n"),
    ("a.py", "print 'x'\n"),
    ("a.py", "a == = 1\n"),
]


@pytest.mark.parametrize(("name", "text"), BROKEN)
def test_the_usual_ones_are_known(name: str, text: str) -> None:
    with pytest.raises(Unreadable) as problem:
        parse(text.encode(), name)
    said = problem.value.zh
    assert CJK.search(said.partition("\uff1a")[2]), said
    assert "\u89e3\u6790\u5668\u63d0\u793a" not in said, problem.value.en


def test_others_are_quoted_after_a_chinese_lead() -> None:
    assert in_chinese("frobnicated the {0} frob") == "解析器提示“frobnicated the {0} frob”"
