"""A pickle read opcode by opcode into plain values, without importing or calling anything.

``pickletools.genops`` decodes the opcodes; the stack machine below knows what each does to the
stack, and gives ``values.call`` where the real one would call a function.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, cast

from medic.errors import Unreadable

from . import values
from .source import Damaged, Stream
from .values import Name, Opaque, Tensor

# A model of 1,000 tensors with Adam states has some 75,000 opcodes, about 0.1 s. What takes far
# longer is a data set that was pickled, not a checkpoint.
MAX_OPCODES = 10_000_000
MAX_SECONDS = 10.0
CHECK_EVERY = 8_192
MAX_LISTED = 200
_LITERALS = frozenset(
    {
        "INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT",
        "STRING", "BINSTRING", "SHORT_BINSTRING", "UNICODE", "SHORT_BINUNICODE", "BINUNICODE",
        "BINUNICODE8",
    }
)  # fmt: skip
_BYTES = frozenset({"BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "BYTEARRAY8", "NEXT_BUFFER"})
_NOTHING = frozenset({"PROTO", "FRAME", "READONLY_BUFFER", "STOP"})
_CONSTANT = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}


class UnknownOpcode(Damaged):
    """Bytes that are no pickle at this place."""


class Walk:
    """Walks pickles of one file; ``listed`` collects the globals that are not torch's own."""

    def __init__(self, cancelled: Callable[[], bool] = lambda: False) -> None:
        self.listed: dict[str, None] = {}
        self._cancelled = cancelled
        self._left = MAX_OPCODES
        self._start = time.monotonic()
        self._stack: list[Any] = []
        self._marks: list[list[Any]] = []
        self._memo: dict[int, Any] = {}
        self._steps: dict[str, Callable[[Any], None]] = {
            name[4:].upper(): getattr(self, name) for name in dir(self) if name.startswith("_op_")
        }

    def value(self, stream: Stream) -> Any:
        """The value of the next pickle in ``stream``.

        Raises Damaged where the bytes end or make no sense, Unreadable above a limit.
        """
        self._stack, self._marks, self._memo = [], [], {}
        at = stream.tell()
        try:
            for name, argument, position in _opcodes(stream):
                at = position or 0
                self._count()
                self._step(name, argument)
            return self._stack[-1]
        except (IndexError, KeyError, TypeError, ValueError):
            raise Damaged(
                f"no valid pickle at byte {at:,}", f"第 {at:,} 字节处不是有效的 pickle"
            ) from None

    def _count(self) -> None:
        self._left -= 1
        if self._left % CHECK_EVERY:
            return
        late = time.monotonic() - self._start > MAX_SECONDS
        if self._left <= 0 or late or self._cancelled():
            raise Unreadable(
                f"its pickle is too long: more than {MAX_OPCODES:,} opcodes or {MAX_SECONDS:g} s",
                f"pickle 过长：超过 {MAX_OPCODES:,} 个操作码或 {MAX_SECONDS:g} 秒",
            )

    def _step(self, name: str, argument: Any) -> None:
        if name in _LITERALS:
            self._stack.append(argument)
        elif name in _BYTES:
            self._stack.append(Opaque("bytes"))
        elif name in _CONSTANT:
            self._stack.append(_CONSTANT[name])
        elif name not in _NOTHING:
            self._steps[name](argument)

    # --- stack and memo -----------------------------------------------------------------------

    def _op_mark(self, _: Any) -> None:
        self._marks.append(self._stack)
        self._stack = []

    def _pop_mark(self) -> list[Any]:
        items = self._stack
        self._stack = self._marks.pop()
        return items

    def _op_pop_mark(self, _: Any) -> None:
        self._pop_mark()

    def _op_pop(self, _: Any) -> None:
        if self._stack:
            self._stack.pop()
        else:
            self._pop_mark()

    def _op_dup(self, _: Any) -> None:
        self._stack.append(self._stack[-1])

    def _op_memoize(self, _: Any) -> None:
        self._memo[len(self._memo)] = self._stack[-1]

    def _op_put(self, index: int) -> None:
        self._memo[index] = self._stack[-1]

    _op_binput = _op_long_binput = _op_put

    def _op_get(self, index: int) -> None:
        self._stack.append(self._memo[index])

    _op_binget = _op_long_binget = _op_get

    # --- containers ---------------------------------------------------------------------------

    def _op_empty_list(self, _: Any) -> None:
        self._stack.append([])

    _op_empty_set = _op_empty_list

    def _op_empty_tuple(self, _: Any) -> None:
        self._stack.append(())

    def _op_empty_dict(self, _: Any) -> None:
        self._stack.append({})

    def _op_list(self, _: Any) -> None:
        items = self._pop_mark()
        self._stack.append(items)

    _op_frozenset = _op_list

    def _op_tuple(self, _: Any) -> None:
        items = tuple(self._pop_mark())
        self._stack.append(items)

    def _op_tuple1(self, _: Any) -> None:
        self._stack[-1:] = [(self._stack[-1],)]

    def _op_tuple2(self, _: Any) -> None:
        self._stack[-2:] = [(self._stack[-2], self._stack[-1])]

    def _op_tuple3(self, _: Any) -> None:
        self._stack[-3:] = [(self._stack[-3], self._stack[-2], self._stack[-1])]

    def _op_dict(self, _: Any) -> None:
        items = self._pop_mark()
        self._stack.append({})
        self._set(items)

    def _op_append(self, _: Any) -> None:
        item = self._stack.pop()
        self._extend([item])

    def _op_appends(self, _: Any) -> None:
        self._extend(self._pop_mark())

    _op_additems = _op_appends

    def _extend(self, items: list[Any]) -> None:
        if isinstance(self._stack[-1], list):
            self._stack[-1].extend(items)

    def _op_setitem(self, _: Any) -> None:
        value, key = self._stack.pop(), self._stack.pop()
        self._set([key, value])

    def _op_setitems(self, _: Any) -> None:
        self._set(self._pop_mark())

    def _set(self, items: list[Any]) -> None:
        target = self._stack[-1]
        if isinstance(target, Tensor):  # CVE-2026-24747: writes through a tensor while loading
            raise Unreadable(
                "its pickle writes into a tensor: not opened", "pickle 会写入张量：未打开"
            )
        into = target.items if isinstance(target, Opaque) else target
        if isinstance(into, dict):
            pairs = zip(items[::2], items[1::2], strict=True)
            into.update((k, v) for k, v in pairs if values.key_ok(k))

    # --- globals and calls --------------------------------------------------------------------

    def _named(self, module: object, name: object) -> Name:
        full = f"{module}.{name}" if isinstance(module, str) and isinstance(name, str) else "?"
        if not values.is_known(full) and len(self.listed) < MAX_LISTED:
            self.listed.setdefault(full[:200])
        return Name(full)

    def _op_global(self, argument: str) -> None:
        module, _, name = argument.partition(" ")
        self._stack.append(self._named(module, name))

    def _op_stack_global(self, _: Any) -> None:
        name, module = self._stack.pop(), self._stack.pop()
        self._stack.append(self._named(module, name))

    def _op_ext1(self, code: int) -> None:
        self._stack.append(self._named("copyreg", f"extension {code}"))

    _op_ext2 = _op_ext4 = _op_ext1

    def _op_reduce(self, _: Any) -> None:
        args, function = self._stack.pop(), self._stack.pop()
        self._stack.append(values.call(function, args if isinstance(args, tuple) else ()))

    _op_newobj = _op_reduce

    def _op_newobj_ex(self, _: Any) -> None:
        self._stack.pop()
        self._op_reduce(None)

    def _op_inst(self, argument: str) -> None:
        args = tuple(self._pop_mark())
        module, _, name = argument.partition(" ")
        self._stack.append(values.call(self._named(module, name), args))

    def _op_obj(self, _: Any) -> None:
        function, *args = self._pop_mark()
        self._stack.append(values.call(function, tuple(args)))

    def _op_build(self, _: Any) -> None:
        state = self._stack.pop()
        if isinstance(self._stack[-1], Opaque):
            self._stack[-1].state = state

    def _op_persid(self, _: Any) -> None:
        self._stack.append(Opaque("persistent id"))

    def _op_binpersid(self, _: Any) -> None:
        self._stack.append(values.storage_of(self._stack.pop()))


def _opcodes(stream: Stream) -> Iterator[tuple[str, Any, int | None]]:
    from pickletools import genops

    try:
        for opcode, argument, position in genops(cast("BinaryIO", stream)):
            yield opcode.name, argument, position
    except (ValueError, struct.error, OverflowError):
        at = stream.tell()
        raise UnknownOpcode(
            f"no pickle opcode at byte {at:,}", f"第 {at:,} 字节处没有 pickle 操作码"
        ) from None
