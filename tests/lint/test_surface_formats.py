"""json, sarif, github and concise, for findings with and without a place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from medic.commands import main
from medic.i18n import Text, plain, use
from medic.index.knowledge import load
from medic.lint.found import LintFinding, LintReport
from medic.report import lint_ci, lint_json, lint_text
from medic.report.console import Console
from medic.report.schemas import SCHEMAS
from medic.run_config import RunConfig

INDEX = load()
ROOT = Path(__file__).resolve().parents[2]
NAME, CODE = "total-steps-mismatch", "SCH-001"


@pytest.fixture(autouse=True)
def english() -> None:
    use("en")


def report(*findings: LintFinding, ignored: tuple[tuple[LintFinding, str], ...] = ()) -> LintReport:
    return LintReport(findings, (), (), RunConfig(), {}, {}, (), (), ignored)


def finding(file: str = "a.yaml", line: int = 3, column: int = 5, end: int = 9) -> LintFinding:
    message, then = Text("50% is\nwrong", "50% 有误"), plain("it stops")
    return LintFinding(NAME, CODE, "error", file, line, column, end, message, then)


PLACES = [
    (finding(), "file=a.yaml,line=3,col=5,endColumn=9,", "a.yaml:3:5: "),
    (finding(end=0), "file=a.yaml,line=3,col=5,", "a.yaml:3:5: "),
    (finding(column=0, end=0), "file=a.yaml,line=3,", "a.yaml:3: "),
    (finding(line=0, column=0, end=0), "file=a.yaml,", "a.yaml: "),
    (finding(file="", line=0, column=0, end=0), "", ""),
    (
        finding(file="b:1,x.yaml"),
        "file=b%3A1%2Cx.yaml,line=3,col=5,endColumn=9,",
        "b:1,x.yaml:3:5: ",
    ),
]


@pytest.mark.parametrize(("one", "place", "lead"), PLACES)
def test_github_and_concise_say_as_much_as_is_known(
    one: LintFinding, place: str, lead: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lint_ci.github(Console(), report(one))
    out = capsys.readouterr().out
    assert out == f"::error {place}title={NAME} ({CODE})::50%25 is%0Awrong; it stops\n"
    lint_text.concise(Console(), report(one))
    line = capsys.readouterr().out
    assert line.startswith(f"{lead}{NAME} ({CODE}, ")


@pytest.mark.parametrize(("one", "place", "lead"), PLACES)
def test_text_and_json_take_them(
    one: LintFinding, place: str, lead: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lint_text.full(Console(), report(one))
    assert capsys.readouterr().out.startswith(f"{lead}{NAME}")
    data = lint_json.json_data(report(one, ignored=((one, "pyproject.toml:3"),)))
    jsonschema.validate(data, SCHEMAS["lint"])
    assert data["findings"][0]["line"] == one.line
    assert data["ignored"] == [
        {"name": NAME, "code": CODE, "file": one.file, "line": one.line, "by": "pyproject.toml:3"}
    ]


def location(one: LintFinding) -> dict[str, Any]:
    result = lint_ci.sarif(report(one), INDEX)["runs"][0]["results"][0]
    found: dict[str, Any] = result["locations"][0]["physicalLocation"]
    return found


def test_sarif_places() -> None:
    region = {"startLine": 3, "startColumn": 5, "endColumn": 9}
    assert location(finding()) == {"artifactLocation": {"uri": "a.yaml"}, "region": region}
    assert location(finding(column=0, end=0))["region"] == {"startLine": 3}
    assert "region" not in location(finding(line=0, column=0, end=0))
    nowhere = lint_ci.sarif(report(finding(file="", line=0)), INDEX)["runs"][0]["results"][0]
    assert "locations" not in nowhere


def test_sarif_names_files_as_repositories_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    uri = {f: location(finding(file=f))["artifactLocation"]["uri"] for f in (
        "./conf/a b.yaml", str(tmp_path / "x.yaml"), "/elsewhere/y z.yaml", "../up.yaml"
    )}  # fmt: skip
    assert list(uri.values()) == [
        "conf/a%20b.yaml",
        "x.yaml",
        "file:///elsewhere/y%20z.yaml",
        "../up.yaml",
    ]


def test_sarif_rules_and_suppressions() -> None:
    one = finding()
    run = lint_ci.sarif(report(one, ignored=((finding(line=9), "a.yaml:9"),)), INDEX)["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    first, second = run["results"]
    assert rules[first["ruleIndex"]]["id"] == first["ruleId"] == NAME
    assert "suppressions" not in first
    assert second["suppressions"] == [{"kind": "inSource"}]


def test_a_file_of_its_own_each(
    tmp_path: Path, state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A commit hook hands over files that are no launch together, and files of other kinds."""
    one = "micro_batch_size: 4\ngradient_accumulation_steps: 2\nlearning_rate: 1.0e-4\n"
    (tmp_path / "a.yaml").write_text(one)
    (tmp_path / "b.yaml").write_text(one.replace("4\n", "8\n", 1))
    (tmp_path / "tokenizer.json").write_text('{"version": "1.0"}\n')
    files = [str(tmp_path / n) for n in ("a.yaml", "b.yaml", "tokenizer.json")]
    assert main(["lint", "--each", *files, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [f["name"] for f in data["findings"] if f["severity"] != "info"] == []
    assert main(["lint", "--each", files[2]]) == 0
    capsys.readouterr()


def test_the_hooks_call_what_there_is(
    state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert [h["id"] for h in hooks] == ["medic-lint", "medic-lint-launch"]
    file = tmp_path / "a.yaml"
    file.write_text("learning_rate: 1.0e-4\n")
    for hook in hooks:
        program, *words = hook["entry"].split()
        assert program == "medic"
        assert main([*words, str(file)]) == 0
        assert hook["language"] == "python"
    capsys.readouterr()


def test_sarif_carries_the_fix(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a viewer writes is what ``--unsafe-fixes`` would."""
    file = tmp_path / "a.yaml"
    head = "# 注释\nmodel_name_or_path: b\nfinetuning_type: lora\nstage: "
    file.write_text(f"{head}stf\n", "utf-8")
    assert main(["lint", str(file), "--format", "sarif"]) == 1
    result = json.loads(capsys.readouterr().out)["runs"][0]["results"][0]
    (fix,) = result["fixes"]
    (change,) = fix["artifactChanges"]
    (one,) = change["replacements"]
    place = one["deletedRegion"]
    assert (place["startLine"], place["startColumn"]) == (4, 8)
    assert (place["endLine"], place["endColumn"]) == (4, 11)
    assert one["insertedContent"] == {"text": "sft"}
    assert fix["properties"] == {"safe": False}
    assert (
        change["artifactLocation"] == result["locations"][0]["physicalLocation"]["artifactLocation"]
    )
