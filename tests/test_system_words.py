"""Messages of a system that speaks Chinese are found where their English twins are."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import re2

from medic.index.knowledge import load
from medic.match.marks import watched
from medic.text.systemwords import in_both

MARKS = watched(load())
TWINS = [
    ("OSError: [Errno 28] No space left on device", "OSError: [Errno 28] 设备上没有空间"),
    ("OSError: [Errno 122] Disk quota exceeded: '/a'", "OSError: [Errno 122] 超出磁盘限额: '/a'"),
    (
        "PermissionError: [Errno 13] Permission denied: '/a'",
        "PermissionError: [Errno 13] 权限不够: '/a'",
    ),
    ("Killed", "已杀死"),
    ("Segmentation fault (core dumped)", "段错误 (核心已转储)"),
    ("Bus error (core dumped)", "总线错误 (核心已转储)"),
    ("OSError: [Errno 12] Cannot allocate memory", "OSError: [Errno 12] 无法分配内存"),
]


@cache
def _patterns() -> list[tuple[str, Any]]:
    return [(m.signature.id, re2.compile("(?m)" + m.signature.pattern)) for m in MARKS]


def _found(line: str) -> set[str]:
    return {name for name, pattern in _patterns() if pattern.search(line)}


@pytest.mark.parametrize(("english", "chinese"), TWINS)
def test_twins_are_found_alike(english: str, chinese: str) -> None:
    assert _found(english)
    assert _found(chinese) == _found(english)


@pytest.mark.parametrize("line", ["磁盘空间充足", "已杀死进程 0 个", "内存分配完成"])
def test_other_chinese_is_none_of_them(line: str) -> None:
    assert not _found(line)


def test_other_patterns_stay_as_they_are() -> None:
    assert in_both(r"loss=(?P<loss>\d+)") == r"loss=(?P<loss>\d+)"
