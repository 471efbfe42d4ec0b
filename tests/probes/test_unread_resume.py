"""resume_from_checkpoint in the arguments of a Trainer, and train() without it."""

from __future__ import annotations

import ast

import pytest
from medic.probes.training.code import Code
from medic.probes.training.unread_resume import unread_resume

PROGRAM = """
args = {arguments}(output_dir="out", resume_from_checkpoint={value})
trainer = {trainer}(model=model, args=args)
{train}
"""


def fires(
    arguments: str = "TrainingArguments",
    value: str = "True",
    trainer: str = "Trainer",
    train: str = "trainer.train()",
) -> bool:
    text = PROGRAM.format(arguments=arguments, value=value, trainer=trainer, train=train)
    return bool(list(unread_resume(Code(ast.parse(text), text))))


@pytest.mark.parametrize(
    ("arguments", "trainer"),
    [("TrainingArguments", "Trainer"), ("trl.SFTConfig", "SFTTrainer"),
     ("Seq2SeqTrainingArguments", "Seq2SeqTrainer")],
)  # fmt: skip
def test_it_is_not_handed_on(arguments: str, trainer: str) -> None:
    assert fires(arguments, "'out/checkpoint-500'", trainer)


@pytest.mark.parametrize(
    "train",
    [
        "trainer.train(resume_from_checkpoint=True)",
        "trainer.train(True)",
        "trainer.train(args.resume_from_checkpoint)",
        "model.train()",
        "trainer.evaluate()",
        "def train(self): ...\ntrainer.train()",
    ],
)
def test_it_is_handed_on_or_nothing_is_known(train: str) -> None:
    assert not fires(train=train)


def test_none_is_no_checkpoint() -> None:
    assert not fires(value="None")
    assert not fires(value="False")
