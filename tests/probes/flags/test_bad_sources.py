"""Python files that are huge, odd or hostile: read within limits, or not read and said so."""

from __future__ import annotations

from typing import Any

import pytest

from medic.errors import Unreadable

START = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--a')\n"
RUN = "python train.py --a 1\n"


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (START + "def f(:\n", "not Python 3"),
        ("import argparse\nprint 'hello'\n", "Python 2"),
        (b"import argparse\n\x00\n", "not text"),
        (b"# coding: latin-9-odd\nimport argparse\n", "Python 3"),
        (START + "#" * (2 << 20), "larger than"),
        ("import argparse\nx = " + "(" * 5000 + ")" * 5000 + "\n", ""),
        ("import argparse\nx = " + "-" * 50_000 + "1\n", ""),
    ],
    ids=["syntax", "python2", "nul", "coding", "huge", "parentheses", "minus"],
)
def test_not_read_is_said(flags: Any, source: str | bytes, why: str) -> None:
    seen = flags.see({"train.py": source, "run.sh": RUN})
    (told,) = seen.unread
    assert told.file.startswith("train.py")
    assert why in told.why.en
    assert seen.outcomes == ("skipped", "skipped")


def test_python2_names_its_line(flags: Any) -> None:
    with pytest.raises(Unreadable, match=r"train\.py:2"):
        flags.parser("import argparse\nprint 'hello'\n")


@pytest.mark.parametrize(
    "source",
    [
        START + "x = 'a' * 10**9\nwhile True:\n    x = x + x\np.parse_args()\n",
        START + "def f(n):\n    return f(n) + f(n)\nf(1)\np.parse_args()\n",
        START + "x = [1]\n" + "x = x + x\n" * 60 + "p.parse_args()\n",
        START + "x = 'ab'\n" + "x = x + x\n" * 60 + "p.parse_args()\n",
        START + "x = '{:>999999999}'.format(1)\ny = f'{1:>999999999}'\np.parse_args()\n",
        START + "x = '%999999999d' % 1\np.parse_args()\n",
        START + "for i in range(10**12):\n    for j in range(10**12):\n        i\np.parse_args()\n",
        START + "x = [i for i in range(5000) for j in range(5000)]\np.parse_args()\n",
        START + "x = " + "+".join(["1"] * 900) + "\np.parse_args()\n",
        START + "class A(A): pass\nclass B(B.x): pass\nB()\np.parse_args()\n",
        START + "x = x.y.z(*a, **b)[c:d][1](2)\nlambda: (yield)\np.parse_args()\n",
        START + "from . import nothing\nfrom .. import more\nimport train\np.parse_args()\n",
    ],
)
def test_odd_code_ends_soon(flags: Any, source: str) -> None:
    spec = flags.parser(source)
    assert "--a" in {n for o in spec.options for n in o.names}


def test_modules_that_import_each_other(flags: Any) -> None:
    files = {"a.py": "import b\nX = ['x']\n", "b.py": "import a\nY = ['y']\n"}
    source = START + "import a, b\nfor n in a.X + b.Y:\n    p.add_argument('--' + n)\n"
    spec = flags.parser(source + "p.parse_args()\n", files)
    assert {"--x", "--y"} <= {n for o in spec.options for n in o.names}


def test_too_many_steps_leave_the_parser_incomplete(flags: Any) -> None:
    loop = "for i in range(5000):\n    for j in range(5000):\n        g(i, j)\n"
    assert not flags.parser(START + loop + "p.add_argument('--b')\np.parse_args()\n").complete


def test_many_files_do_not_read_forever(flags: Any) -> None:
    files = {f"m{i}.py": "X = 1\n" for i in range(90)}
    imports = "".join(f"import m{i}\n" for i in range(90))
    spec = flags.parser(START + imports + "p.parse_args()\n", files)
    assert spec.options
