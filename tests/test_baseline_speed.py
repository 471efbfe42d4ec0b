"""How fast a run trains against the one that worked."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.baseline import compared, observed
from medic.case.collect import collect
from medic.facts import SinceGood
from medic.index.knowledge import load
from medic.runner.registry import all_probes
from medic.runner.run import observe


def run(folder: Path, tokens: int, *, network: str = "IB", batch: int = 4) -> Path:
    folder.mkdir()
    (folder / "config.yaml").write_text(f"training:\n  micro_batch_size: {batch}\n", "utf-8")
    rows = [
        f"step: {s} loss: {4 - s / 100:.4f} tokens/s: {tokens + s % 3} mfu: {tokens / 200:.2f}%"
        for s in range(1, 41)
    ]
    said = [f"n01:1:2 [0] NCCL INFO Using network {network}"]
    (folder / "train.log").write_text("\n".join([*said, *rows]) + "\n", "utf-8")
    return folder


def since(now: Path, good: Path) -> SinceGood:
    rooms = ("config", "flags", "logs", "curve", "gpu", "packages")
    probes = [p for p in all_probes(rooms) if p.reads == "artefacts"]
    return compared(observe(collect([str(now)]), load(), probes), collect([str(good)]), load())


def is_slow(found: SinceGood) -> bool:
    return any(o.finding.name == "training-slow" for o in observed(found))


def test_speed_and_network_are_among_the_changes(tmp_path: Path) -> None:
    good = run(tmp_path / "good", 6900)
    found = since(run(tmp_path / "bad", 1150, network="Socket"), good)
    told = {d.name: (d.kind, d.good, d.now) for d in found.differences}
    assert told["tokens_per_s"] == ("speed", "6,901", "1,151")
    assert told["mfu"] == ("speed", "34.5", "5.75")
    assert told["NCCL network"] == ("node", "IB", "Socket")
    assert is_slow(found)
    rate = next(d for d in found.differences if d.name == "mfu")
    assert Path(rate.now_at.file).parent.name == "bad"
    assert rate.good_at.line > 1


@pytest.mark.parametrize(
    ("tokens", "differs", "slow"), [(6700, False, False), (5600, True, False), (9000, True, False)]
)
def test_what_is_no_slowness(tmp_path: Path, tokens: int, differs: bool, slow: bool) -> None:
    found = since(run(tmp_path / "now", tokens), run(tmp_path / "good", 6900))
    assert any(d.kind == "speed" for d in found.differences) == differs
    assert is_slow(found) == slow


def test_another_batch_is_another_step(tmp_path: Path) -> None:
    found = since(run(tmp_path / "now", 1150, batch=1), run(tmp_path / "good", 6900))
    assert not is_slow(found)
    assert {d.kind for d in found.differences} == {"speed", "config"}
