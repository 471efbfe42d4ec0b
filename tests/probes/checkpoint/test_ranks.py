"""Files that one rank of several wrote: never taken as the whole model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from medic.probes.checkpoint import diffing, located
from medic.probes.checkpoint.units import gather

from medic.errors import Unreadable
from medic.facts import GivenFile


def unit(path: Path) -> Any:
    return gather([GivenFile(str(path), path.name, "checkpoint")])[0]


def zero_3(files: Any, name: str) -> Any:
    saved = {
        "module": {"a.weight": files.T((0,)), "b.weight": files.T((0,))},
        "param_shapes": [{"a.weight": (4, 2), "b.weight": (3,)}],
        "dp_world_size": 3,
    }
    return files.zip(name, saved)


def test_placeholders_of_zero_3_are_not_copied(files: Any, make_look: Any) -> None:
    path = zero_3(files, "zero_pp_rank_0_mp_rank_00_model_states.pt")
    with pytest.raises(Unreadable, match="zero_to_fp32"):
        located.locate(make_look(path), unit(path))


def test_the_file_tells_the_shapes_of_its_placeholders(files: Any, make_look: Any) -> None:
    path = zero_3(files, "zero_pp_rank_0_mp_rank_00_model_states.pt")
    whole = files.zip("whole.pt", {"a.weight": files.T((4, 2)), "b.weight": files.T((3,))})
    found = diffing.diff(make_look(path, whole), unit(path), unit(whole))
    assert (found.comparison.outcome, found.first.hollow) == ("same", True)


def test_an_empty_tensor_among_others_is_one_of_them(files: Any, make_look: Any) -> None:
    path = files.zip("a.pt", {"a": files.T((2,)), "b": files.T((3,)), "none": files.T((0, 7))})
    assert len(located.locate(make_look(path), unit(path))) == 3


def test_one_of_several_model_parallel_ranks_is_not_the_model(files: Any, make_look: Any) -> None:
    one, two = (
        files.zip(f"iter_0000100/mp_rank_0{n}/model_optim_rng.pt", {"model": {"w": files.T((4,))}})
        for n in range(2)
    )
    for path in (one, two):
        with pytest.raises(Unreadable, match="one of 2 model-parallel ranks"):
            located.locate(make_look(path), unit(path))
    found = diffing.diff(make_look(one, two), unit(one), unit(two))
    assert "mp_rank_00, mp_rank_01" in str(found.first.part)


def test_an_only_rank_says_itself_that_there_were_more(files: Any, make_look: Any) -> None:
    saved = {"model": {"w": files.T((4,))}, "mp_world_size": 2}
    path = files.zip("mp_rank_00_model_states.pt", saved)
    with pytest.raises(Unreadable, match="one of 2"):
        located.locate(make_look(path), unit(path))


def test_an_only_rank_is_the_whole_model(files: Any, make_look: Any) -> None:
    saved = {"module": {"w": files.T((4,))}, "mp_world_size": 1, "dp_world_size": 2}
    path = files.zip("mp_rank_00_model_states.pt", saved)
    files.zip("bf16_zero_pp_rank_0_mp_rank_00_optim_states.pt", {})
    files.zip("bf16_zero_pp_rank_1_mp_rank_00_optim_states.pt", {})
    assert list(located.locate(make_look(path), unit(path))) == ["w"]


def test_an_optimizer_file_of_a_rank_is_gone(files: Any, read: Any) -> None:
    path = zero_3(files, "zero_pp_rank_0_mp_rank_00_model_states.pt")
    assert read(path).missing_shards == ()
    for n in (0, 1):
        files.zip(f"zero_pp_rank_{n}_mp_rank_00_optim_states.pt", {})
    assert read(path).missing_shards == ("zero_pp_rank_2_mp_rank_00_optim_states.pt",)
    files.zip("zero_pp_rank_2_mp_rank_00_optim_states.pt", {})
    assert read(path).missing_shards == ()
