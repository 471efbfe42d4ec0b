"""Rows of an evaluation whose loss has no name of its own: ``validate step: 300 loss: 2.4``."""

from __future__ import annotations

from medic.text.patterns import regex

# Torchtitan's validator, and loops that tag a row; part of no name (``eval_steps``, ``eval.py``).
_WORD = regex(
    r"(?i)(?<![\w./-])(?:validat(?:e|ion|ing)|eval(?:uat(?:e|ion|ing))?|val|test(?= step|:|\]| \|))"
    r"(?![\w/-]|\.\w)"
)
_LOSS = regex(r"(?i)loss\W{0,4}[-+.\da-z]")
# What a row of training has beside its loss, and a row of evaluation has not.
_OF_TRAINING = frozenset({"learning_rate", "grad_norm", "loss_scale", "eval_loss", "data_time"})


def evaluated(message: str, values: dict[str, float]) -> dict[str, float]:
    """The values of a row with its loss as that of the evaluation which the row is of.

    The word stands before the loss, and no word of training does.
    """
    if "loss" not in values or not _OF_TRAINING.isdisjoint(values):
        return values
    word = _WORD.search(message)
    loss = None if word is None else _LOSS.search(message)
    if word is None or loss is None or loss.start() < word.start():
        return values
    if "train" in message[: loss.start()].lower():
        return values
    return {"eval_loss" if name == "loss" else name: value for name, value in values.items()}
