"""Names of environment variables that a slip of the fingers makes of known ones."""

from __future__ import annotations

import pytest

from medic.text.slips import meant_variable, one_apart

KNOWN = ("NCCL_SOCKET_IFNAME", "NCCL_IB_HCA", "CUDA_VISIBLE_DEVICES", "LIB_MODE_FASTER")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("NCCL_SOCKET_IFNMAE", "NCCL_SOCKET_IFNAME"),
        ("NCCL_SOCKET_IFNAM", "NCCL_SOCKET_IFNAME"),
        ("NCCL_SOCKET_IFNAMES", "NCCL_SOCKET_IFNAME"),
        ("CUDA_VISABLE_DEVICES", "CUDA_VISIBLE_DEVICES"),
        ("NCCL_HCA_IB", "NCCL_IB_HCA"),  # its words in another order
        ("CUDA_VISIB_DEVICES", "CUDA_VISIBLE_DEVICES"),  # one of them cut short
        ("CUDA_HIDDEN_DEVICES", None),  # another word
        ("MODE_LIB_FASTER", None),  # of no library that has such names
        ("NCCL_SOCKET_IFNAME", None),  # known
        ("NCCL_SOCKET_IFNAME2", None),  # a second one of the same kind
        ("CUDA_VISIBLE_DEVISES", None),  # a consonant
        ("CUDA_VISIBEL_DEVICSE", None),  # two slips
        ("NCL_IB_HC", None),
        ("NCCL_IBHC", None),  # short
    ],
)
def test_the_variable_that_is_meant(name: str, meant: str | None) -> None:
    assert meant_variable(name, KNOWN) == meant


def test_one_near_to_several_is_none_of_them() -> None:
    assert meant_variable("NCCL_SOCKETS", ("NCCL_SOCKET", "NCCL_SOCKETSX")) is None


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [("ab", "ab", 0), ("ab", "ba", 1), ("ab", "acb", 1), ("ab", "cd", None), ("aab", "ab", 1)],
)
def test_letters_apart(one: str, other: str, apart: int | None) -> None:
    assert one_apart(one, other) == apart
