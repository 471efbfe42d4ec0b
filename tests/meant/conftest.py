"""A talk over a run without a screen: plain sentences are typed, and what is told is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from medic.tui import jobs
from medic.tui.consultation import Consultation
from medic.tui.events import Asked, Choices, Previewed, Told
from medic.tui.lines import Block, rows
from medic.tui.offers import Offer
from medic.tui.typed import take

from medic.case.collect import Case, collect
from medic.i18n import use
from medic.index.knowledge import load

INDEX = load()
OOM = """\
[rank0]: Traceback (most recent call last):
[rank0]:   File "/job/train.py", line 120, in main
[rank0]:     loss = step(model, batch)
[rank0]:   File "/job/train.py", line 88, in step
[rank0]:     loss = model(batch).loss
[rank0]:   File "/opt/venv/lib/python3.12/site-packages/torch/nn/modules/module.py", line 1790, in _call_impl
[rank0]:     return forward_call(*args, **kwargs)
[rank0]:   File "/job/train.py", line 35, in forward
[rank0]:     return x + self.down(F.gelu(self.up(self.ln2(x))))
[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB. GPU 0 has a total \
capacity of 79.18 GiB of which 2.50 GiB is free. Including non-PyTorch memory, this process has \
76.60 GiB memory in use. Of the allocated memory 72.66 GiB is allocated by PyTorch, and 3.10 GiB is \
reserved by PyTorch but unallocated.
"""
CONFIG = "micro_batch_size: 512\nsequence_length: 1024\nhidden_size: 2048\nnum_layers: 24\nnum_heads: 16\n"


class Front:
    """Takes what is typed and keeps what is told."""

    def __init__(self, folder: Path | None = None) -> None:
        self.choices: Choices | None = None
        self.blocks: list[Block] = []
        self.folder = folder
        self.previewed: Offer | None = None
        case = collect([str(folder)]) if folder else Case()
        self.talk = Consultation(lambda: INDEX, case, self._happened)
        self.talk.start()
        if folder:
            self.talk.look()

    def _happened(self, event: Any) -> None:
        if isinstance(event, Told):
            self.blocks.append(event.block)
        elif isinstance(event, Asked):
            self.choices = event.choices
        elif isinstance(event, Previewed):
            self.previewed = event.offer

    def say(self, words: str) -> str:
        """What is told after these words, on one line."""
        self.blocks.clear()
        take(self, words)
        return self.told()

    def told(self) -> str:
        """What was told since the last words, on one line."""
        lines = [row for block in self.blocks for row in rows(block, 78, 0)]
        every = " ".join("".join(str(text) for text, _ in row) for row in lines)
        told: str = " ".join(every.split())
        return told

    @property
    def leader(self) -> str:
        assert self.talk.found is not None
        return str(self.talk.found.causes[0].name)

    def add(self, block: Block) -> None:
        self.blocks.append(block)

    def keep(self, block: Block) -> None: ...

    def wait_for(self, choices: Choices | None) -> None:
        self.choices = choices

    def work(self, job: Any, *values: Any, **named: Any) -> None:
        job(self.talk, *values, **named)

    def action_do(self, word: str, argument: str = "") -> None:
        self.work(jobs.order, word, argument)


@pytest.fixture(autouse=True)
def _own_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.setenv("MEDIC_STATE", str(tmp_path / "state"))
    use("en")
    yield
    use("en")


@pytest.fixture
def oom(tmp_path: Path) -> Front:
    """A run that ran out of memory in its first step."""
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "train.log").write_text(OOM)
    (folder / "config.yaml").write_text(CONFIG)
    front = Front(folder)
    assert front.leader == "micro-batch-too-large"
    return front


@pytest.fixture
def talk_of() -> Callable[..., Front]:
    """A talk over a folder or file, or over nothing."""
    return Front


@pytest.fixture
def oom_text() -> str:
    return OOM


@pytest.fixture
def config_text() -> str:
    return CONFIG
