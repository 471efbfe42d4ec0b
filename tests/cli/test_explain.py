"""``medic explain`` as a user calls it, of causes and of fields."""

from __future__ import annotations

import json

import click
import pytest

from medic.commands import main

from .given import Run, data

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
