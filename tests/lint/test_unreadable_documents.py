"""What a program reads of a lint of files that could not be read."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from medic.commands import main
from medic.edits.shown import shown
from medic.report.schemas import SCHEMAS
from medic.run_config import Edit, RunConfig


@pytest.mark.parametrize("text", ['{"a": 1', None, ""], ids=["broken", "not-there", "empty"])
def test_json_names_what_was_not_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None
) -> None:
    file = tmp_path / "ds.json"
    if text is not None:
        file.write_text(text)
    assert main(["lint", str(file), "--json"]) == 2
    found = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, SCHEMAS["lint"])
    assert found["findings"] == []
    assert "ds.json" in found["not_read"][0]["file"]
    assert found["not_read"][0]["why"]


def test_sarif_and_github_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "ds.json"
    file.write_text('{"a": 1')
    assert main(["lint", str(file), "--format", "sarif"]) == 2
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    (told,) = run["invocations"]
    assert told["executionSuccessful"] is False
    assert "ds.json" in told["toolExecutionNotifications"][0]["message"]["text"]
    assert main(["lint", str(file), "--format", "github"]) == 2
    assert capsys.readouterr().out.startswith("::error file=")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("  EOF", "EOF", ("", '"  EOF"', '"EOF"')),
        ("EOF\t", "EOF", ("", '"EOF\\t"', '"EOF"')),
        ("a,", "b,", ("", "a", "b")),
    ],
)
def test_an_edit_of_blanks_alone_is_told_in_quotes(
    tmp_path: Path, old: str, new: str, told: tuple[str, str, str]
) -> None:
    file = tmp_path / "run.sh"
    file.write_text(old)
    edits = [Edit(str(file), 0, len(old), new)]
    found = shown((), edits, RunConfig(), lambda name: Path(name).read_bytes())
    assert found == (told,)


def test_what_was_read_of_a_file_of_no_framework(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "own.yaml"
    file.write_text("net: {width: 1024, depth: 24}\nopt: {learning_rate: 0.0003}\nmisc: 7\n")
    assert main(["lint", "--lang", "en", str(file)]) == 0
    assert "1 of 4 keys (learning_rate)" in capsys.readouterr().err
    file.write_text("per_device_train_batch_size: 2\nnum_train_epochs: 2\noutput_dir: out\n")
    main(["lint", "--lang", "en", str(file)])
    assert "no framework" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('base_model: a/b\nadapter: "lora\nmicro_batch_size: 2\n', 2),
        ('datasets:\n  - path: "x\n    type: alpaca\nseed: 3\nname: "d"\n', 2),
        ("name: 'x\nseed: 3\nother: 'd'\n", 1),
        ('about: "two\n  lines"\nadapter: "lora\nseed: 2\n', 3),
        ('text: "Answer: yes\nadapter: "lora"\nseed: 2\n', 1),
        ('adapter: "lora\nname: ""\nseed: 2\n', 1),
        ('targets: [\n  "q_proj,\n  "k_proj"\n]\n', 2),
        ('adapter: "lora\nname: "d"\nlr: [1, 2\nseed: 2\n', 1),  # and a second fault
    ],
)
def test_an_open_quote_is_told_where_it_opens(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, line: int
) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(text)
    assert main(["lint", str(file)]) == 2
    told = capsys.readouterr()
    assert f"a.yaml:{line}" in told.out + told.err


@pytest.mark.parametrize(
    ("text", "line"),
    [
        # A value over several lines that is closed, and the fault far below it.
        ('about: "two\n  lines"\nlr: [1e-4, 2\nsteps: 1\n', 3),
        ('about: "Q: x\n  A: y\n  "\nlr: [1e-4, 2\nsteps: 1\n', 4),
        ('path: "C:\\\\data\\\\"\nlr: [1e-4, 2\nsteps: 1\n', 2),
        ('name: "it is \\"x\\""\nseed: [1\nother: 2\n', 2),
        ('about: "two\n  lines" more\nsteps: 1\n', 2),
    ],
)
def test_a_quote_that_is_closed_is_not_blamed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, line: int
) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(text)
    assert main(["lint", str(file)]) == 2
    told = "".join(capsys.readouterr())
    assert "a quote is opened" not in told
    assert f"a.yaml:{line}" in told


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("base_model = some/model\nadapter: lora\n", 1),
        ("optimizer:\n  zero_stage: 0\nclip_grad: 1.0\n  weight_decay: 0.1\nseed: 1\n", 3),
    ],
    ids=["no-colon-in-the-first-line", "one-line-too-far-left"],
)
def test_what_is_no_yaml_is_told_where_it_stops(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, line: int
) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(text)
    assert main(["lint", str(file), "--json"]) == 2
    (told,) = json.loads(capsys.readouterr().out)["not_read"]
    assert told["file"].endswith(f"a.yaml:{line}")


@pytest.mark.parametrize(
    ("text", "line"),
    [(" a: 1\nb: 2\n", 1), ("# x\n  a: 1\n  c: 3\nb: 2\n", 2), (" a: 1\n b: 2\n", 0)],
)
def test_a_first_key_further_right_than_the_rest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, line: int
) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(text)
    assert main(["lint", str(file), "--json"]) == (2 if line else 0)
    told = json.loads(capsys.readouterr().out)["not_read"]
    assert [one["file"].rpartition(":")[2] for one in told] == [str(line)] * bool(line)
