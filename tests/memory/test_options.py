"""The words of ``medic memory``: its options without the parser, cards and how many."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest

from medic.commands.estimating import OPTIONS
from medic.commands.memory import command
from medic.commands.words import ANY, FLAG, said
from medic.errors import UsageError
from medic.index.knowledge import load
from medic.memory.cards import counted, gpu_of, on_cards
from medic.run_config import Origin, RunConfig, Value
from medic.told.given import parse_given


def test_the_plain_table_of_options_is_the_parsers() -> None:
    theirs: dict[str, object] = {}
    for one in command.params:
        if not isinstance(one, click.Option):
            continue
        takes = tuple(one.type.choices) if isinstance(one.type, click.Choice) else ANY
        theirs |= dict.fromkeys(one.opts, FLAG if one.is_flag else takes)
    assert theirs == OPTIONS


@pytest.mark.parametrize(
    "words",
    [["--help"], ["--gpus", "h100"], ["a.yaml", "--gpu"], ["--gpu", "--json"], ["--", "-a.yaml"],
     ["--json=1"], ["--format", "sarif"], ["-h"]],
)  # fmt: skip
def test_what_the_table_does_not_tell_is_left_to_the_parser(words: list[str]) -> None:
    assert said(words, OPTIONS) is None


def test_options_stand_anywhere_and_the_last_value_comes_last() -> None:
    words = [
        "a.yaml",
        "--set",
        "x=1",
        "--gpu=h100",
        "b.json",
        "--set",
        "y=2",
        "--max-seq",
        "--gpu",
        "80GiB",
        "-",
    ]
    others, values = said(words, OPTIONS) or ([], {})
    assert others == ["a.yaml", "b.json", "-"]
    assert values == {"--set": ["x=1", "y=2"], "--gpu": ["h100", "80GiB"], "--max-seq": [""]}


@pytest.mark.usefixtures("compiled")
def test_the_usual_command_line_loads_nothing_heavy() -> None:
    """No parser of options or YAML, no models of data, no graph, nothing of a GPU."""
    size = ["--set", "micro_batch_size=1", "--set", "sequence_length=512"]
    words = ["memory", "--model", "qwen3-0.6b", "--gpu", "h100-80g", *size]
    heavy = {"click", "yaml", "pydantic", "networkx", "re2", "torch", "textual", "tree_sitter"}
    code = (
        "import sys\nfrom medic.commands import main\n"
        f"main({words!r})\nprint(sorted({heavy!r} & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.splitlines()[-1] == "[]"


def test_a_json_config_loads_its_grammar_and_no_resources_of_it(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text('{"hidden_size": 64, "num_hidden_layers": 2}')
    code = (
        "import sys\nfrom medic.syntax.treesitter import tree_of\n"
        f"tree_of('json', open({str(file)!r}, 'rb').read())\n"
        "print(sorted({'importlib.resources', 'tempfile'} & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("words", "name"),
    [("H100 80GB", "h100-80g"), ("NVIDIA-H100-80GB-HBM3", "h100-80g"),
     ("NVIDIA A100-SXM4-40GB", "a100-40g"), ("A100 SXM4 80GB", "a100-80g"), ("a800", "a100-80g"),
     ("NVIDIA GeForce RTX 4090", "rtx-4090"), ("rtx4090-24g", "rtx-4090"), ("RTX 3090 24GB", "rtx-3090"),
     ("a6000-48g", "rtx-a6000"), ("b200-192g", "b200")],
)  # fmt: skip
def test_a_card_by_the_names_that_people_and_drivers_give_it(words: str, name: str) -> None:
    assert gpu_of(load(), words)[0] == name


def test_cards_are_counted_before_or_behind_their_name() -> None:
    assert counted("4xA100-80G") == counted("A100-80G x4") == (4, "A100-80G")
    assert counted("8 x H20") == (8, "H20")
    assert counted("h100-80g") == (0, "h100-80g")


@pytest.mark.parametrize("words", ["0xH100-80G", "H100-80G x0", "00*a100"])
def test_no_card_is_refused(words: str) -> None:
    with pytest.raises(UsageError, match="names 0 cards"):
        counted(words)


@pytest.mark.parametrize("words", ["rtx4090-48g", "h100-40g", "4090-80g", "0x41"])
def test_a_card_of_another_memory_is_not_known(words: str) -> None:
    with pytest.raises(UsageError, match="no card"):
        gpu_of(load(), words)


def test_nodes_of_so_many_cards_make_the_ranks() -> None:
    config = on_cards(RunConfig({"nodes": Value(2, Origin("given"))}), 8)
    assert (config.get("gpus_per_node"), config.get("world_size")) == (8, 16)


def test_a_field_set_twice_is_told() -> None:
    with pytest.raises(UsageError, match="zero_stage is given twice") as told:
        parse_given(["zero_stage=2", "zero_stage=3"])
    assert "两次" in told.value.zh
