"""Flags of a program of one's own, by its source: dataclasses of libraries, parts not at hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
DATACLASSES = """import transformers
from dataclasses import dataclass, field
from transformers import TrainingArguments as Base

@dataclass
class ModelArguments:
    model_name_or_path: str = field(default="base")
    tune_projector: bool = field(default=False)

@dataclass
class Arguments(Base):
    cache_folder: str = field(default=None)
    window_length: int = field(default=512)

parser = transformers.HfArgumentParser((ModelArguments, Arguments))
parser.parse_args_into_dataclasses()
"""
RUN = """torchrun --nproc_per_node 8 train.py \\
  --model_name_or_path base \\
  --tune_projector True \\
  --window_length 2048 \\
  --learning_rate 1e-5 \\
  --warmup_ratio 0.03 \\
  --output_dir out
"""
MISSPELT, VALUE = "misspelt-flag", "flag-value-not-accepted"
MUTATIONS = [
    ("--tune_projector True", "--tune_projetcor True", MISSPELT, 3),
    ("--window_length 2048", "--window_lenght 2048", MISSPELT, 4),
    ("--window_length 2048", "--window_lengths 2048", MISSPELT, 4),
    ("--window_length 2048", "--window_length2048", MISSPELT, 4),
    ("--window_length 2048", "--window_length", VALUE, 4),
    ("--window_length 2048", "--window_length 2k", VALUE, 4),
    ("--learning_rate 1e-5", "--leanring_rate 1e-5", MISSPELT, 5),
    ("--learning_rate 1e-5", "--learning_rate", VALUE, 5),
    ("--warmup_ratio 0.03", "--warmup_ration 0.03", MISSPELT, 6),
]
QUIET = [
    # A flag of another release, a beginning, what no field is near to.
    ("--warmup_ratio 0.03", "--brand_new_flag 3"),
    ("--warmup_ratio 0.03", "--no_cuda --cache_folder /c"),
    # Nothing is a name that only other scripts have.
    ("--warmup_ratio 0.03", "--max_sequence_length 3"),
]


def test_the_clean_command_is_silent(lint_text: Lint) -> None:
    assert lint_text(RUN, "run.sh", {"train.py": DATACLASSES}) == ()


@pytest.mark.parametrize(("old", "new", "cause", "line"), MUTATIONS)
def test_a_slip_of_own_and_lent_fields(
    lint_text: Lint, old: str, new: str, cause: str, line: int
) -> None:
    assert old in RUN
    found = lint_text(RUN.replace(old, new), "run.sh", {"train.py": DATACLASSES})
    assert [(f.name, f.line) for f in found if f.severity != "info"] == [(cause, line)]


@pytest.mark.parametrize(("old", "new"), QUIET)
def test_what_may_be_a_field_is_not_told(lint_text: Lint, old: str, new: str) -> None:
    assert old in RUN
    assert lint_text(RUN.replace(old, new), "run.sh", {"train.py": DATACLASSES}) == ()


def test_a_class_of_the_projects_own_may_have_any_field(lint_text: Lint) -> None:
    own = DATACLASSES.replace("from transformers import", "from project.args import")
    run = RUN.replace("--learning_rate 1e-5", "--learning_rates 1e-5")
    assert lint_text(run, "run.sh", {"train.py": own}) == ()


OPEN = """import argparse
from project.options import more
parser = argparse.ArgumentParser()
parser.add_argument("--checkpoint-folder", required=True)
parser.add_argument("--crop-size", type=int)
parser.add_argument("--cache-dir", nargs="?", const="cache")
parser.add_argument("--num-only", action="store_true")
parser.add_argument("--num-checked", action="store_true")
parser.add_argument("--resampled", action="store_true")
more(parser)
parser.parse_args()
"""
OWN = "torchrun --nproc_per_node 8 train.py --checkpoint-folder out --crop-size 4 --x-y 1\n"


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        ("", "", ""),
        ("--checkpoint-folder out", "--checkpiont-folder out", MISSPELT),
        ("--crop-size 4", "--crop-size", VALUE),
        ("--x-y 1", "--resample_to 1", ""),
        ("--x-y 1", "--resampled", ""),
        ("--x-y 1", "--cache-dir --num-checked --num-only", ""),
    ],
)
def test_a_parser_of_which_parts_are_not_at_hand(
    lint_text: Lint, old: str, new: str, cause: str
) -> None:
    found = lint_text(OWN.replace(old, new), "run.sh", {"train.py": OPEN})
    assert [f.name for f in found] == ([cause] if cause else [])


@pytest.mark.parametrize(
    ("flags", "causes"),
    [
        ("--checkpoint-folder out --cache-dir --num-checked", []),
        ("--checkpoint-folder --crop-size 4", [VALUE]),
        ("--checkpoint-folder out --brand-new 4", [MISSPELT]),
    ],
)
def test_a_parser_that_is_known_whole(lint_text: Lint, flags: str, causes: list[str]) -> None:
    whole = OPEN.replace("more(parser)\n", "")
    found = lint_text(f"torchrun train.py {flags}\n", "run.sh", {"train.py": whole})
    assert [f.name for f in found] == causes


@pytest.mark.parametrize(
    ("command", "causes"),
    [
        ("torchrun --crop-size 4 train.py --x-y 1", [MISSPELT]),
        ("accelerate launch --crop-size 4 train.py --x-y 1", [MISSPELT]),
        ("torchrun --some-later-option 4 train.py --x-y 1", []),
        ("torchrun --optimizer.rate 4 train.py --x-y 1", [MISSPELT]),
    ],
)
def test_a_flag_of_the_scripts_parser_before_it(
    lint_text: Lint, command: str, causes: list[str]
) -> None:
    found = lint_text(command + "\n", "run.sh", {"train.py": OPEN})
    assert [f.name for f in found] == causes


LOOP = "for lr in 1 2; do\n  torchrun train.py {flags}\ndone\n"


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ("--crop-size $lr", True),
        ('--crop-size "${lr}"', True),
        ("--crop-size=$lr", False),
        ("--crop-size $lr --checkpoint-folder out/$lr", False),
        # What may hold the flag itself: behind a switch, by its name, all arguments.
        ("--num-only $lr", False),
        ("--crop-size $MORE", False),
        ("--crop-size $lr $@", False),
        ("--crop-size $lr $(flags)", False),
    ],
)
def test_a_required_option_beside_the_value_of_a_loop(
    lint_text: Lint, flags: str, told: bool
) -> None:
    whole = OPEN.replace("more(parser)\n", "").replace("from project.options import more\n", "")
    found = lint_text(LOOP.format(flags=flags), "run.sh", {"train.py": whole})
    assert [one.name for one in found if "asks for --checkpoint" in one.message.en] == (
        [VALUE] if told else []
    )
