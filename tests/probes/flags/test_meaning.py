"""Which option was meant: right, or nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from medic.probes.flags.match import NOWHERE, Unknown
from medic.probes.flags.meaning import distance, meant

from medic.facts import Option, ParserSpec, Word
from medic.nearest import nearest


def _meant(flag: str, names: str, value: str | None = "1", *, prefixes: bool = True) -> str:
    """``names``: options of the parser; one that ends with ``!`` takes no value."""
    options = tuple(
        Option((name.rstrip("!"),), "none" if name.endswith("!") else "value")
        for name in names.split()
    )
    unknown = Unknown(Word(NOWHERE, flag, flag), flag, value)
    spec = ParserSpec("train.py", options, complete=True, prefixes=prefixes)
    answer: str = meant(unknown, spec, frozenset(), nearest)
    return answer


@pytest.mark.parametrize(
    ("flag", "names", "answer"),
    [
        # one setting under two names
        ("--training-learning-rate", "--training-lr --training-micro-batch-size", "--training-lr"),
        ("--learning-rate", "--lr --min-lr", "--lr"),
        ("--lr", "--training-lr --min-lr", "--training-lr"),
        ("--batch-size", "--training-micro-batch-size --lr", "--training-micro-batch-size"),
        ("--bs", "--batch_size", "--batch_size"),
        ("--micro-batch-size", "--per_device_train_batch_size", "--per_device_train_batch_size"),
        ("--max-length", "--seq-len", "--seq-len"),
        ("--block_size", "--max_seq_length", "--max_seq_length"),
        ("--epochs", "--num_train_epochs", "--num_train_epochs"),
        ("--grad-accum", "--gradient_accumulation_steps", "--gradient_accumulation_steps"),
        ("--wd", "--weight-decay", "--weight-decay"),
        ("--num_warmup_steps", "--lr-warmup-iters --lr-warmup-fraction", "--lr-warmup-iters"),
        ("--max_grad_norm", "--clip-grad", "--clip-grad"),
        ("--save_steps", "--save-interval --eval-interval", "--save-interval"),
        ("--tp", "--tensor-model-parallel-size", "--tensor-model-parallel-size"),
        ("--evaluation_strategy", "--eval_strategy --eval_steps", "--eval_strategy"),
        ("--output-directory", "--output-dir", "--output-dir"),
        ("--train-iters", "--max_steps", "--max_steps"),
        # the same letters
        ("--micro_batch_size", "--micro-batch-size --batch", "--micro-batch-size"),
        ("--Learning-Rate", "--learning-rate", "--learning-rate"),
        ("-lr", "--lr", "--lr"),
        ("--train.lr", "--train_lr", "--train_lr"),
        # slips
        ("--learnig-rate", "--learning-rate --warmup", "--learning-rate"),
        ("--learnig-rate", "--training-lr --warmup", "--training-lr"),
        ("--ouptut-dir", "--output-dir --data-dir", "--output-dir"),
        ("--batchsize", "--batch-size --lr", "--batch-size"),
        ("--hiden-size", "--hidden-size --hidden-dropout", "--hidden-size"),
        ("--num_layer", "--num-layers --num-heads", "--num-layers"),
    ],
)
def test_meant(flag: str, names: str, answer: str) -> None:
    assert _meant(flag, names) == answer


@pytest.mark.parametrize(
    ("flag", "names"),
    [
        ("--foo", "--bar --lr"),
        ("--adam-beta3", "--adam-beta1 --adam-beta2"),
        ("--beta1", "--beta2"),
        ("--eval-batch-size", "--train-batch-size"),
        ("--batch-size", "--micro-batch-size --global-batch-size"),
        ("--global-batch-size", "--micro-batch-size"),
        ("--model-path", "--data-path"),
        ("--path", "--data-path"),
        ("--min-lr", "--max-lr"),
        ("--min-lr", "--lr"),
        ("--warmup", "--warmup-steps --warmup-ratio"),
        ("--lr", "--actor-lr --critic-lr"),
        ("--top-k", "--top-p"),
        ("--num-experts", "--num-layers"),
        ("--lora-alpha", "--lora-dropout"),
    ],
)
def test_nothing_is_meant_for_sure(flag: str, names: str) -> None:
    assert _meant(flag, names) == ""


def test_a_value_must_fit() -> None:
    assert _meant("--compile", "--optimization-use-compile!", None) == "--optimization-use-compile"
    assert _meant("--compile-mode", "--use-compile!", "max-autotune") == ""
    assert _meant("--use-compile", "--compile!", "max-autotune") == ""
    assert _meant("--learning-rate", "--lr", None) == ""


def test_the_opposite_is_never_meant() -> None:
    assert _meant("--no-optimization-use-amp", "--optimization-use-amp!", None) == ""
    assert _meant("--use-amp", "--no-use-amp!", None) == ""


def test_beginnings_count_only_where_the_parser_refuses_them() -> None:
    assert _meant("--gradient", "--gradient-noise --lr", prefixes=False) == "--gradient-noise"


def test_an_option_that_is_given_already_is_not_meant() -> None:
    spec = ParserSpec("t", (Option(("--lr",), "value"),), complete=True)
    unknown = Unknown(Word(NOWHERE, "--learning-rate", ""), "--learning-rate", "1")
    assert meant(unknown, spec, frozenset({"--lr"}), lambda *_: []) == ""


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_distance(one: str, other: str) -> None:
    assert distance(one, other) == distance(other, one)
    assert (distance(one, other) == 0) == (one == other)
    assert abs(len(one) - len(other)) <= distance(one, other) <= max(len(one), len(other))


def test_distance_counts_a_swap_once() -> None:
    assert distance("ouptut", "output") == 1
    assert distance("lr", "rl") == 1
    assert distance("abc", "") == 3
