"""``medic diagnose`` as a user calls it: answers, contracts, exit codes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from .given import CASES, Run, broken, data

REMEDIES = Path(__file__).parents[2] / "knowledge" / "remedies"


@pytest.mark.smoke
def test_diagnose_keeps_its_contract(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("diagnose", str(broken(tmp_path)), "--json")
    assert code == 1
    found = data(out, "diagnosis")
    assert found["causes"][0]["name"] == "micro-batch-too-large"  # type: ignore[index]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_diagnose_says_it_in_both_languages(run: Run, tmp_path: Path, lang: str) -> None:
    code, out, _ = run("diagnose", str(broken(tmp_path)), lang=lang)
    assert code == 1
    assert ("Evidence" in out) == (lang == "en")
    assert ("证据" in out) == (lang == "zh")
    assert "MEM-001" in out


def test_diagnose_as_markdown(run: Run, tmp_path: Path) -> None:
    _, out, _ = run("diagnose", str(broken(tmp_path)), "--format", "markdown")
    assert out.startswith("# medic: ")
    assert "```diff" in out


def test_a_command_is_told_in_one_line(run: Run) -> None:
    """A line break within it would end it in a shell."""
    command = yaml.safe_load((REMEDIES / "find-who-killed-it.yaml").read_text("utf-8"))["command"]
    assert len(command) > 80
    case = str(CASES / "killed-from-outside" / "fires-1.txt")
    _, out, _ = run("diagnose", case)
    assert f"    $ {command}" in out.splitlines()
    _, out, _ = run("diagnose", case, "--format", "markdown")
    assert command in out.splitlines()


def test_exit_zero(run: Run, tmp_path: Path) -> None:
    assert run("diagnose", str(broken(tmp_path)), "--exit-zero")[0] == 0


def test_pasted_text(run: Run) -> None:
    text = (
        "I resume and get this:\n"
        "RuntimeError: Error(s) in loading state_dict for GPT:\n"
        '\tMissing key(s) in state_dict: "embed.weight", "blocks.0.ln.weight". \n'
        '\tUnexpected key(s) in state_dict: "module.embed.weight", "module.blocks.0.ln.weight". \n'
    )
    code, out, _ = run("diagnose", "-", "--json", stdin=text)
    assert code == 1
    found = data(out, "diagnosis")
    assert found["causes"][0]["name"] == "wrapper-prefix-in-keys"  # type: ignore[index]


def test_a_description_that_nothing_matches_is_not_health(run: Run) -> None:
    code, out, _ = run("diagnose", "-", stdin="the coffee machine on floor three is broken again\n")
    assert code == 1
    assert "Not clear which symptom is meant" in out


HEALTHY_LOG = "".join(
    f"2026-05-01 10:00:{s:02},000 [rank0] INFO train: step {s}/50 | loss {10.8 - s * 0.1:.4f} | "
    f"lr {3e-4 * min(1, s / 10):.3e} | grad_norm 0.52\n"
    for s in range(1, 51)
)


@pytest.fixture
def healthy(tmp_path: Path) -> Path:
    folder = tmp_path / "healthy"
    folder.mkdir()
    (folder / "train.log").write_text(
        HEALTHY_LOG + "2026-05-01 10:00:51,000 [rank0] INFO train: done\n"
    )
    (folder / "config.yaml").write_text(
        "training:\n  micro_batch_size: 8\n  gradient_accumulation_steps: 1\n  seq_len: 128\n"
        "  total_steps: 50\n  lr: 3.0e-4\n  warmup_steps: 10\n  gradient_clip_val: 1.0\n"
    )
    return folder


@pytest.mark.smoke
def test_a_healthy_run_is_healthy(run: Run, healthy: Path) -> None:
    code, out, _ = run("diagnose", str(healthy))
    assert code == 0
    assert out.startswith("Healthy")


def test_a_log_alone_is_no_proof_of_health(run: Run, healthy: Path) -> None:
    code, out, _ = run("diagnose", str(healthy / "train.log"))
    assert code == 0
    assert out.startswith("No fault seen")


def test_an_echoed_config_is_no_fault(run: Run, healthy: Path) -> None:
    log = healthy / "train.log"
    echo = "2026-05-01 10:00:00,000 INFO config: {'on_error': 'CUDA out of memory', 'nan_check': true}\n"
    log.write_text(echo + log.read_text())
    assert run("diagnose", str(healthy))[0] == 0


def test_several_runs_in_one_folder(run: Run, tmp_path: Path, healthy: Path) -> None:
    runs = tmp_path / "runs"
    shutil.copytree(healthy, runs / "a")
    shutil.copytree(CASES / "micro-batch-too-large" / "fires-1", runs / "b")
    assert run("diagnose", str(runs), "--run", "a")[0] == 0
    assert run("diagnose", str(runs), "--run", "b")[0] == 1
    code, _, err = run("diagnose", str(runs), "--run", "c")
    assert code == 2
    assert "there are" in err


def test_redact(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text(
        "ValueError: bad token hf_AbCdEfGhIjKlMn from 10.1.2.3\nTraceback (most recent call last):\n"
        '  File "/home/ana/train.py", line 3, in <module>\n    go()\n'
        "RuntimeError: cannot reach 10.1.2.3 with hf_AbCdEfGhIjKlMn\n"
    )
    for form in ("text", "json", "markdown"):
        _, out, _ = run("diagnose", str(log), "--redact", "--format", form)
        assert "hf_AbCd" not in out
        assert "10.1.2.3" not in out
        assert "/home/ana" not in out


def test_nothing_on_standard_input_is_no_health(run: Run) -> None:
    code, _, err = run("diagnose", "-", stdin="\n")
    assert code == 2
    assert "standard input" in err


def test_a_good_end_of_one_node_does_not_excuse_another(run: Run, tmp_path: Path) -> None:
    nodes = {
        "n0": "step 1/20 loss 2.3\nRuntimeError: CUDA error: an illegal memory access was encountered\n",
        "n1": "step 1/20 loss 2.3\nstep 20/20 loss 2.2\nTraining completed\n",
    }
    for name, log in nodes.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "train.log").write_text(log)
    first, last = (str(tmp_path / name) for name in nodes)
    assert run("diagnose", first, last)[0] == run("diagnose", last, first)[0] == 1


def test_a_link_to_itself_is_skipped(run: Run, healthy: Path) -> None:
    (healthy / "self").symlink_to(healthy / "self")
    assert run("diagnose", str(healthy))[0] == 0


def test_runs_without_a_config_are_kept_apart(run: Run, tmp_path: Path, healthy: Path) -> None:
    runs = tmp_path / "runs"
    (runs / "exp-1").mkdir(parents=True)
    (runs / "exp-2").mkdir()
    error = "OSError: [Errno 98] Address already in use\n"
    (runs / "exp-1" / "train.log").write_text(HEALTHY_LOG[:200] + error)
    (runs / "exp-2" / "train.log").write_text((healthy / "train.log").read_text())
    assert run("diagnose", str(runs), "--run", "exp-1")[0] == 1
    assert run("diagnose", str(runs), "--run", "exp-2")[0] == 0
    _, out, _ = run("diagnose", str(runs))
    assert "of 2 here" in out
