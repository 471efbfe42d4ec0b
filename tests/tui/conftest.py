"""Drives the app without a terminal over a small run folder."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from medic.tui import jobs
from medic.tui.app import MedicApp
from medic.tui.consultation import Consultation
from medic.tui.desk import Desk
from medic.tui.events import Asked, Choices, Event, Told
from medic.tui.lines import Block, plain_text
from medic.tui.prompt import Prompt
from medic.tui.typed import take
from textual.pilot import Pilot

import medic.runner.registry
from medic.case.collect import Case, collect
from medic.facts import Source
from medic.i18n import use
from medic.index.knowledge import Index, load
from medic.probe import Finding, Probe

ROUNDS = 3
PROBES = medic.runner.registry.all_probes
OOM = "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB [/bold]"
HOSTILE = "\x1b]52;c;aGk=\x07[@click=app.exit()]click me[/] \u202e evil"


def _load(name: str) -> ModuleType:
    """A helper beside this file: test folders are no packages."""
    path = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"tui_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


SMALL = _load("small")


class Driver:
    """Sends keys to the app and reads what it shows."""

    def __init__(self, app: MedicApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    async def settle(self) -> None:
        """Waits until the desk is idle and the screen has caught up: what a message leads to is
        handled in the round after it."""
        await self.pilot.pause(0)
        await self.until(lambda: not self.app.talk.desk.busy)
        await self.until(lambda: self.app.screen.size == self.app.size)
        for _ in range(ROUNDS):
            await self.pilot.pause(0)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Waits until something holds, at most half a minute."""
        end = time.monotonic() + 30
        while not holds():
            assert time.monotonic() < end, "it did not come to hold"
            await asyncio.sleep(0.005)
        await self.pilot.pause(0)

    async def resize(self, width: int, height: int) -> None:
        """Waits until the screen is laid out for its new size."""
        await self.pilot.resize_terminal(width, height)
        await self.until(lambda: self.app.screen._compositor.size == (width, height))
        await self.settle()

    async def send(self, words: str) -> None:
        self.prompt.text = words
        await self.pilot.press("enter")
        await self.settle()

    async def press(self, *keys: str) -> None:
        for key in keys:  # one may open what takes the next
            await self.pilot.press(key)
            await self.settle()

    @property
    def prompt(self) -> Prompt:
        return self.app.talk.query_one(Prompt)

    @property
    def said(self) -> str:
        """The transcript with its lines joined."""
        return " ".join(self.talk().split())

    def talk(self) -> str:
        """All of the transcript as plain text."""
        return str(self.app.talk.transcript.whole())

    def screen(self) -> list[str]:
        """The rows of the screen as a terminal would show them."""
        size = self.app.size
        strips = self.app.screen._compositor.render_full_update().strips
        rows = ["".join(segment.text for segment in strip) for strip in strips]
        assert len(rows) == size.height
        return [row.rstrip() for row in rows]


class Talk:
    """A consultation without a screen, over the real knowledge."""

    def __init__(self, index: Index, *paths: str) -> None:
        self.events: list[Event] = []
        self.choices: Choices | None = None
        case = collect(list(paths)) if paths else Case()
        self.talk = Consultation(lambda: index, case, self.events.append)
        self.talk.begin()

    def say(self, *texts: str) -> str:
        """Says one after the other as if it were typed; what the last led to."""
        told = ""
        for text in texts:
            before = len(self.events)
            self.choices = self.open
            take(self, text)
            told = self.told(before)
        return told

    def told(self, since: int = 0) -> str:
        blocks = [(e.block, 0) for e in self.events[since:] if isinstance(e, Told)]
        return " ".join(plain_text(blocks).split())

    @property
    def open(self) -> Choices | None:
        """The choices that are open now."""
        asked = [event.choices for event in self.events if isinstance(event, Asked)]
        return asked[-1] if asked else None

    @property
    def lead(self) -> str:
        found = self.talk.found
        return found.causes[0].name if found and found.causes else ""

    # --- what shows a talk ---------------------------------------------------------------

    def wait_for(self, choices: Choices | None) -> None:
        self.choices = choices
        self.events.append(Asked(choices))

    def work(self, job: Callable[..., None], *values: Any, **_: Any) -> None:
        job(self.talk, *values)

    def action_do(self, word: str, argument: str = "") -> None:
        self.work(jobs.order, word, argument)

    def speak(self) -> None:
        pass

    def add(self, block: Block) -> None:
        self.events.append(Told(block))

    def keep(self, block: Block) -> None:
        pass


async def _no_rest(*_: object) -> None:
    """In place of Textual's wait until the processor has rested: ``settle`` knows what it waits for."""
    await asyncio.sleep(0)


@pytest.fixture(scope="session")
def whole() -> Index:
    return load()


@pytest.fixture
def talk(whole: Index, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Talk]:
    """``talk(path, …)``: a consultation over the real knowledge and probes."""
    monkeypatch.setattr(medic.runner.registry, "all_probes", PROBES)
    return lambda *paths: Talk(whole, *paths)


Script = Callable[[Driver], Awaitable[None]]
Drive = Callable[..., None]


@pytest.fixture
def index() -> Index:
    return Index(SMALL.RAW)


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """English, a state folder of its own, the small probes, and no tmux."""
    monkeypatch.setenv("MEDIC_STATE", str(tmp_path / "state"))
    monkeypatch.delenv("TMUX", raising=False)
    monkeypatch.setattr("textual.pilot.wait_for_idle", _no_rest)
    monkeypatch.setattr("textual.app.wait_for_idle", _no_rest)
    monkeypatch.setattr(medic.runner.registry, "all_probes", lambda: SMALL.PROBES)
    use("en")
    yield
    use("en")


def _other_process(look: Any) -> Iterator[Any]:
    yield Finding("oom-shortfall", "other-process", {}, Source("train.log", 9, 3))


@pytest.fixture
def exact(monkeypatch: pytest.MonkeyPatch, run_folder: Path) -> None:
    """A probe that is sure of another process, and a config that fires nothing."""
    probes = (*SMALL.PROBES, Probe("numbers", ("oom-shortfall",), _other_process))
    monkeypatch.setattr(medic.runner.registry, "all_probes", lambda: probes)
    (run_folder / "train.yaml").write_text("micro_batch_size: 4\n")


@pytest.fixture
def run_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run that ran out of memory, with a log that tries to steer the terminal."""
    folder = tmp_path / "run1"
    folder.mkdir()
    (folder / "train.log").write_text(f"step 1 loss 2.0\n{OOM} {HOSTILE}\n", "utf-8")
    (folder / "train.yaml").write_text("model: small\nmicro_batch_size: 8\nseq_length: 4096\n")
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.fixture
def case(run_folder: Path) -> Case:
    return collect(["run1"])


@pytest.fixture
def drive(index: Index) -> Drive:
    """Runs a script of keys against the app: ``drive(script, case, size=…, load=…)``."""

    def run(
        script: Script,
        case: Case,
        *,
        size: tuple[int, int] = (80, 24),
        load: Callable[[], Index] | None = None,
        wait: bool = True,
        **more: Any,
    ) -> None:
        async def go() -> None:
            app = MedicApp(load or (lambda: index), case, **more)
            async with app.run_test(size=size) as pilot:
                driver = Driver(app, pilot)
                if wait:
                    await driver.settle()
                await script(driver)
            if wait and isinstance(app.talk.desk, Desk):
                app.talk.desk._thread.join(30)  # who comes next finds the session closed

        asyncio.run(go())

    return run
