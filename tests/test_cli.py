"""The command line as a user calls it: answers, contracts, exit codes."""

from __future__ import annotations

import io
import json
import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import jsonschema
import pytest
import yaml

from medic.commands import main
from medic.report.schemas import SCHEMAS

Run = Callable[..., tuple[int, str, str]]
CASES = Path(__file__).with_name("cases")
REMEDIES = Path(__file__).parent.parent / "knowledge" / "remedies"
PRETRAIN = """# pre-training
total_tokens: 1.0e+12   # one epoch
micro_batch_size: 8
gradient_accumulation_steps: 4
data_parallel_size: 64
sequence_length: 2048
total_steps: 100000     # planned
"""


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], state: Path, monkeypatch: pytest.MonkeyPatch) -> Run:

    def call(*words: str, stdin: str = "", lang: str = "en") -> tuple[int, str, str]:
        pipe = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", pipe)
        code = main([*words, "--lang", lang])
        out = capsys.readouterr()
        return code, out.out, out.err

    return call


def data(out: str, schema: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(out)
    jsonschema.validate(found, SCHEMAS[schema])
    return found


@pytest.fixture
def pretrain(tmp_path: Path) -> Path:
    file = tmp_path / "pretrain.yaml"
    file.write_text(PRETRAIN)
    return file


# --- lint -----------------------------------------------------------------------------------


@pytest.mark.smoke
def test_lint_computes_the_steps(run: Run, pretrain: Path) -> None:
    code, out, _ = run("lint", str(pretrain))
    assert code == 1
    assert f"{pretrain}:7:14: total-steps-mismatch" in out
    assert "238,418" in out


def test_lint_shows_writes_and_undoes(run: Run, pretrain: Path) -> None:
    before = pretrain.read_bytes()
    code, out, _ = run("lint", str(pretrain), "--diff", "--unsafe-fixes")
    assert code == 1
    assert "+total_steps: 238418     # planned" in out
    assert pretrain.read_bytes() == before
    assert run("lint", str(pretrain), "--fix")[0] == 1
    assert pretrain.read_bytes() == before, "the tokens may be wrong as well as the steps"
    code, _, err = run("lint", str(pretrain), "--fix", "--unsafe-fixes")
    assert code == 0
    assert "medic undo" in err
    assert b"total_steps: 238418     # planned" in pretrain.read_bytes()
    assert run("lint", str(pretrain))[0] == 0
    assert run("undo", "c1")[0] == 0
    assert pretrain.read_bytes() == before


@pytest.mark.parametrize("form", ["json", "concise", "github", "sarif"])
def test_lint_formats(run: Run, pretrain: Path, form: str) -> None:
    code, out, _ = run("lint", str(pretrain), "--format", form)
    assert code == 1
    assert "total-steps-mismatch" in out
    if form == "json":
        found = data(out, "lint")
        assert found["run_config"]["total_steps"]["value"] == 100000  # type: ignore[index]
    if form == "sarif":
        assert json.loads(out)["version"] == "2.1.0"


def test_lint_selects_and_ignores(run: Run, pretrain: Path) -> None:
    assert run("lint", str(pretrain), "--ignore", "total-steps-mismatch")[0] == 0
    assert run("lint", str(pretrain), "--select", "SCH-*")[0] == 1
    code, _, err = run("lint", str(pretrain), "--select", "total-step-mismatch")
    assert code == 2
    assert 'did you mean "total-steps-mismatch"' in err


def test_set_gives_what_no_file_states(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text(PRETRAIN.replace("data_parallel_size: 64\n", ""))
    assert run("lint", str(file))[0] == 0
    assert run("lint", str(file), "--set", "data_parallel_size=64")[0] == 1
    code, _, err = run("lint", str(file), "--set", "data_paralel_size=64")
    assert code == 2
    assert 'the nearest is "data_parallel_size"' in err


TRAIN = """import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--config")
parser.add_argument("--training-lr", type=float)
parser.add_argument("--optimization-use-compile", action="store_true")
parser.parse_args()
"""


@pytest.mark.parametrize(
    ("flags", "name", "words"),
    [
        ("--training-learning-rate 1e-4", "misspelt-flag", "--training-lr is meant"),
        ("--optimization-use-compile true", "boolean-flag-with-value", "takes no value"),
    ],
)
def test_flags_against_the_script(
    run: Run, tmp_path: Path, flags: str, name: str, words: str
) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "launch.sh").write_text(f"torchrun --nproc-per-node 8 train.py {flags}\n")
    code, out, _ = run("lint", str(tmp_path / "launch.sh"), str(tmp_path / "train.py"))
    assert code == 1
    assert name in out
    assert words in " ".join(out.split())


# --- diagnose -------------------------------------------------------------------------------


def broken(tmp_path: Path) -> Path:
    target = tmp_path / "run"
    shutil.copytree(CASES / "micro-batch-too-large" / "fires-1", target)
    return target


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


# --- explain --------------------------------------------------------------------------------

OOM_CAUSES = [
    "micro-batch-too-large",
    "model-states-do-not-fit",
    "gpu-held-by-another-process",
    "allocator-fragmentation",
    "gpu-memory-leak",
    "long-sample-peak",
]


@pytest.mark.smoke
@pytest.mark.parametrize("words", ["CUDA out of memory", "显存不足", "爆显存了", "cuda oom"])
def test_explain_out_of_memory(run: Run, words: str) -> None:
    code, out, _ = run("explain", words, "--json")
    assert code == 0
    found = data(out, "explain")
    entry = found["entry"]
    assert isinstance(entry, dict)
    names = [c["name"] for c in entry["causes"]]
    assert set(OOM_CAUSES) <= set(names)
    assert names[:2] == OOM_CAUSES[:2]
    apart = {row["check"] for row in entry["tell_apart"]}
    assert "oom-shortfall" in apart
    assert all(r["costs"] for r in entry["remedies"])
    assert any("autocast" in text or "混合精度" in text for text in entry["do_not"])


def test_explain_without_options_needs_no_parser(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", "CUDA", "out", "of", "memory"]) == 0
    assert "MEM-001" in capsys.readouterr().out


@pytest.mark.parametrize("word", ["MEM-001", "micro-batch-too-large", "oom-shortfall", "loss-nan"])
def test_explain_by_name_and_code(run: Run, word: str) -> None:
    assert run("explain", word)[0] == 0


def test_explain_no_match(run: Run) -> None:
    code, out, err = run("explain", "zzqqxx")
    assert code == 1
    assert not out
    assert "nothing known" in err


def test_explain_lists_all_causes(run: Run) -> None:
    code, out, _ = run("explain")
    assert code == 0
    assert "MEM-001" in out


# --- the rest -------------------------------------------------------------------------------


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


@pytest.mark.parametrize(
    "words",
    [
        ("explain", "fields"),
        ("explain", "字段"),
        ("lint", "--set", "help"),
        ("memory", "--set", "help"),
    ],
)
def test_the_fields_are_listed(run: Run, words: tuple[str, ...]) -> None:
    code, out, _ = run(*words)
    assert code == 0
    assert "world_size" in out
    assert "fp32, fp16, bf16, fp8" in out


@pytest.mark.parametrize(
    "words",
    [
        ("lint", "--set", "help", "--json"),
        ("memory", "--json", "--set", "help"),
        ("diagnose", "--set", "help", "--format", "json"),
        ("lint", "--set", "help", "--format=json"),
    ],
)
def test_the_fields_as_json(run: Run, words: tuple[str, ...]) -> None:
    code, out, _ = run(*words)
    assert code == 0
    assert json.loads(out)["entry"]["kind"] == "fields"


@pytest.mark.parametrize("word", ["set", "field"])
def test_a_word_that_only_begins_so_is_explained(run: Run, word: str) -> None:
    assert "world_size" not in run("explain", word)[1]


def test_a_field_that_is_none_names_the_nearest_and_where_all_are(run: Run) -> None:
    code, _, told = run("lint", "--set", "world_sise=8", "x.yaml")
    assert code == 2
    assert 'the nearest is "world_size"; medic explain fields lists all' in told


def test_fields_are_completed() -> None:
    from medic.commands.lint import command

    (option,) = [param for param in command.params if param.name == "given"]
    context = click.Context(command)
    assert [i.value for i in option.shell_complete(context, "world")] == ["world_size="]


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


def test_a_file_that_cannot_be_read_stops_a_launch(run: Run, pretrain: Path) -> None:
    good = pretrain.parent / "good.yaml"
    good.write_text("learning_rate: 1.0e-4\n")
    broken = pretrain.parent / "broken.yaml"
    broken.write_text("lr: [1, 2\n")
    assert run("lint", str(good))[0] == 0
    assert run("lint", str(good), str(broken))[0] == 1
    assert run("lint", str(good), str(broken), "--exit-zero")[0] == 0


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


def test_the_diff_of_a_windows_file_is_exact(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_bytes(PRETRAIN.replace("\n", "\r\n").encode())
    _, out, _ = run("lint", str(file), "--diff", "--unsafe-fixes")
    assert "-total_steps: 100000     # planned\r" in out
