"""``medic memory`` as a user calls it."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from medic.commands import main
from medic.report.schemas import SCHEMAS

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], state: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Exit code, output and errors; ``fields`` are given by --set."""

    def call(*words: str, lang: str = "en", **fields: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
        pairs = (f"--set={name}={str(value).lower()}" for name, value in fields.items())
        code = main(["memory", *words, *pairs, "--lang", lang])
        out = capsys.readouterr()
        return code, out.out, out.err

    return call


@pytest.fixture
def sized(run: Run) -> Callable[..., dict[str, Any]]:
    """The answer as data, held against its schema."""

    def call(*words: str, **fields: object) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(run(*words, "--json", **fields)[1])
        jsonschema.validate(found, SCHEMAS["memory"])
        return found

    return call
