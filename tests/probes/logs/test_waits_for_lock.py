"""A log that repeats that it waits for a lock to its end, and locks that are got after a while."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.logs import waits_for_lock

OWN = (
    "index /data/index.rank1 is being built by another process, waiting for /data/index.rank1.lock"
)
HUB = "Still waiting to acquire lock on /cache/models--x/.lock (elapsed: {n}0.1 seconds)"
CHINESE = "正在等待缓存目录的 index.lock"


def lines(words: str, times: int) -> str:
    return "".join(
        f"[2026-11-30 09:59:{n * 4:02d},411][rank1][INFO] {words.format(n=n)}\n"
        for n in range(1, times + 1)
    )


@pytest.mark.parametrize("words", [OWN, HUB, CHINESE])
@pytest.mark.parametrize(
    ("times", "after", "told"), [(6, "", True), (2, "", False), (6, "got it", False)]
)
def test_lines_that_repeat_to_the_end(
    read: Any, words: str, times: int, after: str, told: bool
) -> None:
    text = lines("reading train.bin", 1) + lines(words, times)
    text += f"[2026-11-30 10:00:01,411][rank1][INFO] {after}\n" if after else ""
    found = read({"rank_1.log": text}).ask(waits_for_lock.PROBE)
    assert ("busy-rank" in found) == told
    if told:
        assert found["busy-rank"].outcome == "waits-for-lock"
        assert "rank 1" in str(found["busy-rank"].value["told"])


def test_other_lines_that_repeat_are_no_wait(read: Any) -> None:
    text = lines("waiting for 12 blocks of the clock", 6)
    assert not read({"rank_1.log": text}).ask(waits_for_lock.PROBE)
