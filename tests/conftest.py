"""What tests of several folders share."""

from __future__ import annotations

import gc
import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import medic.index.knowledge
from medic import i18n
from medic.config import cache_dir
from medic.index.knowledge import Index

# A machine that is busy with something else makes no example a bad one.
# The same examples each time: a build does not fail by chance. --hypothesis-seed=N draws others.
settings.register_profile(
    "steady", suppress_health_check=[HealthCheck.too_slow], deadline=None, derandomize=True
)
settings.load_profile("steady")

# As the command has it: ten thousand tests are many objects, and to look through them for cycles at
# every turn takes a seventh of the time.
gc.set_threshold(50_000)


def pytest_collection_finish() -> None:
    """What was collected stays until the end."""
    gc.collect()
    gc.freeze()


fresh = medic.index.knowledge.load
SHIPPED = fresh()  # before xdist starts its workers: one of them all compiles it


def load(extra: Path | None = None, slow: Callable[[], None] | None = None) -> Index:
    """The shipped knowledge once a process: it is not written to, and takes longer than most tests."""
    return SHIPPED if extra is None else fresh(extra, slow)


medic.index.knowledge.load = load


def _module(name: str) -> ModuleType:
    """A helper beside this file; the tests folder is no package."""
    full = f"medic_tests_{name}"
    if full not in sys.modules:
        spec = importlib.util.spec_from_file_location(full, Path(__file__).parent / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[full] = module
        spec.loader.exec_module(module)
    return sys.modules[full]


@pytest.fixture
def look(tmp_path: Path) -> Callable[..., Any]:
    """Makes a FakeLook: ``look({"a.yaml": "lr: 1"}, facts=[...])`` over these files."""
    fake = _module("fake_look")

    def make(files: dict[str, str | bytes] | None = None, **more: Any) -> Any:
        for name, content in (files or {}).items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return fake.FakeLook(tmp_path, **{"frameworks": fake.frameworks(), **more})

    return make


@pytest.fixture
def fresh_load() -> Callable[..., Index]:
    """``medic.index.knowledge.load`` itself: of its cache, not of this process."""
    return fresh


@pytest.fixture(scope="session")
def compiled() -> Path:
    """The cache that holds the compiled knowledge: compiling takes seconds."""
    return cache_dir()


@pytest.fixture
def state(tmp_path: Path, compiled: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder of this test alone."""
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    (folder / "cache").symlink_to(compiled)
    monkeypatch.setenv("MEDIC_STATE", str(folder))
    return folder


@pytest.fixture(autouse=True)
def language() -> Iterator[None]:
    """A language that a test chooses is not that of the next one."""
    before = list(i18n._language), list(i18n._asked)
    yield
    i18n._language[:], i18n._asked[:] = before
