"""Files of torch.save, written by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from medic.probes.checkpoint.source import Damaged

from medic.errors import Unreadable


def test_names_shapes_and_dtypes(files: Any, read: Any) -> None:
    t = files.T
    path = files.zip(
        "a.pt", {"w": t((2, 3)), "b": t((4,), "BFloat16Storage"), "p": t((5,), parameter=True)}
    )
    index = read(path)
    assert {n: (i.shape, i.dtype) for n, i in index.tensors.items()} == {
        "w": ((2, 3), "float32"),
        "b": ((4,), "bfloat16"),
        "p": ((5,), "float32"),
    }
    assert (index.group, index.format, index.globals_listed) == ("", "torch zip", ())


@pytest.mark.parametrize(
    ("saved", "group"),
    [
        (lambda m: {"model": m, "step": 7}, "model"),
        (lambda m: {"state_dict": m, "epoch": 1}, "state_dict"),
        (lambda m: {"module": m, "optimizer": None}, "module"),
        (lambda m: {"model_state_dict": m, "rng_state": None}, "model_state_dict"),
        (lambda m: {"state": {"model": m, "optimizers": {}}, "rng": []}, "state.model"),
        (lambda m: {"model": {"state_dict": m, "config": {"a": 1}}}, "model.state_dict"),
        (lambda m: {"my_net": m, "args": {"lr": 0.1}}, "my_net"),
    ],
)
def test_the_models_state_is_found(files: Any, read: Any, saved: Any, group: str) -> None:
    model = {"layers.0.w": files.T((2, 2)), "head.w": files.T((3,))}
    index = read(files.zip("a.pt", saved(model)))
    assert index.group == group
    assert set(index.tensors) == set(model)


def test_nested_modules_get_dotted_names(files: Any, read: Any) -> None:
    path = files.zip(
        "a.pt", {"model": {"language_model": {"embedding": {"weight": files.T((8, 2))}}}}
    )
    assert set(read(path).tensors) == {"language_model.embedding.weight"}


def test_tensors_of_the_optimizer_are_not_the_models(files: Any, read: Any) -> None:
    moments = {0: {"exp_avg": files.T((2, 2)), "exp_avg_sq": files.T((2, 2))}}
    whole = {
        "optimizer": {"state": moments},
        "ema": {"w": files.T((9,))},
        "weights": {"w": files.T((2, 2))},
    }
    index = read(files.zip("a.pt", whole))
    assert set(index.tensors) == {"w"}
    assert index.tensors["w"].shape == (2, 2)


def test_states_and_step(files: Any, read: Any) -> None:
    saved = {
        "model": {"w": files.T((2,))},
        "optimizer": {"state": {}, "param_groups": []},
        "opt_param_scheduler": {"max_lr": 0.1},
        "rng_state": [1],
        "iteration": 300,
    }
    index = read(files.zip("a.pt", saved))
    assert index.states == {"optimizer": True, "scheduler": True, "rng": True, "step": True}
    assert index.step == 300
    assert index.top_level == tuple(saved)


def test_a_state_that_holds_nothing_is_absent(files: Any, read: Any) -> None:
    saved = {
        "module": {"w": files.T((2,))},
        "optimizer": None,
        "lr_scheduler": {},
        "global_steps": 20,
    }
    index = read(files.zip("mp_rank_00_model_states.pt", saved))
    assert index.states == {"optimizer": False, "scheduler": False, "rng": False, "step": True}


def test_step_of_a_tensor_or_of_the_name(files: Any, read: Any) -> None:
    index = read(files.zip("out/step-00020.pt", {"w": files.T((2,))}))
    assert index.step == 20


def test_tied_weights_share_a_storage(files: Any, read: Any) -> None:
    path = files.zip("a.pt", {"embed": files.T((4, 2), key="0"), "head": files.T((4, 2), key="0")})
    assert set(read(path).tensors) == {"embed", "head"}


def test_legacy_stream_of_pickles(files: Any, read: Any) -> None:
    index = read(
        files.legacy(
            "old.pt", {"state_dict": {"w": files.T((2, 3)), "b": files.T((3,))}, "epoch": 4}
        )
    )
    assert index.format == "torch legacy"
    assert {n: i.shape for n, i in index.tensors.items()} == {"w": (2, 3), "b": (3,)}


def test_legacy_cut_in_its_data(files: Any, read: Any) -> None:
    whole = files.legacy("old.pt", {"w": files.T((20, 30))}).read_bytes()
    with pytest.raises(Damaged, match=f"truncated at byte {len(whole) - 100:,}"):
        read(files.raw("cut.pt", whole[:-100]))


def test_a_storage_without_data(files: Any, read: Any) -> None:
    path = files.zip("a.pt", {"w": files.T((2,)), "b": files.T((3,))}, leave_out=["1"])
    with pytest.raises(Damaged, match="storage 1 is missing"):
        read(path)


def test_a_storage_that_claims_more_than_there_is(files: Any, read: Any) -> None:
    path = files.zip("a.pt", {"w": files.T((2, 3), count=600)})
    with pytest.raises(Damaged, match="24 of 2,400 bytes"):
        read(path)


def test_a_tensor_past_its_storage(files: Any, read: Any) -> None:
    path = files.zip("a.pt", {"w": files.T((2, 3), count=5)})
    with pytest.raises(Damaged, match="past the end of its storage"):
        read(path)


def test_a_zip_of_something_else(files: Any, read: Any, tmp_path: Path) -> None:
    import zipfile

    path = tmp_path / "code.pt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(Unreadable, match=r"not one of torch\.save"):
        read(path)


def test_a_dict_subclass_is_looked_into(files: Any, read: Any) -> None:
    own = files.Ops(b"cmy.code\nStates\n)R(" + b"X\x01\x00\x00\x00w" + b"K\x01" + b"u")
    index = read(files.zip("a.pt", {"model": {"w": files.T((2,))}, "extra": own}))
    assert index.globals_listed == ("my.code.States",)
    assert set(index.tensors) == {"w"}
