"""A write refused for lack of space where df shows room: no disk that is proven full."""

from __future__ import annotations

import pytest

from medic.case.collect import collect
from medic.index.knowledge import Index, load
from medic.runner.registry import all_probes
from medic.session.consultation import Session

ERROR = "It stopped at a save.\nOSError: [Errno 28] No space left on device\n"
HEAD = "Filesystem      Size  Used Avail Use% Mounted on\n"
ROOM = "/dev/nvme0n1p1  3.5T  1.2T  2.3T  35% /scratch\n"
FULL = "/dev/nvme0n1p1  3.5T  3.5T     0 100% /scratch\n"


@pytest.fixture(scope="module")
def index() -> Index:
    return load()


def verdict(index: Index, text: str) -> str:
    probes = [probe for probe in all_probes() if probe.reads == "artefacts"]
    session = Session(index, collect([], text=text, this_host=False, index=index), probes)
    session.look()
    return session.diagnosis().verdict


@pytest.mark.parametrize(
    "told", [HEAD + ROOM, f"$ df -h\n{ROOM}", "But `df -h` shows the disk is only 35% used."]
)
def test_no_disk_is_proven_full_where_df_shows_room(index: Index, told: str) -> None:
    assert verdict(index, ERROR + told) != "established"


def test_a_full_one_is(index: Index) -> None:
    assert verdict(index, ERROR + HEAD + FULL) == "established"
