"""A layer's allocations as a program: written down once, run for each of the layers."""

from __future__ import annotations

from collections.abc import Callable

from medic.memory.allocator import (
    COPY,
    DROP,
    GRADIENT,
    KEY,
    MOVE,
    PASS,
    RETAKE,
    SMALL,
    TAKE,
    Allocator,
    Block,
    Instruction,
    rounded,
    together,
)
from medic.records import dataclass


class Recorder:
    """Named tensors of a layer. What is said of them is written down, with a slot for each name.

    Blocks of the pool of small blocks are left out, as ``Allocator`` does.
    """

    def __init__(self) -> None:
        self.slots: dict[str, int] = {}
        self.held: dict[str, bool] = {}  # whether the block is a large one
        self._written: list[Instruction] = []

    def new(self, name: str, size: float) -> None:
        """A tensor of ``size`` bytes; one of this name that is still there is freed after it."""
        if size > SMALL:
            self._write(RETAKE if self.held.get(name) else TAKE, name, rounded(size))
        elif self.held.get(name):
            self._write(DROP, name)
        self.held[name] = size > SMALL

    def lasting(self, name: str, size: float) -> None:
        """A tensor that stays to the layer's next call, which frees it after its own."""
        if size > SMALL:
            self._write(RETAKE, name, rounded(size))

    def drop(self, *names: str) -> None:
        """Frees what is there under the names."""
        for name in names:
            if self.held.pop(name, False):
                self._write(DROP, name)

    def clear(self) -> None:
        self.drop(*list(self.held))

    def rename(self, name: str, new: str) -> None:
        self.held[new] = self.held.pop(name)
        self._write(MOVE, name, self._slot(new))

    def hand_over(self, name: str) -> int:
        """The slot of a tensor that the caller takes from here."""
        self.held.pop(name)
        return self._slot(name)

    def passing(self, *sizes: float) -> None:
        """Tensors that are alive together for a moment."""
        if any(size > SMALL for size in sizes):
            self._written.append((PASS, 0, *together(sizes), sizes))

    def copied(self, name: str, size: float) -> None:
        """A copy of a weight that autocast keeps."""
        self._write(COPY, name, int(size))

    def gradient(self, values: int) -> None:
        """The gradient of so many weights is ready."""
        self._written.append((GRADIENT, 0, values, 0, ()))

    def written(self) -> list[Instruction]:
        """What was said since the last call."""
        found, self._written = self._written, []
        return found

    def _write(self, what: int, name: str, size: int = 0) -> None:
        self._written.append((what, self._slot(name), size, size << KEY, ()))

    def _slot(self, name: str) -> int:
        return self.slots.setdefault(name, len(self.slots))


@dataclass(frozen=True)
class Program:
    """A layer's forward and backward pass (with what is recomputed), how many slots they have, and
    that of the layer's result."""

    forward: list[Instruction]
    backward: list[Instruction]
    slots: int
    result: int


@dataclass(frozen=True)
class Passed:
    """A layer's backward pass that left everything as it was: ``above`` bytes were allocated in it,
    ``given_back`` says how often segments had been by then."""

    program: Program
    above: int
    given_back: int
    free: tuple[int, ...]  # sizes of the free blocks before it, where weights come and go as well


class Layer:
    """One layer of a trace. ``gradient`` takes the values of a weight whose gradient is ready;
    ``copy`` the name and size of a weight's copy."""

    __slots__ = ("copy", "gradient", "number", "pool", "program", "slots")

    def __init__(
        self,
        number: int,
        program: Program,
        pool: Allocator,
        gradient: Callable[[int], None],
        copy: Callable[[str, float], None],
    ) -> None:
        self.number, self.program, self.pool = number, program, pool
        self.gradient, self.copy = gradient, copy
        self.slots: list[Block | None] = [None] * program.slots

    def forward(self) -> Block | None:
        """The layer's result; what the backward pass needs stays here."""
        self._run(self.program.forward)
        result = self.slots[self.program.result]
        self.slots[self.program.result] = None
        return result

    def backward(self) -> None:
        self._run(self.program.backward)

    def _run(self, program: list[Instruction]) -> None:
        self.pool.run(program, self.slots, self._beside)

    def _beside(self, what: int, slot: int, size: int) -> None:
        if what == GRADIENT:
            self.gradient(size)
        else:
            self.copy(f"{self.number} {slot}", size)
