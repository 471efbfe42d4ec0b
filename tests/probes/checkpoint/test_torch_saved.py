"""Files that torch itself wrote, against what torch says is in them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from medic.probes.checkpoint.compare import compare

torch = pytest.importorskip("torch", reason="needs the torch extra")
pytestmark = pytest.mark.torch


def model(layers: int = 2) -> Any:
    class Block(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.qkv = torch.nn.Linear(8, 24)
            self.ln = torch.nn.LayerNorm(8)
            self.register_buffer("inv_freq", torch.zeros(4))

    class Net(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.embed = torch.nn.Embedding(16, 8)
            self.blocks = torch.nn.ModuleList([Block() for _ in range(layers)])
            self.lm_head = torch.nn.Linear(8, 16, bias=False)
            self.lm_head.weight = self.embed.weight

    return Net()


def truth(state: Any) -> dict[str, tuple[tuple[int, ...], str]]:
    return {n: (tuple(t.shape), str(t.dtype).removeprefix("torch.")) for n, t in state.items()}


def seen(index: Any) -> dict[str, tuple[tuple[int, ...], str]]:
    return {n: (t.shape, t.dtype) for n, t in index.tensors.items()}


def save(saved: Any, path: Path, **how: Any) -> Path:
    torch.save(saved, path, **how)
    return path


@pytest.mark.parametrize("zipped", [True, False])
@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_a_state_dict(read: Any, tmp_path: Path, zipped: bool, protocol: int) -> None:
    state = model().to(torch.bfloat16).state_dict()
    path = save(
        state, tmp_path / "a.pt", _use_new_zipfile_serialization=zipped, pickle_protocol=protocol
    )
    index = read(path)
    assert seen(index) == truth(state)
    assert index.globals_listed == ()
    assert index.format == ("torch zip" if zipped else "torch legacy")


def test_a_whole_training_state(read: Any, tmp_path: Path) -> None:
    net = model()
    optimizer = torch.optim.AdamW(net.parameters())
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1.0)
    net.lm_head(net.embed(torch.tensor([1, 2]))).sum().backward()
    optimizer.step()
    saved = {
        "model": net.state_dict(),
        "optimizer": optimizer.state_dict(),
        "lr_scheduler": scheduler.state_dict(),
        "rng": {"torch": torch.get_rng_state(), "python": random.getstate()},
        "global_step": 12,
    }
    index = read(save(saved, tmp_path / "a.pt"))
    assert seen(index) == truth(net.state_dict())
    assert (index.group, index.step) == ("model", 12)
    assert index.states == {"optimizer": True, "scheduler": True, "rng": True, "step": True}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_wrapped_models(read: Any, tmp_path: Path) -> None:
    net = model()
    wrapped = torch.nn.DataParallel(torch.compile(net, backend="eager"))
    index = read(save({"state_dict": wrapped.state_dict()}, tmp_path / "a.pt"))
    names = {n: t.shape for n, t in index.tensors.items()}
    result = compare(names, {n: tuple(t.shape) for n, t in net.state_dict().items()})
    assert (result.outcome, result.value()["prefix"]) == ("prefix-only", "module._orig_mod.")
    scope = {"state": wrapped.state_dict(), "model": net}
    exec(result.value()["snippet"], scope)
    assert not net.load_state_dict(scope["state"], strict=True).missing_keys


def test_views_parameters_and_odd_dtypes(read: Any, tmp_path: Path) -> None:
    base = torch.arange(60.0).reshape(6, 10)
    state = {
        "view": base[2:4, ::3],
        "transposed": base.t(),
        "expanded": torch.zeros(1).expand(4, 5),
        "scalar": torch.tensor(3),
        "empty": torch.empty(0, 7),
        "parameter": torch.nn.Parameter(torch.zeros(2, 2)),
        "half": torch.zeros(3, dtype=torch.float16),
        "float8": torch.zeros(4, dtype=torch.float8_e4m3fn),
        "unsigned": torch.zeros(4, dtype=torch.uint16),
        "flags": torch.zeros(2, dtype=torch.bool),
        "complex": torch.zeros(2, dtype=torch.complex64),
    }
    assert seen(read(save(state, tmp_path / "a.pt"))) == truth(state)


def test_meta_tensors(read: Any, tmp_path: Path) -> None:
    state = {"w": torch.empty(3, 4, device="meta", dtype=torch.bfloat16)}
    assert seen(read(save(state, tmp_path / "a.pt"))) == truth(state)


def test_objects_beside_the_model_are_listed(read: Any, tmp_path: Path) -> None:
    import argparse

    saved = {"model": model().state_dict(), "args": argparse.Namespace(lr=0.1)}
    index = read(save(saved, tmp_path / "a.pt"))
    assert index.globals_listed == ("argparse.Namespace",)
    assert index.group == "model"


def test_a_file_written_without_checksums(read: Any, tmp_path: Path) -> None:
    before = torch.serialization.get_crc32_options()
    torch.serialization.set_crc32_options(False)
    try:
        path = save({"w": torch.ones(100, 100)}, tmp_path / "a.pt")
    finally:
        torch.serialization.set_crc32_options(before)
    assert set(read(path).tensors) == {"w"}


@pytest.mark.parametrize("keep", [0.2, 0.6, 0.99])
@pytest.mark.parametrize("zipped", [True, False])
def test_a_cut_file_is_never_whole(read: Any, tmp_path: Path, keep: float, zipped: bool) -> None:
    from medic.probes.checkpoint.source import Damaged

    whole = save(
        model(6).state_dict(), tmp_path / "a.pt", _use_new_zipfile_serialization=zipped
    ).read_bytes()
    path = tmp_path / "cut.pt"
    path.write_bytes(whole[: int(len(whole) * keep)])
    with pytest.raises(Damaged):
        read(path)
