"""Fields that an unknown name states: asked of all frameworks only where a name may tell."""

from __future__ import annotations

from medic.probes.config import mistaken
from medic.probes.flags.meanings import meanings

from medic.run_config import Origin, Setting
from tests.fake_look import frameworks

PARALLEL = {"tensor_parallel_size", "pipeline_parallel_size", "context_parallel_size"}


def _stated(name: str) -> tuple[Setting, ...]:
    return (Setting((name,), 2, Origin("file", key=name)),)


def _unknown(name: str) -> frozenset[str]:
    plain = next(one for one in frameworks() if one.name == "grouped")
    found: frozenset[str] = mistaken.mistaken_fields(PARALLEL, _stated(name), plain, frameworks())
    return found


def test_what_everybodys_names_state_means_nothing_else() -> None:
    every = frameworks()
    meant = meanings(every)
    found = list(mistaken._everybodys(every))
    assert len(found) > 100
    assert not [(n, f) for n, f in found if n in meant and meant[n][1] != f]


def test_a_name_of_another_framework_states_its_field() -> None:
    assert _unknown("tensor_model_parallel_size") == {"tensor_parallel_size"}
    assert _unknown("context_parallel_degree") == {"context_parallel_size"}


def test_everybodys_names_and_names_of_nobody_state_none() -> None:
    assert not _unknown("warmup_steps")
    assert not _unknown("my_own_switch")
