"""A message whose premise is denied, by words or by the settings: it is no proof of its usual cause."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.session.consultation import Session
from medic.session.diagnosis import Diagnosis
from medic.told.understood import Told

INDEX = load()
MOE = (
    '  File "/opt/Megatron-LM/megatron/training/arguments.py", line 690, in validate_args\n'
    "    assert args.sequence_parallel, \\\n"
    "AssertionError: When using MoE and tensor parallelism, sequence parallelism must be used.\n"
)
BEST = (
    "ValueError: --load_best_model_at_end requires the save and eval strategy to match, but found\n"
    "- Evaluation strategy: no\n- Save strategy: epoch\n"
)
EMPTY = "ValueError: num_samples should be a positive integer value, but got num_samples=0\n"


def diagnosed(tmp_path: Path, **files: str) -> Diagnosis:
    for name, text in files.items():
        (tmp_path / name.replace("__", ".")).write_text(text)
    session = Session(INDEX, collect([str(tmp_path)], this_host=False, index=INDEX))
    session.look()
    return session.diagnosis(asks=False)


def outcomes(found: Diagnosis, check: str) -> set[str]:
    lines = (line for cause in found.causes for line in cause.evidence)
    return {line.outcome for line in lines if line.name == check}


@pytest.mark.parametrize(
    "words",
    [
        "Qwen2.5 7B, a plain dense model, TP=4.",
        "We do not use MoE at all, the checkpoint is Mistral 7B.",
        "模型是稠密的，没有专家，TP=4。",
    ],
)
def test_a_refusal_of_what_is_not_used_establishes_nothing(tmp_path: Path, words: str) -> None:
    found = diagnosed(
        tmp_path, report__txt=f"The start is refused by the argument check:\n{MOE}{words}\n"
    )
    assert found.verdict != "established"
    assert outcomes(found, "refusal-premise") == {"part-not-used"}
    assert found.causes[0].chance < 0.9


@pytest.mark.parametrize(
    "words",
    [
        "Mixtral 8x7B with 8 experts, TP=4.",
        "TP=4, the model is Qwen3-30B-A3B.",
        "模型有 64 个专家，TP=4。",
    ],
)
def test_a_refusal_of_what_is_used_stands(tmp_path: Path, words: str) -> None:
    found = diagnosed(
        tmp_path, report__txt=f"The start is refused by the argument check:\n{MOE}{words}\n"
    )
    assert found.verdict == "established"
    assert found.causes[0].name == "option-needs-another-option"


COMMAND = "llamafactory-cli train --stage sft --do_train --load_best_model_at_end {} --val_size 0.1 --fp16\n"


def test_settings_that_are_as_the_message_demands_are_not_read_under_that_name(
    tmp_path: Path,
) -> None:
    given = "--evaluation_strategy epoch --save_strategy epoch"
    found = diagnosed(tmp_path, train__log=BEST, launch__sh=COMMAND.format(given))
    assert found.verdict != "established" or found.causes[0].name == "argument-renamed-in-library"
    assert found.causes[0].name == "argument-renamed-in-library"
    line = next(n for n in found.causes[0].evidence if n.name == "refusal-premise")
    assert line.source.file.endswith("launch.sh")


@pytest.mark.parametrize(
    "given",
    [
        "--eval_strategy steps --save_strategy epoch",
        "--save_strategy epoch",
        "--evaluation_strategy steps --save_strategy epoch",
    ],
)
def test_settings_that_differ_are_what_the_message_says(tmp_path: Path, given: str) -> None:
    found = diagnosed(tmp_path, train__log=BEST, launch__sh=COMMAND.format(given))
    assert found.causes[0].name == "save-and-eval-strategy-differ"
    assert not outcomes(found, "refusal-premise")


def test_a_demand_that_was_met_is_heard_in_words(tmp_path: Path) -> None:
    said = "I gave both strategies as epoch, but I get the same error again.\n"
    found = diagnosed(tmp_path, report__txt=f"The trainer does not start, it says:\n{BEST}{said}")
    assert found.verdict != "established"
    assert outcomes(found, "refusal-premise") == {"demand-is-met"}


def test_a_premise_is_asked_of_a_refusal_alone(tmp_path: Path) -> None:
    said = "A plain dense model without experts, loss is nan after 200 steps. Both are set already."
    assert not outcomes(diagnosed(tmp_path, report__txt=said), "refusal-premise")


@pytest.mark.parametrize(
    ("words", "first"),
    [
        (
            "run_clm.py on my file of 30 lines; the file is there and has text.",
            "packing-needs-more-text",
        ),
        (
            "Image folder classifier, the glob ends in .JPG and my files in .png.",
            "data-set-has-no-samples",
        ),
    ],
)
def test_a_program_that_cuts_blocks_needs_more_text(tmp_path: Path, words: str, first: str) -> None:
    found = diagnosed(
        tmp_path, report__txt=f"The trainer stops at once with this error:\n{EMPTY}{words}\n"
    )
    assert found.causes[0].name == first


@pytest.mark.parametrize(
    ("words", "partway"),
    [
        (
            "Planned 8000 steps, accelerate on 8 GPUs. The weights stop changing after about 1000 steps.",
            True,
        ),
        ("计划 8000 步，训到 1000 步之后模型就不再更新了。", True),
        ("The loss is flat from the start, 8000 steps planned.", False),
        ("The progress bar stops updating after 300 steps, the loss falls.", False),
    ],
)
def test_learning_that_stops_partway(tmp_path: Path, words: str, partway: bool) -> None:
    found = diagnosed(tmp_path, report__txt=words)
    assert (outcomes(found, "plateau-onset") == {"partway"}) == partway


def test_words_are_not_alike_to_what_they_rule_out(tmp_path: Path) -> None:
    """EADDRINUSE of the old port, whatever is exported: the program passes it itself."""
    log = (
        "RuntimeError: The server socket has failed to listen on any local network address. "
        "port: 29500, useIpv6: 0, code: -98, name: EADDRINUSE, message: address already in use\n"
    )
    said = "With MASTER_PORT=29733 the message still names the old port 29500, and nothing listens there.\n"
    found = diagnosed(tmp_path, report__txt=f"My script fails at start on 2 GPUs:\n{log}{said}")
    assert found.causes[0].name == "rendezvous-address-fixed-in-program"


def test_a_port_that_a_process_holds_is_in_use(tmp_path: Path) -> None:
    log = (
        "RuntimeError: The server socket has failed to listen on any local network address. "
        "port: 29500, useIpv6: 0, code: -98, name: EADDRINUSE, message: address already in use\n"
    )
    said = (
        "lsof shows that an earlier run still holds the port. With another MASTER_PORT it starts.\n"
    )
    found = diagnosed(tmp_path, report__txt=f"My script fails at start on 2 GPUs:\n{log}{said}")
    assert found.causes[0].name in ("port-in-use", "launches-share-a-port")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("我用自己的数据集训练时报错", False),
        ("With two devices in ddp I received the error", False),
        ("DDP says that parameters did not receive a gradient in the backward pass.", True),
    ],
)
def test_words_that_lead_to_a_message_are_no_symptom(
    tmp_path: Path, words: str, told: bool
) -> None:
    log = "ImportError: cannot import name 'packaging' from 'pkg_resources' (/v/pkg_resources/__init__.py)\n"
    found = diagnosed(tmp_path, report__txt=f"{words}\n{log}")
    lines = [line for cause in found.causes for line in cause.evidence]
    unexplained = {line.name for line in (*lines, *found.unexplained)}
    assert bool(unexplained & {"data-set-error", "ddp-reducer-error"}) == told


@pytest.mark.parametrize(
    ("words", "works"),
    [
        ("loss nan, I took fp16 instead of bf16 since a V100 does not support bf16.", False),
        ("The loss becomes nan in fp16. Switching to bf16 solves it.", True),
    ],
)
def test_a_card_without_bf16_does_not_work_in_it(words: str, works: bool) -> None:
    told = Told(INDEX)
    told.describe(words)
    assert ("variant-that-works" in told.answered) == works
