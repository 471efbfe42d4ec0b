"""What a script that hands its run to transformers' Trainer does to the model itself.

``TrainingArguments.gradient_checkpointing`` is off by default (transformers ``training_args.py``), so
nothing is recomputed unless the arguments or the script's own code say so.
"""

from __future__ import annotations

import ast

from medic.syntax.python_calls import Calls, makes_model
from medic.syntax.python_loop import recompute
from medic.syntax.python_reader import Reader
from medic.syntax.python_values import Group, Known

# The setting: whether code beside the arguments has layers recomputed.
RECOMPUTES = "model_recomputes"
_ARGUMENTS = ("TrainingArguments", "Seq2SeqTrainingArguments")
_WORD = "checkpointing"  # in a name or a text: an option or a call that may switch it on


def put_recompute(run: Group, reader: Reader, module: ast.Module, calls: list[ast.Call]) -> None:
    """Adds the setting to the trainer's arguments, where all of the module's code is known."""
    if run.made_by.rpartition(".")[2] not in _ARGUMENTS:
        return
    if not any(makes_model(call) for call in calls):
        return
    found = recompute(Calls(reader, module, calls))
    if not isinstance(found, Known) or (found.value is False and _mentioned(module, run)):
        return
    run.settings[RECOMPUTES] = (found.node, found)


def _mentioned(module: ast.Module, run: Group) -> bool:
    """Whether the module speaks of recomputation elsewhere than in the run's own arguments."""
    own = {id(n) for n in ast.walk(run.node)}
    for node in ast.walk(module):
        said = (
            node.value
            if isinstance(node, ast.Constant)
            else getattr(node, "id", None)
            or getattr(node, "attr", None)
            or getattr(node, "arg", None)
        )
        if isinstance(said, str) and _WORD in said and id(node) not in own:
            return True
    return False
