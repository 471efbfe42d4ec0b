"""What the C library and the shell say in Chinese: a log of such a machine reads like an English one.

The words are those of the zh_CN catalogues of glibc and bash.
"""

from __future__ import annotations

from collections.abc import Mapping
from re import escape

from medic.text.patterns import regex

# In RE2, as the patterns of entries write it.
_CHINESE: Mapping[str, str] = {
    "No space left on device": "设备上没有空间",
    "[Dd]isk quota exceeded": "超出磁盘限额",
    "Disk quota exceeded": "超出磁盘限额",
    "[Pp]ermission denied": "权限不够",
    "Permission denied": "权限不够",
    "No such file or directory": "没有那个文件或目录",
    "Connection refused": "(?:连接被拒绝|拒绝连接)",
    "Cannot allocate memory": "无法分配内存",
    "Address already in use": "地址已在使用",
    "[Aa]ddress already in use": "地址已在使用",
    "Segmentation fault": "段错误",
    "Bus error": "总线错误",
    r"\(core dumped\)": r"\((?:核心已转储|已转储|吐核)\)",
    "command not found": "未找到命令",
    "(?:command )?not found": "未找到命令",
    r"^Killed\s*$": r"^已杀死\s*$",
}
_LONGEST_FIRST = sorted(_CHINESE, key=len, reverse=True)
# An edge of a word is one of ASCII: it goes with the English words.
_WORDS = regex(r"(?:\\b)?(" + "|".join(map(escape, _LONGEST_FIRST)) + r")(?:\\b)?")


def in_both(pattern: str) -> str:
    """The pattern of a log line, with the Chinese of the system's messages beside the English."""
    return _WORDS.sub(lambda found: f"(?:{found[0]}|{_CHINESE[found[1]]})", pattern)
