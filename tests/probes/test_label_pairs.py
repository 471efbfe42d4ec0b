"""Labels that a data set moves by one, and that the loss of another file moves again."""

from __future__ import annotations

import ast

import pytest
from medic.probes.training.code import Code
from medic.probes.training.label_pairs import moved_twice

DATA = """
class Rows:
    def __getitem__(self, index):
        tokens = self.rows[index]
        labels = {labels}
        labels[:2] = -100
        return {inputs}, labels, 1.0
"""
TWICE = "loss = F.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())"
ONCE = "loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten())"


def fires(labels: str, inputs: str, loss: str, *more: str) -> bool:
    trees = [ast.parse(t) for t in (DATA.format(labels=labels, inputs=inputs), *more)]
    return bool(list(moved_twice(Code(ast.parse(loss), loss), trees)))


def test_both_move() -> None:
    assert fires("tokens[1:].clone()", "tokens[:-1]", TWICE)
    assert fires("tokens[1:]", "tokens[:-1]", f"{TWICE}\nvalidation = F.cross_entropy(a, b)")


@pytest.mark.parametrize(
    ("labels", "inputs", "loss"),
    [
        ("tokens[1:].clone()", "tokens[:-1]", ONCE),
        ("tokens.clone()", "tokens", TWICE),
        ("other[1:]", "tokens[:-1]", TWICE),
        ("tokens[1:]", "tokens[:-2]", TWICE),
    ],
)
def test_one_of_them_moves(labels: str, inputs: str, loss: str) -> None:
    assert not fires(labels, inputs, loss)


def test_of_two_data_sets_nobody_knows_which() -> None:
    other = DATA.format(labels="tokens.clone()", inputs="tokens")
    assert not fires("tokens[1:]", "tokens[:-1]", TWICE, other)
