"""NCCL's first collective finds the other ranks through the store; its wait there may expire."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.logs import collective_ranks

_RAISED = """[rank1]: Traceback (most recent call last):
[rank1]:   File "/job/train.py", line 132, in main
[rank1]:     dist.barrier()
[rank1]:   File "/opt/lib/python3.12/site-packages/torch/distributed/distributed_c10d.py", line 5030, in barrier
[rank1]:     work = group.barrier(opts=opts)
[rank1]: torch.distributed.DistBackendError: [1] is setting up NCCL communicator and retrieving ncclUniqueId from [0] via c10d key-value store by key '0', but store->get('0') got error: {error}
"""
_BUSY = "2026-01-02 10:00:{s:02d},165 [rank0] INFO train: packing shard {s}/40\n"


@pytest.mark.parametrize(
    ("error", "alive"),
    [
        ("wait timeout after 20000ms, keys: /default_pg/0//cuda//0", True),
        ("Connection reset by peer", False),
    ],
)
def test_a_rank_that_prepares_data_while_another_waits(read: Any, error: str, alive: bool) -> None:
    first = "".join(_BUSY.format(s=s) for s in range(1, 21))
    text = first + _RAISED.format(error=error) + _BUSY.format(s=21)
    found = read(text).ask(collective_ranks.PROBE)
    outcome = found["collective-ranks"].outcome if "collective-ranks" in found else ""
    assert (outcome == "silent-rank-alive") == alive
