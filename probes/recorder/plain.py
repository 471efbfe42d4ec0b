"""A dump's bytes as plain values: a pickle of data alone, or JSON. Nothing is unpickled.

The walk knows the opcodes of lists, dicts, tuples, strings, numbers, True, False and None, which
is all that torch's own pickler writes into a dump (torch/csrc/jit/serialization/pickler.cpp), and
those that Python's has for the same values since protocol 2. Any other opcode ends it: none that
names, builds or calls anything is known here.
"""

from __future__ import annotations

import json
import struct
import time
from collections.abc import Callable
from typing import Any, BinaryIO

from medic.errors import Unreadable
from medic.text.safetext import one_line

from ..checkpoint.source import Damaged, size_of, truncated

# 20,000 calls, torchtitan's setting, with 25 frames each take some 10 MB and 8 million opcodes.
MAX_BYTES = 64 * 1024 * 1024
MAX_OPCODES = 20_000_000
MAX_CONTAINERS = 3_000_000  # of 64 bytes and more
MAX_SECONDS = 20.0
CHECK_EVERY = 0x3FFF
_CONSTANT = {0x4E: None, 0x88: True, 0x89: False}  # NONE NEWTRUE NEWFALSE
_INTEGERS = {0x4D: "<H", 0x4A: "<i"}  # BININT2 BININT
_STRINGS = {0x58: "<I", 0x8C: "<B", 0x8D: "<Q"}  # BINUNICODE SHORT_BINUNICODE BINUNICODE8
_LONGS = {0x8A: "<B", 0x8B: "<I"}  # LONG1 LONG4
_GETS = {0x6A: "<I"}  # LONG_BINGET
_PUTS = {0x72: "<I"}  # LONG_BINPUT
_TUPLES = {0x85: 1, 0x86: 2, 0x87: 3}  # TUPLE1 TUPLE2 TUPLE3
_SKIPPED = {0x80: 1, 0x95: 8}  # PROTO FRAME: bytes of their argument
_SHORT = (b"h", b"q", b"K")  # BINGET BINPUT BININT1: one byte follows
_UNPACK = {
    code: struct.Struct(form)
    for table in (_INTEGERS, _STRINGS, _LONGS, _GETS, _PUTS)
    for code, form in table.items()
}


def read_plain(file: BinaryIO, cancelled: Callable[[], bool] = lambda: False) -> Any:
    """The dump as lists, dicts, strings and numbers. Raises Unreadable (Damaged if cut off)."""
    size = size_of(file)
    if size == 0:
        raise Damaged("empty: 0 bytes", "文件为空（0 字节）")
    if size > MAX_BYTES:
        raise Unreadable(f"larger than {MAX_BYTES:,} bytes", f"超过 {MAX_BYTES:,} 字节")
    file.seek(0)
    data = file.read(MAX_BYTES)
    if data[:64].lstrip()[:1] == b"{":
        return _json(data)
    if data[:1] != b"\x80":
        raise Unreadable("neither a pickle nor JSON", "既不是 pickle 也不是 JSON")
    return DataWalk(data, cancelled).value()


def _json(data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8", "replace"))
    except RecursionError:
        raise Unreadable("JSON nested too deep", "JSON 嵌套过深") from None
    except ValueError as problem:
        at = getattr(problem, "pos", 0)
        raise Damaged(
            f"no valid JSON at character {at:,}: cut off?",
            f"第 {at:,} 个字符处不是有效的 JSON：文件不完整？",
        ) from None


class DataWalk:
    """Walks one pickle that may hold data only."""

    def __init__(self, data: bytes, cancelled: Callable[[], bool] = lambda: False) -> None:
        self._data = data
        self._cancelled = cancelled
        self._at = 0
        self._stack: list[Any] = []
        self._marks: list[list[Any]] = []
        self._memo: dict[int, Any] = {}
        self._containers = 0
        self._end = time.monotonic() + MAX_SECONDS

    def value(self) -> Any:
        """The value. Raises Damaged where the bytes end or make no sense, Unreadable for an
        opcode that is not of data, and above a limit."""
        try:
            return self._walk()
        except (AttributeError, IndexError, KeyError, TypeError, ValueError, struct.error):
            at = self._at
            if self._data[at : at + 1] in (b"", *_SHORT) and at + 1 >= len(self._data):
                raise truncated(len(self._data)) from None
            raise Damaged(
                f"no valid pickle at byte {at:,}", f"第 {at:,} 字节处不是有效的 pickle"
            ) from None

    def _walk(self) -> Any:
        """The most frequent opcodes stand first: a large dump has millions of them."""
        data, memo, count = self._data, self._memo, 0
        while True:
            count += 1
            if not count & CHECK_EVERY:
                self._check(count)
            at = self._at
            code = data[at]
            if code == 0x68:  # BINGET
                self._stack.append(memo[data[at + 1]])
                self._at = at + 2
            elif code == 0x71:  # BINPUT
                memo[data[at + 1]] = self._stack[-1]
                self._at = at + 2
            elif code == 0x4B:  # BININT1
                self._stack.append(data[at + 1])
                self._at = at + 2
            elif code == 0x28:  # MARK
                self._marks.append(self._stack)
                self._stack = []
                self._at = at + 1
            elif code == 0x2E:  # STOP
                return self._stack[-1]
            else:
                self._at = at + 1
                if not (self._atom(code) or self._container(code) or self._longer(code)):
                    self._at = at
                    raise self._refused(code)

    def _atom(self, code: int) -> bool:
        if code in _STRINGS:
            self._stack.append(self._take(self._number(code)).decode("utf-8", "replace"))
        elif code in _GETS:
            self._stack.append(self._memo[self._number(code)])
        elif code in _PUTS:
            self._memo[self._number(code)] = self._stack[-1]
        elif code in _INTEGERS:
            self._stack.append(self._number(code))
        elif code in _CONSTANT:
            self._stack.append(_CONSTANT[code])
        else:
            return False
        return True

    def _check(self, count: int) -> None:
        late = time.monotonic() > self._end or self._cancelled()
        if count > MAX_OPCODES or self._containers > MAX_CONTAINERS or late:
            raise Unreadable(
                f"its pickle is too long: more than {MAX_OPCODES:,} opcodes or {MAX_SECONDS:g} s",
                f"pickle 过长：超过 {MAX_OPCODES:,} 个操作码或 {MAX_SECONDS:g} 秒",
            )

    def _number(self, code: int) -> int:
        form = _UNPACK[code]
        number: int = form.unpack_from(self._data, self._at)[0] if self._fits(form.size) else 0
        self._at += form.size
        return number

    def _fits(self, count: int) -> bool:
        if self._at + count > len(self._data):
            raise truncated(len(self._data))
        return True

    def _take(self, count: int) -> bytes:
        self._fits(count)
        piece = self._data[self._at : self._at + count]
        self._at += count
        return piece

    def _container(self, code: int) -> bool:
        stack = self._stack
        if code == 0x7D:  # EMPTY_DICT
            stack.append({})
        elif code == 0x5D:  # EMPTY_LIST
            stack.append([])
        elif code == 0x29:  # EMPTY_TUPLE
            stack.append(())
        elif code in _TUPLES:
            count = _TUPLES[code]
            if len(stack) < count:
                raise IndexError
            stack[-count:] = [tuple(stack[-count:])]
        elif code == 0x74:  # TUPLE
            items = self._pop_mark()
            self._stack.append(tuple(items))
        else:
            return self._filled(code)
        self._containers += 1
        return True

    def _filled(self, code: int) -> bool:
        if code == 0x75:  # SETITEMS
            items = self._pop_mark()
            _set(self._stack[-1], items)
        elif code == 0x65:  # APPENDS
            items = self._pop_mark()
            self._stack[-1].extend(items)
        elif code == 0x73:  # SETITEM
            value, key = self._stack.pop(), self._stack.pop()
            _set(self._stack[-1], [key, value])
        elif code == 0x61:  # APPEND
            value = self._stack.pop()
            self._stack[-1].extend([value])
        else:
            return False
        return True

    def _longer(self, code: int) -> bool:
        if code in _LONGS:
            self._stack.append(
                int.from_bytes(self._take(self._number(code)), "little", signed=True)
            )
        elif code == 0x94:  # MEMOIZE
            self._memo[len(self._memo)] = self._stack[-1]
        elif code in _SKIPPED:
            self._take(_SKIPPED[code])
        elif code == 0x47:  # BINFLOAT
            self._stack.append(struct.unpack(">d", self._take(8))[0])
        else:
            return False
        return True

    def _pop_mark(self) -> list[Any]:
        items = self._stack
        self._stack = self._marks.pop()
        return items

    def _refused(self, code: int) -> Unreadable:
        """The opcode by its name, with what it names."""
        from pickletools import opcodes

        known = next((op for op in opcodes if op.code == chr(code)), None)
        if known is None:
            at = self._at
            return Damaged(
                f"no pickle opcode at byte {at:,}", f"第 {at:,} 字节处没有 pickle 操作码"
            )
        words = known.name
        if words in ("GLOBAL", "INST"):
            names = self._data[self._at + 1 : self._at + 160].split(b"\n")[:2]
            words += " " + one_line(b".".join(names).decode("utf-8", "replace"), 80)
        return Unreadable(
            f"its pickle holds more than data ({words}): not opened",
            f"pickle 中不只有数据（{words}）：未打开",
        )


def _set(target: Any, items: list[Any]) -> None:
    """Keys are texts: a nested tuple as a key could exhaust the C stack when it is hashed."""
    if not isinstance(target, dict) or len(items) % 2:
        raise TypeError
    for key, value in zip(items[::2], items[1::2], strict=True):
        if isinstance(key, str):
            target[key] = value
