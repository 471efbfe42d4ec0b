"""A phrase of two halves, of an order or of sameness is said only where both halves are."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from medic.index.knowledge import load
from medic.match import answers, complaints
from medic.match.documents import document
from medic.match.faults import phrase_faults
from medic.match.text import TextIndex
from medic.match.turns import said_in, turns_of

INDEX = load()


def answered(text: str) -> set[str]:
    return {f"{check}={outcome}" for check, outcome, _ in answers(text, INDEX)}


@pytest.mark.parametrize(
    ("outcome", "half", "whole"),
    [
        ("zero-stage-swap=lower-stage-works", "ZeRO-3 gets stuck", "works with zero2 but hangs with zero3"),
        ("zero-stage-swap=lower-stage-works", "zero3 卡住了", "zero2 正常 zero3 卡住"),
        ("stall-point=fixed-step", "the run gets stuck at step 4", "always hangs at the same step"),
        ("stall-point=fixed-step", "第 4 步卡住", "每次都卡在同一步"),
        ("environment-change=driver-updated", "Please update your GPU driver", "it crashes after the driver update"),
        ("environment-change=driver-updated", "请更新显卡驱动", "更新驱动之后就坏了"),
        ("variant-that-works=no-recompute", "batch size 1, gradient checkpointing on", "works without gradient checkpointing"),
        ("variant-that-works=batch-without-padding", "the batch has padding, loss nan", "nan only with padding"),
        ("speed-experiment=without-debugging", "CUDA_LAUNCH_BLOCKING=1 points into cross_entropy", "unsetting CUDA_LAUNCH_BLOCKING made it fast"),
        ("library-path-clue=unset-helps", "LD_LIBRARY_PATH is set by the module", "unset LD_LIBRARY_PATH fixes it"),
        ("full-place=kept-checkpoints", "save_total_limit is 3", "save_total_limit was not set"),
        ("gpu-processes=only-this-run", "nvidia-smi shows GPU 7 is empty", "the gpu is empty before i start"),
        ("validation-gap=validation-turns-up", "the eval loss rises", "train loss goes down and eval loss goes up"),
        ("learning-rate-shape=zero-throughout", "the learning rate is 0 from then on", "learning rate is 0 at every step"),
        ("slow-onset=suddenly", "it is slow on this machine", "it suddenly became slow"),
        ("rl-learning-rate=high", "we mixed in 30% general data with lr 1e-5", "lr 1e-5 for ppo"),
    ],
)  # fmt: skip
def test_both_halves_are_needed(outcome: str, half: str, whole: str) -> None:
    assert outcome not in answered(half)
    assert outcome in answered(whole)


@pytest.mark.parametrize(
    ("symptom", "half", "whole"),
    [
        ("reward-collapses", "Running GRPO on 8 GPUs, after 20 steps the run dies", "the reward collapses during grpo training"),
        ("evaluation-disagrees", "I did not change any setting", "the model has not changed after the run"),
    ],
)  # fmt: skip
def test_a_symptom_too(symptom: str, half: str, whole: str) -> None:
    assert symptom not in {match.name for match, _ in complaints(half, INDEX)}
    assert symptom in {match.name for match, _ in complaints(whole, INDEX)}


@pytest.mark.parametrize(
    ("phrase", "turn", "sentence", "other"),
    [
        ("reward rises, then falls", "falls", "reward rises for an hour and drops", "the reward rises"),
        ("reward rises, then falls", "rises", "reward from 0.2 to 0.9, then it is gone", "reward falls"),
        ("nan before any update", "before", "nan before the first update", "nan after the very first iteration"),
        ("fails in the first step", "first", "it fails at step 0", "it fails at step 4"),
        ("only with fp16", "only", "not with bf16, with fp16", "with fp16"),
        ("loss is 0", "zero", "loss: 0.0", "loss is 0.5"),
        ("slower and slower", "gradual", "each epoch is slower than the last", "it is slow"),
        ("works in bf16, fails in fp16", "pair", "bf16 ok, fp16 nan", "bf16 works"),
    ],
)  # fmt: skip
def test_what_turns_a_phrase(phrase: str, turn: str, sentence: str, other: str) -> None:
    assert turn in turns_of(phrase)
    assert said_in(sentence)(frozenset([turn]))
    assert not said_in(other)(frozenset([turn]))


def test_a_phrase_that_nothing_turns_asks_nothing() -> None:
    assert turns_of("cuda out of memory") == frozenset()
    found = TextIndex([document("symptoms", "oom", "cuda out of memory")]).search(
        "CUDA out of memory"
    )
    assert [match.name for match in found] == ["oom"]


def test_outcomes_whose_phrases_read_the_same_are_a_defect() -> None:
    outcomes = {
        "two": {"phrases": {"en": ["training with zero2"]}},
        "three": {"phrases": {"en": ["training with zero3", "hangs only with zero3"]}},
        "other": {"phrases": {"en": ["hangs with zero3"]}},
    }
    written = SimpleNamespace(raw={"checks": {"stage": {"outcomes": outcomes}}})
    faults = [fault for _, fault in phrase_faults(written)]  # type: ignore[arg-type]
    assert len(faults) == 1
    assert "zero2" in faults[0]
