"""Python in a report: it is no configuration file, and what it says is read."""

from __future__ import annotations

import pytest

from medic.case.collect import collect
from medic.case.pasted import split_text
from medic.index.knowledge import load
from medic.lint.files import lint
from medic.match import split_paste
from medic.match.program import program, statements
from medic.match.tone import fine

ARGUMENTS = """The rate is too low.

args = TrainingArguments(
    output_dir="./out",
    num_train_epochs=3,
    learning_rate=1e-7,  # see (above)
)
trainer = Trainer(model=model, args=args)
"""


def test_a_call_is_no_setting() -> None:
    assert {f.kind for f in split_paste(ARGUMENTS)} == {"prose"}


def test_a_program_is_a_part_at_its_own_lines() -> None:
    parts, files = split_text(ARGUMENTS)
    assert [f.kind for f in files] == ["python"]
    assert parts[files[0].name].split("\n")[2].startswith("args = TrainingArguments(")


@pytest.mark.parametrize(
    "text",
    [
        "lr: 0.1\nepochs: 3",
        'learning_rate = 1e-4\nname = "x"\n[optim]\nbeta = 0.9',
        'datasets:\n  - path: a.json\n    type: alpaca\nlist: ["a", "b"]',
    ],
)
def test_a_configuration_stays_one(text: str) -> None:
    assert not statements(text.split("\n"))
    assert {f.kind for f in split_paste(text)} == {"config"}


def test_assignments_beside_a_call_are_code() -> None:
    lines = ["model = ...", "optimizer = ...", "scheduler = StepLR(optimizer, step_size=20)"]
    assert statements(lines) == {0, 1, 2}
    assert {f.kind for f in split_paste("\n".join(lines))} == {"prose"}


def test_the_source_below_a_frame_is_the_log_s() -> None:
    text = 'RuntimeError: must be 2-D\n  File "model.py", line 41, in forward\n    x = self.norm(x)'
    assert {f.kind for f in split_paste(text)} == {"log"}


def test_a_block_that_python_refuses_is_no_program() -> None:
    assert program(["from x import", "model = load(a b)"]) == ""


def test_a_block_with_its_body() -> None:
    lines = [
        "for batch in loader:",
        "    loss = model(batch)",
        "    loss.backward()",
        "Then it stops.",
    ]
    assert statements(lines) == {0, 1, 2}


def test_a_loop_in_words_is_none() -> None:
    assert not statements(["for each of the runs: the loss stays (always) at 2.3"])


def test_what_is_well_on_one_gpu_says_nothing_of_four() -> None:
    assert not fine("With one GPU the rate drops after 20 epochs as expected.")
    assert fine("The rate drops after 20 epochs as expected.")


@pytest.mark.parametrize(
    "title", ["[QST] Loss always zero", "[Bug] The loss is 0", "[问题] loss 为 0"]
)
def test_the_title_of_a_report_is_no_log_line(title: str) -> None:
    assert [f.kind for f in split_paste(title)] == ["prose"]


def test_a_tag_of_a_program_is_one() -> None:
    assert [f.kind for f in split_paste("[rank zero] loading weights")] == ["log"]


def test_a_fence_is_no_part_of_the_command_and_the_settings_that_it_stands_around() -> None:
    text = (
        "It hangs.\n```bash\ntorchrun --nproc_per_node 8 train.py \\\n  --bf16\n```\nwith\n"
        "```\nlearning_rate: 1.0e-4\nbf16: true\n```\n"
    )
    index = load()
    found = lint(collect([], text=text, index=index), index)
    assert not found.findings
    assert not found.not_read
    kinds = {one.kind: one.text for one in split_paste(text)}
    assert kinds["command"].endswith("--bf16")
    assert kinds["config"].endswith("bf16: true")
