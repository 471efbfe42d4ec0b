"""The renaming rule, and that its Python does what the rule says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from medic.probes.checkpoint.renaming import Rule, find_rule, wrapper_start

MODEL = [
    "embed.weight",
    "pos.weight",
    *(
        f"blocks.{n}.{part}.{end}"
        for n in range(3)
        for part in ("ln1", "qkv", "proj")
        for end in ("weight", "bias")
    ),
    "norm.weight",
    "lm_head.weight",
]


class Model:
    """Stands for the module that the snippet's ``model`` names."""

    def __init__(self, names: list[str]) -> None:
        self.names = names

    def state_dict(self) -> dict[str, int]:
        return dict.fromkeys(self.names, 0)


def renamed(rule: Rule, have: list[str], wanted: list[str]) -> list[str]:
    """The names after running the rule's snippet."""
    scope: dict[str, Any] = {"state": dict.fromkeys(have, 0), "model": Model(wanted)}
    exec(rule.snippet(), scope)
    return list(scope["state"])


def body(name: str) -> bool:
    return not name.startswith("lm_head")


CASES = {
    "ddp": ([f"module.{n}" for n in MODEL], MODEL),
    "compile": ([f"_orig_mod.{n}" for n in MODEL], MODEL),
    "ddp and compile": ([f"module._orig_mod.{n}" for n in MODEL], MODEL),
    "compile and ddp": ([f"_orig_mod.module.{n}" for n in MODEL], MODEL),
    "deepspeed": ([f"_forward_module.{n}" for n in MODEL], MODEL),
    "lora": ([f"base_model.model.{n}" for n in MODEL], MODEL),
    "own prefix": ([f"policy.net.{n}" for n in MODEL], MODEL),
    "compiled part": ([f"{'_orig_mod.' if body(n) else ''}{n}" for n in MODEL], MODEL),
    "fsdp inside": (
        [
            n.replace("blocks.", "_fsdp_wrapped_module.blocks.").replace(
                "qkv", "qkv._fsdp_wrapped_module"
            )
            for n in MODEL
        ],
        MODEL,
    ),
    "checkpointed blocks": (
        [n.replace(".ln1.", "._checkpoint_wrapped_module.ln1.") for n in MODEL],
        MODEL,
    ),
    "module inside": ([f"enc.module.{n}" for n in MODEL], [f"enc.{n}" for n in MODEL]),
    "drop and strip": ([f"model.{n.replace('qkv', 'qkv._orig_mod')}" for n in MODEL], MODEL),
    "to a wrapped model": (MODEL, [f"module.{n}" for n in MODEL]),
    "to a model with parts wrapped": (
        MODEL,
        [n.replace("qkv", "qkv._fsdp_wrapped_module") for n in MODEL],
    ),
    "start replaced": ([f"transformer.{n}" for n in MODEL], [f"model.{n}" for n in MODEL]),
    "body without its head's start": (
        list(MODEL),
        [f"model.{n}" if body(n) else n for n in MODEL],
    ),
    "head without the body's start": ([f"model.{n}" if body(n) else n for n in MODEL], MODEL),
    "same": (MODEL, MODEL),
}


@pytest.mark.parametrize("name", CASES)
def test_the_snippet_gives_the_models_names(name: str) -> None:
    have, wanted = CASES[name]
    rule = find_rule(have, wanted)
    assert list(rule.mapping(have, wanted).values()) == wanted
    if rule.changes():
        assert renamed(rule, have, wanted) == wanted


def test_the_simplest_form_is_written() -> None:
    have, wanted = CASES["ddp and compile"]
    snippet = find_rule(have, wanted).snippet()
    assert snippet == 'state = {k.removeprefix("module._orig_mod."): v for k, v in state.items()}'
    have, wanted = CASES["to a wrapped model"]
    assert (
        find_rule(have, wanted).snippet() == 'state = {"module." + k: v for k, v in state.items()}'
    )


def test_a_name_that_only_looks_wrapped_stays() -> None:
    have = ["module.submodule.weight", "module.my_module.weight"]
    wanted = ["submodule.weight", "my_module.weight"]
    rule = find_rule(have, wanted)
    assert renamed(rule, have, wanted) == wanted


def test_names_that_would_fall_together_are_not_renamed() -> None:
    have = ["a.w", "b.a.w", "c.w"]
    assert find_rule(have, ["a.w"]) == Rule()


def test_missing_layers_do_not_hide_the_prefix() -> None:
    wanted = [n for n in MODEL if not n.startswith("blocks.2.")]
    rule = find_rule([f"module.{n}" for n in MODEL], wanted)
    assert rule == Rule(strip="module.")


def test_disjoint_names_have_no_rule() -> None:
    assert not find_rule(["decoder.a.x", "decoder.b.y"], MODEL).changes()


parts = st.lists(
    st.sampled_from(["module", "_orig_mod", "net", "model", "x1"]), min_size=1, max_size=3
)


@given(start=parts, add=st.booleans())
def test_any_start_is_found(start: list[str], add: bool) -> None:
    prefix = ".".join(start) + "."
    long = [prefix + n for n in MODEL]
    have, wanted = (MODEL, long) if add else (long, MODEL)
    rule = find_rule(have, wanted)
    assert renamed(rule, have, wanted) == wanted


@pytest.mark.parametrize(
    ("names", "start"),
    [
        (["module.a.w", "module.b.w"], "module."),
        (["module._orig_mod.a", "module._orig_mod.b"], "module._orig_mod."),
        (["module.a", "b"], ""),
        (["base_model.model.a", "base_model.model.b"], "base_model.model."),
        (["encoder.a", "encoder.b"], ""),
        ([], ""),
        (["module"], ""),
    ],
)
def test_start_that_only_wrappers_add(names: list[str], start: str) -> None:
    assert wrapper_start(names) == start
