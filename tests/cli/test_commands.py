"""The other commands as a user calls them: answers, contracts, exit codes."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from medic.report.schemas import SCHEMAS

from .given import Run, data


@pytest.mark.smoke
def test_graph(run: Run) -> None:
    assert run("graph")[0] == 0
    code, out, _ = run("graph", "cuda-out-of-memory")
    assert code == 0
    assert "micro-batch-too-large" in out
    data(run("graph", "--json")[1], "graph")
    code, out, _ = run("graph", "--check")
    assert code == 0
    assert out.rstrip().endswith(": clean")
    assert "confirms" in run("graph", "--factors")[1]
    assert run("graph", "cuda-out-of-memroy")[0] == 2


@pytest.mark.parametrize("name", list(SCHEMAS))
def test_schemas_are_schemas(run: Run, name: str) -> None:
    code, out, _ = run("schema", name)
    assert code == 0
    jsonschema.Draft202012Validator.check_schema(json.loads(out))


def test_probe(run: Run, pretrain: Path) -> None:
    code, out, _ = run("probe", "config", str(pretrain), "--json")
    assert code == 1
    found = data(out, "probe")
    assert found["outcome"] == "found"
    code, _, err = run("probe", "checkpiont")
    assert code == 2
    assert "did you mean" in err


def test_probe_tells_what_it_could_not_read(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "metrics.jsonl").write_text('{"step": 1, "loss": 2.0}\n' * 3)
    (folder / "history.json").write_text('[{"step": 1, "loss": 2.0}, {"st')
    _, text, _ = run("probe", "curve", str(folder))
    assert "not read: " in text
    assert "history.json: not valid JSON" in text
    data = json.loads(run("probe", "curve", str(folder), "--json")[1])
    assert [Path(n["file"]).name for n in data["not_read"]] == ["history.json"]


def test_probe_gpu_without_a_gpu_is_skipped_with_the_reason(run: Run) -> None:
    _, out, _ = run("probe", "gpu", "--json")
    found = data(out, "probe")
    assert found["outcome"] in ("skipped", "found")
    if found["outcome"] == "skipped":
        assert found["reason"]


@pytest.mark.smoke
def test_demo(run: Run) -> None:
    code, out, _ = run("demo")
    assert code == 0
    assert "micro-batch-too-large" in out
    assert "+  gradient_accumulation_steps: 32" in out


def test_python_m_medic(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["medic", "explain", "xid 79", "--lang", "en"])
    with pytest.raises(SystemExit) as left:
        runpy.run_module("medic", run_name="__main__")
    assert left.value.code == 0
    assert "79" in capsys.readouterr().out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(run: Run, shell: str) -> None:
    code, out, _ = run("completion", shell)
    assert code == 0
    assert "_MEDIC_COMPLETE" in out


def test_chinese_that_the_output_cannot_show_is_english() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    told = subprocess.run(
        [sys.executable, "-m", "medic", "explain", "NCCL_TIMEOUT", "--lang", "zh"],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "environment variable" in told.stdout
    assert "???" not in told.stdout
    assert "ascii" in told.stderr


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_help(run: Run, lang: str) -> None:
    code, out, _ = run("--help", lang=lang)
    assert code == 0
    assert "diagnose" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("diagnos",), 'did you mean "diagnose"'),
        (("diagnose", "/nonexistent/run"), "No such file"),
        (("lint", "--fox", "x"), "--fix"),
        (("diagnose",), "PATHS"),
        (("undo", "c999"), "c999"),
        (("resume", "nosuch"), "no session nosuch"),
        (("diagnose", ".", "--set", "world_size=-3"), "below 0"),
    ],
)
def test_wrong_use_is_one_line(run: Run, words: tuple[str, ...], said: str) -> None:
    code, out, err = run(*words)
    assert code == 2
    assert not out
    assert said in err
    assert len(err.strip().splitlines()) == 1


def test_a_bug_leaves_a_report(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken_load(*_: object) -> None:
        raise ZeroDivisionError("inside")

    monkeypatch.setattr("medic.commands.given.load", broken_load)
    code, _, err = run("graph")
    assert code == 3
    assert len(err.strip().splitlines()) == 1
    assert list((tmp_path / "state").glob("bug-*.md"))


@pytest.mark.parametrize("words", [("diagnose", ""), ("lint", ""), ("",)])
def test_an_empty_path_is_wrong_use(run: Run, words: tuple[str, ...]) -> None:
    code, _, err = run(*words)
    assert code == 2
    assert len(err.strip().splitlines()) == 1
