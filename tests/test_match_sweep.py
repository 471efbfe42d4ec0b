"""The first look at blocks, shared among threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from medic.match.reader import Block
from medic.match.sweep import sweep


def blocks(number: int) -> Iterator[Block]:
    for n in range(number):
        yield Block(f"line {n}\n".encode(), n + 1, n + 1)


def own_number(view: bytes) -> list[int]:
    return [int(view.split()[1])]


def test_blocks_come_in_their_order_with_their_own_numbers() -> None:
    found = list(sweep(own_number, blocks(333)))
    assert [block.line for block, _, _ in found] == list(range(1, 334))
    assert [numbers for _, _, numbers in found] == [[n] for n in range(333)]


def test_nothing_found_is_no_number() -> None:
    assert [list(numbers) for _, _, numbers in sweep(lambda _: None, blocks(3))] == [[], [], []]


def test_what_a_thread_could_not_look_at_is_looked_at_again() -> None:
    main = threading.current_thread()

    def only_here(view: bytes) -> list[int]:
        if threading.current_thread() is not main:
            raise MemoryError
        return own_number(view)

    assert [n for _, _, [n] in sweep(only_here, blocks(40))] == list(range(40))


def test_colours_go_and_carriage_returns_part_lines() -> None:
    raw = b"\x1b[31mstep 1\rstep 2\x1b[0m\n"
    [(block, view, _)] = sweep(lambda _: (), iter([Block(raw, 1, 1)]))
    assert block.data == b"step 1\rstep 2\n"
    assert view == b"step 1\nstep 2\n"
