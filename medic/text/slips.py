"""Names that a slip of the fingers makes of others: a letter left out, added, swapped, a vowel."""

from __future__ import annotations

from collections.abc import Collection

MIN_LENGTH = 10  # of a name, for a slip of one letter to be told
# Of what follows the name of the library that reads the variable: NCCL_DEBUG.
_MIN_REST = 4
_MIN_WORDS = 3
_FAMILIES = ("NCCL_", "TORCH_", "CUDA_", "GLOO_", "HF_", "UCX_", "WANDB_", "TORCH_NCCL_")
_VOWELS = frozenset("AEIOUY")


def meant_variable(name: str, known: Collection[str]) -> str | None:
    """The environment variable that a misspelt name stands for; None where none or several are
    near, and for a short or a known name.
    """
    if name in known:
        return None
    family = next((one for one in _FAMILIES if name.startswith(one)), "")
    if len(name) < MIN_LENGTH and not (family and len(name) - len(family) >= _MIN_REST):
        return None
    own = [one for one in known if one.startswith(family)]
    near = [one for one in own if _is_slip(name, one)] or [
        one for one in own if family and _has_its_words(name, one)
    ]
    return near[0] if len(near) == 1 else None


def _has_its_words(name: str, other: str) -> bool:
    """The same words in another order (NCCL_DISABLE_IB), or one of them cut short or drawn out
    (TORCH_NCCL_BLOCK_WAIT)."""
    one, two = name.split("_"), other.split("_")
    if len(one) != len(two) or len(one) < _MIN_WORDS or digits_of(name) != digits_of(other):
        return False
    if sorted(one) == sorted(two):
        return True
    apart = [(a, b) for a, b in zip(one, two, strict=True) if a != b]
    short, long = sorted(apart[0], key=len) if len(apart) == 1 else ("", "")
    return len(short) > _MIN_REST and long.startswith(short)


def _is_slip(name: str, other: str) -> bool:
    """One letter left out, added or swapped with the next one, or one vowel for another. A
    consonant for another is no slip: libraries have such pairs of their own.
    """
    if one_apart(name, other) is None or digits_of(name) != digits_of(other):
        return False
    if len(name) != len(other) or is_swapped(name, other):
        return True
    return all({a, b} <= _VOWELS for a, b in zip(name, other, strict=True) if a != b)


def one_apart(one: str, other: str) -> int | None:
    """0, 1, or None for more: what is left between the beginning and the end that both share.

    1: a letter to insert, drop, change or swap with the next one.
    """
    shorter, start = min(len(one), len(other)), 0
    while start < shorter and one[start] == other[start]:
        start += 1
    end = 0
    while end < shorter - start and one[-1 - end] == other[-1 - end]:
        end += 1
    a, b = one[start : len(one) - end], other[start : len(other) - end]
    if not a and not b:
        return 0
    swapped = len(a) == len(b) == 2 and a == b[::-1]
    return 1 if swapped or max(len(a), len(b)) == 1 else None


def is_swapped(one: str, other: str) -> bool:
    """Whether two neighbouring letters of a name are swapped, and nothing else differs."""
    return one_apart(one, other) is not None and sorted(one) == sorted(other)


def digits_of(name: str) -> str:
    """A slip of the fingers leaves them as they are: beta1 is no misspelt beta2."""
    return "".join(c for c in name if c.isdigit())
