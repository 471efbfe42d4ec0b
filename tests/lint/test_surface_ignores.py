"""Turning a check off: comments, [tool.medic], --select and --ignore."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.commands import main
from medic.errors import UsageError
from medic.index.knowledge import load
from medic.lint.files import lint
from medic.lint.found import LintReport
from medic.lint.ignores import silenced
from medic.lint.selection import chosen, named, read_settings

INDEX = load()
NAME, CODE = "total-steps-mismatch", "SCH-001"
CONFIG = """total_tokens: 1.0e+12
micro_batch_size: 8
gradient_accumulation_steps: 4
data_parallel_size: 64
sequence_length: 2048
{above}
total_steps: 100000 {behind}
"""
SHELL = """#!/bin/bash
{above}
torchrun --nproc_per_node 8 pretrain_gpt.py \\
  --micro-batch-size 4 --global-batch-size 100 \\
  --seq-length 4096 --train-iters 1000 --num-layers 2 --hidden-size 64 {behind}
"""
TOML = """total_tokens = 1_000_000_000_000
micro_batch_size = 8
gradient_accumulation_steps = 4
data_parallel_size = 64
sequence_length = 2048
total_steps = 100000 # medic: ignore[SCH-001]
"""
Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def make(text: str, name: str = "config.yaml") -> Path:
        (tmp_path / name).write_text(text, "utf-8")
        return tmp_path / name

    return make


def report(*files: Path, names: frozenset[str] | None = None, selected: bool = False) -> LintReport:
    found = lint(collect([str(f) for f in files]), INDEX, names)
    return silenced(found, INDEX, names, selected=selected)


def fired(found: LintReport) -> list[str]:
    return [f.name for f in found.findings]


@pytest.mark.parametrize(
    ("above", "behind", "quiet"),
    [
        ("", "", False),
        ("", f"# medic: ignore[{NAME}]", True),
        ("", f"# medic: ignore[{CODE.lower()}]", True),
        ("", "# medic: ignore[total-*]", True),
        ("", f"# planned # medic:ignore [warmup-missing, {NAME}]", True),
        ("", "# medic: ignore", True),
        ("", "# medic: ignored[total-steps-mismatch]", False),
        ("", "# medic: ignore-later", False),
        ("", "# medic: ignore[warmup-missing]", False),
        (f"# medic: ignore[{NAME}]", "", True),
        (f"# medic: ignore[{NAME}]\n# why: a short ablation", "", True),
        (f"# medic: ignore[{NAME}]\n", "", False),
        (f"seed: 1  # medic: ignore[{NAME}]", "", False),
    ],
)
def test_a_comment_on_the_line_or_above_it(
    write: Write, above: str, behind: str, quiet: bool
) -> None:
    found = report(write(CONFIG.format(above=above, behind=behind)))
    assert (NAME not in fired(found)) is quiet
    assert ([f.name for f, _ in found.ignored] == [NAME]) is quiet


def test_a_toml_comment(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text(TOML.replace(" # medic: ignore[SCH-001]", ""))
    assert NAME in fired(report(file))
    file.write_text(TOML)
    assert fired(report(file)) == []


@pytest.mark.parametrize(
    ("above", "behind"), [("# medic: ignore", ""), ("", "# medic: ignore"), ("", "")]
)
def test_lines_that_a_backslash_joins_are_one(tmp_path: Path, above: str, behind: str) -> None:
    file = tmp_path / "launch.sh"
    file.write_text(SHELL.format(above=above, behind=behind))
    found = report(file)
    assert found.findings or found.ignored
    assert bool(found.ignored) is bool(above or behind)
    assert not (found.findings and found.ignored)


def test_a_scheduler_line_is_no_comment_that_others_stand_under(tmp_path: Path) -> None:
    text = CONFIG.format(above="#SBATCH --nodes=2 # medic: ignore", behind="")
    file = tmp_path / "a.yaml"
    file.write_text(text)
    assert fired(report(file)) == [NAME]


def test_a_comment_that_ignores_nothing_is_told(write: Write) -> None:
    found = report(write(CONFIG.format(above="", behind="# medic: ignore[gradient-clipping-off]")))
    open_ones = {n for n, _ in found.not_checked}
    told = [i.line for i in found.idle]
    assert told == ([] if "gradient-clipping-off" in open_ones else [7])
    clean = CONFIG.format(above="", behind=f"# medic: ignore[{NAME}]").replace("100000", "238418")
    idle = report(write(clean)).idle
    assert [(i.line, i.unknown) for i in idle] == [(7, False)]
    assert NAME in idle[0].text.en
    chosen_others = report(write(clean), names=frozenset({"warmup-missing"}))
    assert chosen_others.idle == ()


def test_an_unknown_name_in_a_comment_is_told_with_the_nearest(write: Write) -> None:
    found = report(write(CONFIG.format(above="", behind="# medic: ignore[total-step-mismatch]")))
    assert fired(found) == [NAME]
    assert [i.unknown for i in found.idle][:1] == [True]
    assert NAME in found.idle[0].text.en


def project(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)


@pytest.mark.parametrize(
    ("text", "quiet"),
    [
        (f'[tool.medic]\nignore = ["{NAME}"]\n', True),
        (f'[tool.medic]\nignore = ["{CODE}"]\n', True),
        ('[tool.medic]\nselect = ["warmup-*"]\n', True),
        ('[tool.medic]\nselect = ["total-*"]\n', False),
        (f'[tool.medic.per-file-ignores]\n"conf/*.yaml" = ["{NAME}"]\n', True),
        (f'[tool.medic.per-file-ignores]\n"other/*.yaml" = ["{NAME}"]\n', False),
        (f'[tool.medic.per-file-ignores]\n"run.yaml" = ["{NAME}"]\n', True),
        ("[tool.other]\nx = 1\n", False),
    ],
)
def test_the_project_of_a_file(tmp_path: Path, text: str, quiet: bool) -> None:
    project(tmp_path, text)
    folder = tmp_path / "conf"
    folder.mkdir()
    file = folder / "run.yaml"
    file.write_text(CONFIG.format(above="", behind=""))
    assert (NAME not in fired(report(file))) is quiet


def test_the_nearest_project_with_a_table_rules(tmp_path: Path) -> None:
    project(tmp_path, f'[tool.medic]\nignore = ["{NAME}"]\n')
    inner = tmp_path / "a"
    inner.mkdir()
    file = inner / "run.yaml"
    file.write_text(CONFIG.format(above="", behind=""))
    project(inner, '[project]\nname = "medic-user"\n')
    assert fired(report(file)) == []
    project(inner, '[tool.medic]\nignore = ["warmup-missing"]\n')
    assert fired(report(file)) == [NAME]


def test_the_place_that_turned_it_off_is_named(tmp_path: Path) -> None:
    project(tmp_path, f'[tool.medic]\nselect = ["*"]\nignore = [\n  "{NAME}",\n]\n')
    file = tmp_path / "run.yaml"
    file.write_text(CONFIG.format(above="", behind=""))
    assert [by for _, by in report(file).ignored] == [f"{tmp_path / 'pyproject.toml'}:4"]


def test_the_command_line_rules_over_the_projects_selection(tmp_path: Path) -> None:
    project(tmp_path, '[tool.medic]\nselect = ["warmup-*"]\n')
    file = tmp_path / "run.yaml"
    file.write_text(CONFIG.format(above="", behind=""))
    assert fired(report(file)) == []
    names = chosen(INDEX, [NAME], [])
    assert fired(report(file, names=names, selected=True)) == [NAME]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('[tool.medic]\nignore = ["total-step-mismatch"]\n', 2, NAME),
        ('[tool.medic]\n\nignor = ["x"]\n', 3, "ignore"),
        ('[tool.medic.per-file-ignores]\n"a" = ["nope-nope"]\n', 2, "nope-nope"),
    ],
)
def test_a_wrong_table_is_a_usage_error(tmp_path: Path, text: str, line: int, words: str) -> None:
    project(tmp_path, text)
    with pytest.raises(UsageError) as caught:
        read_settings(tmp_path / "pyproject.toml", INDEX)
    assert words in caught.value.en
    assert caught.value.at.endswith(f"pyproject.toml:{line}")


def test_broken_toml_matters_only_where_medic_is_named(tmp_path: Path) -> None:
    project(tmp_path, "[tool.other\n")
    assert read_settings(tmp_path / "pyproject.toml", INDEX) is None
    project(tmp_path, "[tool.medic\n")
    with pytest.raises(UsageError):
        read_settings(tmp_path / "pyproject.toml", INDEX)


def test_names_codes_globs_and_lists() -> None:
    assert named(INDEX, CODE) == {NAME}
    assert named(INDEX, "sch-001") == {NAME}
    assert {NAME} < named(INDEX, "SCH-*")
    both = chosen(INDEX, [f"{NAME},warmup-missing"], [])
    assert both == frozenset({NAME, "warmup-missing"})
    assert chosen(INDEX, ["SCH-*"], [NAME]) == named(INDEX, "SCH-*") - {NAME}
    assert chosen(INDEX, [], []) is None
    with pytest.raises(UsageError, match=NAME):
        named(INDEX, "total-step-mismatch")


@pytest.mark.usefixtures("state")
def test_the_command(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(CONFIG.format(above="", behind=f"# medic: ignore[{NAME}, warmup-mising]"))
    assert main(["lint", str(file), "--json", "--lang", "en"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["findings"] == []
    assert [(i["name"], i["line"], i["by"]) for i in data["ignored"]] == [(NAME, 7, f"{file}:7")]
    assert main(["lint", str(file), "--lang", "en"]) == 0
    told = capsys.readouterr()
    assert "ignored by comments or [tool.medic]: 1" in told.err
    assert f'{file}:7: no check named "warmup-mising"; did you mean "warmup-missing"?' in told.err
    assert main(["lint", str(file), "--fix", "--lang", "en"]) == 0
    assert "total_steps: 100000" in file.read_text()
    assert main(["lint", str(file), "--select", "no-such-check-at-all"]) == 2


@pytest.mark.usefixtures("state")
def test_missing_lists_an_idle_comment(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    text = CONFIG.format(above="", behind="# medic: ignore").replace("100000", "238418")
    file = write(text)
    main(["lint", str(file), "--lang", "en"])
    assert "ignores nothing" not in capsys.readouterr().out
    main(["lint", str(file), "--missing", "--lang", "zh"])
    assert f"{file}:7: medic: ignore 在此处没有忽略任何问题" in capsys.readouterr().out
