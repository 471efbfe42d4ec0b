"""A run against one that worked: what differs, where, and what is no difference."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from medic.baseline import compared, observed
from medic.baseline.curves import first_apart
from medic.case.collect import collect
from medic.commands import main
from medic.facts import Curve, Difference, Packages, Series, Source
from medic.index.knowledge import load
from medic.run_config import RunConfig
from medic.runner.evidence import Evidence
from medic.runner.registry import all_probes
from medic.runner.run import observe

CONFIG = """\
training:
  micro_batch_size: {micro}
  seq_len: 2048
  lr: {rate}
  total_steps: 1000
data:
  train_path: {data}
  output_dir: /out/{name}
"""
LAUNCH = "torchrun --nproc_per_node=8 train.py --run_name {name} --pack_samples {pack}\n"


def run(
    folder: Path,
    *,
    micro: int = 4,
    rate: str = "3.0e-4",
    data: str = "/data/a",
    pack: int = 1,
    torch: str = "2.6.0",
    losses: list[float] | None = None,
) -> Path:
    folder.mkdir()
    (folder / "config.yaml").write_text(
        CONFIG.format(micro=micro, rate=rate, data=data, name=folder.name), "utf-8"
    )
    (folder / "launch.sh").write_text(LAUNCH.format(name=folder.name, pack=pack), "utf-8")
    (folder / "train.log").write_text(f"torch=={torch}\nRuntimeError: boom\n", "utf-8")
    if losses:
        rows = [json.dumps({"step": i, "loss": v}) for i, v in enumerate(losses, start=1)]
        (folder / "metrics.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
    return folder


def differences(now: Path, good: Path) -> list[Difference]:
    rooms = ("config", "flags", "logs", "curve", "gpu", "packages")
    probes = [p for p in all_probes(rooms) if p.reads == "artefacts"]
    evidence: Evidence = observe(collect([str(now)]), load(), probes)
    return list(compared(evidence, collect([str(good)]), load()).differences)


def test_every_difference_has_both_values_and_both_places(tmp_path: Path) -> None:
    good = run(tmp_path / "good")
    bad = run(tmp_path / "bad", micro=8, rate="3.0e-3", data="/data/b", pack=0, torch="2.9.0")
    found = {d.name.rpartition(".")[2].lstrip("-"): d for d in differences(bad, good)}
    assert {name: (d.kind, d.good, d.now) for name, d in found.items()} == {
        "micro_batch_size": ("config", "4", "8"),
        "learning_rate": ("config", "0.0003", "0.003"),
        "train_path": ("data", "/data/a", "/data/b"),
        "pack_samples": ("config", "1", "0"),
        "torch": ("version", "2.6.0", "2.9.0"),
    }
    rate = found["learning_rate"]
    assert (Path(rate.now_at.file).parent.name, rate.now_at.line) == ("bad", 4)
    assert (Path(rate.good_at.file).parent.name, rate.good_at.line) == ("good", 4)


def test_a_run_does_not_differ_from_itself_nor_by_its_name(tmp_path: Path) -> None:
    good, same = run(tmp_path / "good"), run(tmp_path / "same")
    assert differences(same, good) == []


def test_a_value_that_only_one_run_states(tmp_path: Path) -> None:
    good, bad = run(tmp_path / "good"), run(tmp_path / "bad")
    text = (bad / "config.yaml").read_text("utf-8")
    (bad / "config.yaml").write_text(text + "optimization:\n  gradient_clip_val: 1.0\n", "utf-8")
    (found,) = differences(bad, good)
    assert (found.good, found.now) == ("", "1.0")


def test_a_missing_config_is_no_difference(tmp_path: Path) -> None:
    good, bad = run(tmp_path / "good"), run(tmp_path / "bad", micro=16)
    (good / "config.yaml").unlink()
    (good / "launch.sh").unlink()
    assert differences(bad, good) == []


# --- curves -----------------------------------------------------------------------------------


def series(values: list[float], first: int = 1) -> Series:
    steps = tuple(range(first, first + len(values)))
    return Series("loss", "m.jsonl", steps, tuple(values), steps)


def test_noise_is_no_difference() -> None:
    one = [3.0 - 0.01 * i + 0.02 * (-1) ** i for i in range(60)]
    other = [3.0 - 0.01 * i - 0.02 * (-1) ** i for i in range(60)]
    assert first_apart(series(one), series(other)) is None


def test_the_first_step_of_another_way() -> None:
    good = [3.0 - 0.01 * i for i in range(60)]
    bad = [v if i < 40 else v + 0.8 for i, v in enumerate(good)]
    assert first_apart(series(bad), series(good)) == 41


def test_one_spike_is_no_other_way() -> None:
    good = [3.0] * 30
    bad = [3.0 if i != 10 else 9.0 for i in range(30)]
    assert first_apart(series(bad), series(good)) is None


def test_a_nan_is_one_at_once() -> None:
    bad = [3.0] * 10 + [math.nan] * 3
    assert first_apart(series(bad), series([3.0] * 13)) == 11


def test_runs_without_common_steps_are_not_compared() -> None:
    assert first_apart(series([1.0] * 5), series([9.0] * 5, first=100)) is None


# --- findings and the command -----------------------------------------------------------------


def test_each_kind_is_an_outcome_and_curves_are_none(tmp_path: Path) -> None:
    good = run(tmp_path / "good", losses=[3.0] * 20)
    bad = run(tmp_path / "bad", micro=8, torch="2.9.0", losses=[3.0] * 10 + [6.0] * 10)
    probes = [
        p
        for p in all_probes(("config", "flags", "logs", "curve", "packages"))
        if p.reads == "artefacts"
    ]
    evidence = observe(collect([str(bad)]), load(), probes)
    found = compared(evidence, collect([str(good)]), load())
    kinds = [o.outcome for o in observed(found) if o.name == "changed-since-good"]
    assert sorted(kinds) == ["config", "version"]
    assert [d.name for d in found.differences if d.kind == "curve"] == ["loss @ step 11"]


def test_nothing_that_differs_is_the_normal_outcome() -> None:
    evidence = Evidence(
        facts={
            RunConfig: RunConfig(),
            Packages: Packages({"torch": "2.6.0"}, {"torch": Source()}),
            Curve: Curve(),
        }
    )
    assert evidence.fact(Curve) is not None
    from medic.facts import SinceGood

    assert [o.outcome for o in observed(SinceGood(compared=("config",)))] == ["nothing-known"]
    assert observed(SinceGood()) == []


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_table_shows_both_places(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lang: str
) -> None:
    good, bad = run(tmp_path / "good"), run(tmp_path / "bad", micro=8)
    assert main(["diagnose", str(bad), "--baseline", str(good), "--lang", lang]) == 1
    said = capsys.readouterr().out
    assert "micro_batch_size: 4 -> 8" in said
    assert "good/config.yaml:2 -> " in said
    assert main(["diagnose", str(bad), "--baseline", str(good), "--json"]) == 1
    (row,) = json.loads(capsys.readouterr().out)["changed_since_good"]
    assert (row["kind"], row["name"], row["now"], row["good"]) == (
        "config",
        "micro_batch_size",
        "8",
        "4",
    )


def test_a_baseline_that_is_not_there_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = run(tmp_path / "bad")
    assert main(["diagnose", str(bad), "--baseline", str(tmp_path / "none"), "--lang", "en"]) == 2
    assert "nothing to read" in capsys.readouterr().err


def test_a_baseline_of_which_nothing_can_be_read_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = run(tmp_path / "bad")
    (tmp_path / "good.log").write_bytes(bytes(range(256)) * 9)
    words = ["diagnose", str(bad), "--lang", "en", "--baseline"]
    assert main([*words, str(tmp_path / "good.log")]) == 2
    assert "good.log" in (said := capsys.readouterr().err)
    assert "not text" in said


def test_the_run_itself_is_no_baseline(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = run(tmp_path / "bad")
    (tmp_path / "link").symlink_to(bad)
    for same in (bad, tmp_path / "link"):
        assert main(["diagnose", str(bad), "--baseline", str(same), "--lang", "en"]) == 2
        assert "it is the run itself" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        (
            "en",
            (
                "the two tell nothing of the same kind",
                "the run that worked does not tell it: setting, data",
            ),
        )
    ],
)
def test_what_could_not_be_compared_is_told_of_whom(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lang: str, words: tuple[str, ...]
) -> None:
    bad = run(tmp_path / "bad")
    (tmp_path / "good.log").write_text("started\nfinished\n")
    main(["diagnose", str(bad), "--baseline", str(tmp_path / "good.log"), "--lang", lang])
    said = " ".join(capsys.readouterr().out.split())
    assert all(w in said for w in words)
