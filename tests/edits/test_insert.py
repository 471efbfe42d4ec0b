"""A key that is not there yet goes beside its relatives, written as they are."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from medic.edits.follow import follows
from medic.edits.keys import KeyTable
from medic.i18n import Text
from medic.run_config import Change, Origin, RunConfig, Value

After = Callable[..., str]
MICRO = {"micro_batch_size": "training.micro_batch_size"}
STEPS = {"gradient_accumulation_steps": 2}


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (
            "a.yaml",
            "training:\n    micro_batch_size: 8  # per GPU\n    lr: 0.1\nother: 1\n",
            "training:\n    micro_batch_size: 8  # per GPU\n    @: 2\n    lr: 0.1\nother: 1\n",
        ),
        (
            "a.yaml",
            "training:\r\n  micro_batch_size: 8",
            "training:\r\n  micro_batch_size: 8\r\n  gradient_accumulation_steps: 2",
        ),
        (
            "a.yaml",
            "training: {micro_batch_size: 8, lr: 1}\n",
            "training: {micro_batch_size: 8, gradient_accumulation_steps: 2, lr: 1}\n",
        ),
        (
            "a.json",
            '{\n\t"training": {\n\t\t"micro_batch_size" : 8\n\t}\n}\n',
            '{\n\t"training": {\n\t\t"micro_batch_size" : 8,\n\t\t"@" : 2\n\t}\n}\n',
        ),
        (
            "a.json",
            '{"training": {"micro_batch_size": 8, "x": 1}}',
            '{"training": {"micro_batch_size": 8, "gradient_accumulation_steps": 2, "x": 1}}',
        ),
        (
            "a.toml",
            "x = 1\n[training]  # t\nmicro_batch_size=8 # n\n\n[other]\ny = 1\n",
            "x = 1\n[training]  # t\nmicro_batch_size=8 # n\n@=2\n\n[other]\ny = 1\n",
        ),
        (
            "a.toml",
            "training.micro_batch_size = 8\n[other]\ny = 1\n",
            "training.micro_batch_size = 8\ntraining.@ = 2\n[other]\ny = 1\n",
        ),
        (
            "a.toml",
            "training = {micro_batch_size = 8}\n",
            "training = {micro_batch_size = 8, gradient_accumulation_steps = 2}\n",
        ),
    ],
)
def test_beside_its_relative(shop: Any, after: After, name: str, old: str, new: str) -> None:
    path = shop.file(name, old, MICRO)
    expected = new.replace("@", "gradient_accumulation_steps")
    assert after(shop.config(), path, **STEPS) == expected


def test_at_the_end_of_a_deep_group(shop: Any, after: After) -> None:
    path = shop.file(
        "b.yaml",
        "a:\n  b:\n    micro_batch_size: 8\n",
        {"micro_batch_size": "a.b.micro_batch_size"},
    )
    text = after(shop.config(), path, **STEPS)
    assert text.endswith("    micro_batch_size: 8\n    gradient_accumulation_steps: 2\n")


def test_names_are_spelt_as_their_neighbours(shop: Any, after: After) -> None:
    old = "a:\n  micro-batch-size: 8\n"
    path = shop.file("a.yaml", old, {"micro_batch_size": "a.micro-batch-size"})
    assert after(shop.config(), path, **STEPS) == f"{old}  gradient-accumulation-steps: 2\n"


@pytest.mark.parametrize("empty", ["", " null", " ~"])
def test_key_without_a_value_gets_one(shop: Any, after: After, empty: str) -> None:
    old = f"micro_batch_size: 8\ngradient_accumulation_steps:{empty}\nlr: 1\n"
    path = shop.file("a.yaml", old, {"micro_batch_size": "micro_batch_size"})
    text = after(shop.config(), path, **STEPS)
    assert yaml.safe_load(text)["gradient_accumulation_steps"] == 2
    assert text.count("gradient_accumulation_steps") == 1


def test_value_left_to_another_part_of_the_run_is_not_touched(
    shop: Any, edit: Callable[..., Any]
) -> None:
    text = '{"train_micro_batch_size_per_gpu": 8, "gradient_accumulation_steps": "auto"}'
    shop.file("ds.json", text, {"micro_batch_size": "train_micro_batch_size_per_gpu"}, "engine")
    plan = edit(shop.config(), **STEPS)
    assert plan.edits == ()
    assert "gradient_accumulation_steps" in plan.refused[0].en


def test_field_without_relatives_says_what_to_set(shop: Any, edit: Callable[..., Any]) -> None:
    plan = edit(shop.config(), master_port=29501)
    assert plan.edits == ()
    assert "master_port" in plan.refused[0].en
    assert "master_port" in plan.refused[0].zh


def test_key_that_cannot_say_the_value_is_passed_over(shop: Any, after: After) -> None:
    """``granularity`` takes words that are not known; ``recompute`` is a plain switch."""
    path = shop.file("a.yaml", "micro_batch_size: 8\n", {"micro_batch_size": "micro_batch_size"})
    text = after(shop.config(), path, activation_checkpointing=True)
    assert text == "micro_batch_size: 8\nrecompute: true\n"


def test_two_keys_in_one_place(shop: Any, after: After) -> None:
    path = shop.file("a.json", '{"lr": 1}', {"learning_rate": "lr"})
    text = after(shop.config(), path, gradient_clip=1.0, micro_batch_size=4)
    assert json.loads(text) == {"lr": 1, "max_norm": 1.0, "micro_batch_size": 4}


KEYS = st.from_regex(r"[a-z]{1,6}", fullmatch=True).filter(lambda k: k not in ("lr", "max_norm"))
LEAVES = st.one_of(
    st.integers(), st.booleans(), st.none(), st.just("two\nlines"), st.lists(st.integers())
)
GROUPS = st.dictionaries(KEYS, st.one_of(LEAVES, st.dictionaries(KEYS, LEAVES)), max_size=5)


@pytest.mark.parametrize("flow", [True, False, None])
@given(before=GROUPS, behind=GROUPS)
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_only_the_new_key_is_new(
    shop: Any, after: After, flow: bool | None, before: Any, behind: Any
) -> None:
    tree = {"group": {**before, "lr": 0.1, **behind}, "rest": behind}
    shop.values.clear()
    for name, text in (
        ("a.yaml", yaml.safe_dump(tree, default_flow_style=flow, sort_keys=False)),
        ("a.json", json.dumps(tree, indent=None if flow else 2)),
    ):
        shop.values.clear()
        path = shop.file(name, text, {"learning_rate": "group.lr"})
        found = yaml.safe_load(after(shop.config(), path, gradient_clip=1.0))
        tree["group"]["max_norm"] = 1.0
        assert found == tree
        del tree["group"]["max_norm"]


# --- fields that follow from others ---------------------------------------------------------

DERIVED = Origin("derived")
WHY = Text("", "")


def test_derived_field_that_follows_needs_no_place(shop: Any, edit: Callable[..., Any]) -> None:
    shop.file(
        "a.yaml",
        "micro_batch_size: 8\nglobal_batch_size: 256\n",
        {"micro_batch_size": "micro_batch_size", "global_batch_size": "global_batch_size"},
    )
    config = shop.config(
        gradient_accumulation_steps=Value(4, DERIVED), data_parallel_size=Value(8, DERIVED)
    )
    plan = edit(config, micro_batch_size=4, gradient_accumulation_steps=8)
    assert [e.text for e in plan.edits] == ["4"]


@pytest.mark.parametrize(("new", "alone"), [(8, True), (6, False)])
def test_follows(new: int, alone: bool) -> None:
    config = RunConfig(
        {
            "global_batch_size": Value(256, Origin("file")),
            "data_parallel_size": Value(8, DERIVED),
            "micro_batch_size": Value(8, Origin("file")),
            "gradient_accumulation_steps": Value(4, DERIVED),
        }
    )
    change = Change("gradient_accumulation_steps", 4, new, WHY)
    assert (
        follows(change, [change, Change("micro_batch_size", 8, 4, WHY)], config, KeyTable(()))
        is alone
    )


def test_default_does_not_follow() -> None:
    config = RunConfig({"gradient_accumulation_steps": Value(1, Origin("default"))})
    change = Change("gradient_accumulation_steps", 1, 1, WHY)
    assert not follows(change, [change], config, KeyTable(()))
