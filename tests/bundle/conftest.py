"""A run to be packed, on a host that says little."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from medic.bundle import host

from .packing import OOM, SECRETS


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def state(*parts: str) -> Path:
        folder = tmp_path.joinpath("state", *parts)
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    monkeypatch.setattr(sys.modules["medic.bundle.make"], "state_dir", state)
    monkeypatch.setattr(host, "texts", lambda last: iter([("limits.txt", "NOFILE 1024 4096\n")]))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    (folder / "logs").mkdir(parents=True)
    (folder / "logs" / "train-gpu-node-17.log").write_text(
        "step 1 loss 2.0\n" + SECRETS + OOM, "utf-8"
    )
    (folder / "config.yaml").write_text(
        "micro_batch_size: 8\nmax_tokens: 4194304\npad_token: '<pad>'\n", "utf-8"
    )
    (folder / "model.safetensors").write_bytes(b"\x08\0\0\0\0\0\0\0{}      ")
    return folder
