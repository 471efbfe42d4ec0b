"""A start that fails since the script sends the ranks to different ports."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.evaluate import Labelled, judge
from medic.index.knowledge import load

FAILED = (
    "torch.distributed.DistStoreError: Timed out after 31 seconds waiting for clients. "
    "1/2 clients joined.\n"
)
TWO = (
    "export MASTER_ADDR=127.0.0.1 WORLD_SIZE=2\n"
    "MASTER_PORT=29534 RANK=0 python a.py > rank0.log 2>&1 &\n"
    "MASTER_PORT={port} RANK=1 python a.py > rank1.log 2>&1 &\nwait\n"
)


@pytest.mark.parametrize(("port", "first"), [(30534, True), (29534, False)])
def test_the_port_leads_where_it_differs(tmp_path: Path, port: int, first: bool) -> None:
    (tmp_path / "rank0.log").write_text(FAILED)
    (tmp_path / "launch.sh").write_text(TWO.format(port=port))
    found = judge(Labelled("run", folder=str(tmp_path)), load())
    assert (found.named[0] == "rendezvous-endpoint-wrong") is first
