"""The rules of torch's caching allocator, one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from medic.facts.memory import MIB
from medic.memory.allocator import DROP, KEY, TAKE, Allocator, Block, Instruction


def test_small_requests_are_left_out() -> None:
    pool = Allocator()
    assert pool.take(MIB) is None
    assert pool.reserved == 0


def test_a_middle_request_reserves_a_segment_that_the_next_ones_share() -> None:
    pool = Allocator()
    pool.take(2 * MIB)
    pool.take(8 * MIB)
    pool.take(8 * MIB)
    assert pool.reserved == 20 * MIB
    pool.take(4 * MIB)
    assert pool.reserved == 40 * MIB


def test_a_large_request_is_rounded_to_two_mebibytes() -> None:
    pool = Allocator()
    pool.take(11 * MIB)
    assert pool.reserved == 12 * MIB
    assert pool.allocated == 12 * MIB  # what is left is too small to split off


def test_the_smallest_block_that_holds_it_is_taken() -> None:
    pool = Allocator()
    large, small = pool.take(100 * MIB), pool.take(40 * MIB)
    pool.give(large)
    pool.give(small)
    pool.take(30 * MIB)
    pool.take(100 * MIB)
    assert pool.reserved == 140 * MIB


def test_a_broken_block_forces_a_further_segment() -> None:
    """What makes a second step need more than the first."""
    pool = Allocator()
    pool.give(pool.take(100 * MIB))
    pool.take(10 * MIB)
    pool.take(100 * MIB)
    assert pool.reserved == 200 * MIB


def test_freed_neighbours_join() -> None:
    pool = Allocator()
    pool.give(pool.take(100 * MIB))
    parts = [pool.take(50 * MIB), pool.take(50 * MIB)]
    for part in parts:
        pool.give(part)
    pool.take(100 * MIB)
    assert pool.reserved == 100 * MIB


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 300)), max_size=60))
def test_nothing_is_lost(steps: list[tuple[bool, int]]) -> None:
    pool = Allocator()
    held: list[Block | None] = []
    for take, size in steps:
        if take or not held:
            held.append(pool.take(size * MIB))
        else:
            pool.give(held.pop(size % len(held)))
        assert pool.allocated == sum(block.size for block in held if block)
        assert pool.allocated <= pool.peak <= pool.reserved


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(2, 300)), max_size=60))
def test_a_layers_program_does_what_its_calls_do(steps: list[tuple[int, int]]) -> None:
    """They are written twice, once for speed."""
    called, ran = Allocator(), Allocator()
    held: list[Block | None] = [None] * 6
    program: list[Instruction] = []
    for slot, size in steps:
        if held[slot] is None:
            held[slot] = called.take(size * MIB)
            program.append((TAKE, slot, size * MIB, size * MIB << KEY, ()))
        else:
            called.give(held[slot])
            held[slot] = None
            program.append((DROP, slot, 0, 0, ()))
    ran.run(program, [None] * 6, lambda *_: None)
    assert ran.free_sizes() == called.free_sizes()
    assert (ran.allocated, ran.peak, ran.reserved) == (
        called.allocated,
        called.peak,
        called.reserved,
    )
