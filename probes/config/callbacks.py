"""A ModelCheckpoint of Lightning that is told two ways to count."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Document, Node, Source
from medic.i18n import Text
from medic.probe import Finding

EXCLUDE = "options-exclude-each-other"
_COUNTS = ("every_n_train_steps", "every_n_epochs")
_BOTH = Text(
    "every_n_train_steps and every_n_epochs of one ModelCheckpoint exclude each other",
    "同一个 ModelCheckpoint 的 every_n_train_steps 与 every_n_epochs 互斥",
)


def checkpoint_counts(document: Document) -> Iterator[Finding]:
    """lightning pytorch/callbacks/model_checkpoint.py __validate_init_configuration: more than one
    of them at 1 or above raises MisconfigurationException."""
    root = document.root
    trainer = root.get("trainer") if root is not None else None
    listed = trainer.get("callbacks") if trainer is not None else None
    for one in (listed, *listed.elements) if listed is not None else ():
        name = one.get("class_path") or one.get("_target_")
        if name is None or str(name.value).rpartition(".")[2] != "ModelCheckpoint":
            continue
        given = one.get("init_args") or one
        keys = [key for key, value in given.items if key.value in _COUNTS and _on(value)]
        if len(keys) == len(_COUNTS):
            last = keys[-1]
            source = Source(last.span.file, last.span.line, text=last.raw)
            yield Finding(EXCLUDE, "fires", {"what": _BOTH}, source, span=last.span)


def _on(node: Node) -> bool:
    return isinstance(node.value, int) and node.value >= 1
