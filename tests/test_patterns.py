"""Patterns that are compiled late are right, every one."""

from __future__ import annotations

import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from medic.text.patterns import regex


def _declared(value: Any) -> Iterator[Any]:
    if isinstance(value, regex):  # type: ignore[arg-type]
        yield value
    elif isinstance(value, (tuple, list)):
        for one in value:
            yield from _declared(one)
    elif isinstance(value, dict):
        yield from _declared(list(value.values()))


def test_every_pattern_of_the_package_compiles() -> None:
    found = 0
    for name in ("medic", "medic.probes", "medic.tui"):
        package = import_module(name)
        for info in pkgutil.walk_packages(package.__path__, f"{name}."):
            if info.name.endswith("__main__"):
                continue
            for value in vars(import_module(info.name)).values():
                for one in _declared(value):
                    found += 1
                    assert isinstance(one.pattern, (str, bytes)), info.name
    assert found > 300


def test_a_late_pattern_is_the_pattern() -> None:
    late, real = regex(r"(?P<a>\d+)-(\w)", re.IGNORECASE), re.compile(r"(?P<a>\d+)-(\w)", re.I)
    assert late.flags == real.flags
    assert late.groupindex == real.groupindex
    assert late.sub(r"\2", "1-x 22-y") == real.sub(r"\2", "1-x 22-y") == "x y"
    first = late.search
    assert late.search is first  # compiled and looked up once


def test_importing_pyyaml_compiles_no_pattern_and_leaves_re_as_it_was() -> None:
    code = (
        "import re; before = re.compile\n"
        "from medic.syntax.pyyaml import yaml\n"
        "assert re.compile is before\n"
        "assert not isinstance(yaml.reader.Reader.NON_PRINTABLE, re.Pattern)\n"
        "assert yaml.safe_load('a: 1e5\\nb: [0x1f, 2001-01-01, ~]')['b'][0] == 31\n"
        "assert yaml.reader.Reader.NON_PRINTABLE.search('\\x07')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
