"""A command in this process, and what several are called on."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from medic.commands import main

from .given import PRETRAIN, Run


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], state: Path, monkeypatch: pytest.MonkeyPatch) -> Run:

    def call(*words: str, stdin: str = "", lang: str = "en") -> tuple[int, str, str]:
        pipe = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", pipe)
        code = main([*words, "--lang", lang])
        out = capsys.readouterr()
        return code, out.out, out.err

    return call


@pytest.fixture
def pretrain(tmp_path: Path) -> Path:
    file = tmp_path / "pretrain.yaml"
    file.write_text(PRETRAIN)
    return file
