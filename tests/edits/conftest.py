"""Files with run configs whose values know their places, and framework keys to write back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from medic.edits.trees import flag_of, node_at
from medic.entries import Framework, Key, Recognise
from medic.facts import Document
from medic.run_config import Change, Origin, RunConfig, Scalar, Span, Value
from medic.syntax import guess_syntax, parse

FRAMEWORK = Framework(
    name="demo",
    title="Demo",
    recognise=Recognise(),
    auto_words=("auto",),
    keys=(
        Key("**.micro_batch_size", "micro_batch_size"),
        Key("**.gradient_accumulation_steps", "gradient_accumulation_steps"),
        Key("**.global_batch_size", "global_batch_size"),
        Key("**.lr", "learning_rate"),
        Key("**.max_norm", "gradient_clip"),
        Key("**.fp16", "precision", true_means="fp16"),
        Key("**.bf16", "precision", true_means="bf16"),
        Key("**.dtype", "precision"),
        Key("**.timeout_minutes", "nccl_timeout", factor=60.0),
        Key("**.strategy", "fsdp", values={"fsdp": True, "ddp": False}),
        Key("**.granularity", "activation_checkpointing"),
        Key("**.recompute", "activation_checkpointing"),
        Key("engine.stage", "zero_stage"),
        Key("**.num_workers", "num_workers"),
    ),
)
ENGINE = Framework(
    name="engine",
    title="Engine",
    recognise=Recognise(),
    role="engine",
    auto_words=("auto",),
    keys=(
        Key("train_micro_batch_size_per_gpu", "micro_batch_size"),
        Key("gradient_accumulation_steps", "gradient_accumulation_steps"),
        Key("gradient_clipping", "gradient_clip"),
        Key("fp16.enabled", "precision", true_means="fp16"),
        Key("bf16.enabled", "precision", true_means="bf16"),
    ),
)
LAUNCHER = Framework(
    name="launcher",
    title="Launcher",
    recognise=Recognise(),
    role="launcher",
    keys=(Key("nproc_per_node", "gpus_per_node"), Key("master_port", "master_port")),
)
FRAMEWORKS = (FRAMEWORK, ENGINE, LAUNCHER)

Where = Mapping[str, str]


def _tree_origin(document: Document, path: Sequence[str], framework: str) -> tuple[Scalar, Origin]:
    node = node_at(document.root, path)
    assert node is not None, path
    origin = Origin("file", node.span, document.syntax, tuple(path), path[-1], framework)
    return node.value, origin


def _flag_origin(document: Document, flag: str, framework: str) -> tuple[Scalar, Origin]:
    for command in document.commands:
        for i, word in enumerate(command.words):
            found = flag_of(command, i)
            if found is None or found[1] != flag:
                continue
            text = word.value or word.raw
            behind = command.words[i + 1] if i + 1 < len(command.words) else None
            if "=" in text:
                skip = len(text.partition("=")[0]) + 1
                place = word.literal or _from(word.span, skip)
                return text[skip:], _shell(place, flag, framework)
            if behind is None or (behind.value or "").startswith("-"):
                return True, _shell(word.span, flag, framework)
            return behind.value, _shell(behind.literal or behind.span, flag, framework)
    raise AssertionError(flag)


def _from(span: Span, skip: int) -> Span:
    return Span(span.file, span.start + skip, span.end, span.line, span.column + skip,
                span.end_line, span.end_column)  # fmt: skip


def _shell(span: Span, flag: str, framework: str) -> Origin:
    return Origin("file", span, "shell", (flag.lstrip("-"),), flag, framework)


def _number(value: Scalar) -> Scalar:
    try:
        return float(str(value)) if set(".e") & set(str(value)) else int(str(value))
    except ValueError:
        return value


class Workshop:
    """Writes files and reads them as run configs of the frameworks above."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.values: dict[str, list[tuple[Scalar, Origin]]] = {}

    def file(self, name: str, text: str | bytes, fields: Where, framework: str = "demo") -> Path:
        """``fields``: canonical field -> dotted key path, or the flag."""
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        data = path.read_bytes()
        document = parse(data, str(path), guess_syntax(name, data))
        for field, key in fields.items():
            if document.syntax == "shell":
                value, origin = _flag_origin(document, key, framework)
                value = _number(value) if not isinstance(value, bool) else value
            else:
                value, origin = _tree_origin(document, key.split("."), framework)
            self.values.setdefault(field, []).append((value, origin))
        return path

    def config(self, **more: Any) -> RunConfig:
        values = {
            field: Value(stated[0][0], stated[0][1], tuple(stated[1:]))
            for field, stated in self.values.items()
        }
        return RunConfig({**values, **more})


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    monkeypatch.setenv("MEDIC_STATE", str(tmp_path / "state"))
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return Workshop(folder)


@pytest.fixture
def edit(shop: Workshop) -> Callable[..., Any]:
    """``edit(config, field=new)``: the plan of these changes."""
    from medic.edits import edits_for
    from medic.i18n import Text

    def plan(config: RunConfig, **new: Scalar) -> Any:
        changes = [
            Change(field, config.get(field), value, Text("", "")) for field, value in new.items()
        ]
        return edits_for(
            changes, config, lambda file: Path(file).read_bytes(), frameworks=FRAMEWORKS
        )

    return plan


@pytest.fixture
def after(edit: Callable[..., Any]) -> Callable[..., str]:
    """``after(config, path, field=new)``: the file's text once the plan is applied in memory."""
    from medic.edits.sources import apply_to

    def text(config: RunConfig, path: Path, **new: Scalar) -> str:
        plan = edit(config, **new)
        assert not plan.refused, [r.en for r in plan.refused]
        own = [e for e in plan.edits if e.file == str(path)]
        return apply_to(path.read_bytes(), own).decode()

    return text
