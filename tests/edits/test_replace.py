"""A value is changed where it stands, in all places, and nothing else."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from medic.run_config import Origin, Value

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

After = Callable[..., str]
SLOW = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

YAML = b"""\xef\xbb\xbf# head\r
training:\r
    micro_batch_size:   8   # per GPU\r
    "lr": &lr 1e-4\r
    names: [a, b]\r
    note: |\r
      micro_batch_size: 8\r
"""


def test_comments_spaces_anchor_line_ends_and_mark_stay(shop: Any, after: After) -> None:
    fields = {"micro_batch_size": "training.micro_batch_size", "learning_rate": "training.lr"}
    path = shop.file("a.yaml", YAML, fields)
    text = after(shop.config(), path, micro_batch_size=4, learning_rate=5e-5)
    old = YAML.decode()
    assert text == old.replace("   8   #", "   4   #").replace("&lr 1e-4", "&lr 5.0e-5")


def test_every_carrier_is_edited(shop: Any, edit: Callable[..., Any]) -> None:
    shop.file("a.yaml", "micro_batch_size: 8\n", {"micro_batch_size": "micro_batch_size"})
    shop.file(
        "ds.json",
        '{"train_micro_batch_size_per_gpu": 8}',
        {"micro_batch_size": "train_micro_batch_size_per_gpu"},
        "engine",
    )
    plan = edit(shop.config(), micro_batch_size=4)
    assert sorted(Path(e.file).name for e in plan.edits) == ["a.yaml", "ds.json"]
    assert set(plan.hashes) == {e.file for e in plan.edits}


def test_one_carrier_that_cannot_be_edited_refuses_all(shop: Any, edit: Callable[..., Any]) -> None:
    shop.file("a.yaml", "micro_batch_size: 8\n", {"micro_batch_size": "micro_batch_size"})
    other = shop.file("b.yaml", "micro_batch_size: 8\n", {"micro_batch_size": "micro_batch_size"})
    config = shop.config()
    other.write_text("# moved\nmicro_batch_size: 8\n")
    plan = edit(config, micro_batch_size=4)
    assert plan.edits == ()
    assert "b.yaml" in plan.refused[0].en
    assert "b.yaml" in plan.refused[0].zh


def test_missing_file_and_pasted_text_are_refused(shop: Any, edit: Callable[..., Any]) -> None:
    path = shop.file("a.yaml", "lr: 0.1\n", {"learning_rate": "lr"})
    config = shop.config()
    path.unlink()
    assert edit(config, learning_rate=0.2).refused
    origin = config.values["learning_rate"].origin
    assert origin.span is not None
    pasted = replace(origin, span=replace(origin.span, file="<pasted config>"))
    config = replace(config, values={"learning_rate": Value(0.1, pasted)})
    assert "pasted" in edit(config, learning_rate=0.2).refused[0].en


def test_printed_and_given_values_are_no_carriers(shop: Any, edit: Callable[..., Any]) -> None:
    config = shop.config(learning_rate=Value(0.1, Origin("given", note="--set")))
    assert "learning_rate" in edit(config, learning_rate=0.2).refused[0].en


def test_shared_anchor_is_refused(shop: Any, edit: Callable[..., Any]) -> None:
    shop.file(
        "a.yaml", "micro_batch_size: &n 8\nother: *n\n", {"micro_batch_size": "micro_batch_size"}
    )
    plan = edit(shop.config(), micro_batch_size=4)
    assert plan.edits == ()
    assert "other" in plan.refused[0].en


def test_unit_of_the_key_is_converted_back(shop: Any, after: After) -> None:
    path = shop.file("a.yaml", "timeout_minutes: 10\n", {"nccl_timeout": "timeout_minutes"})
    value = shop.values["nccl_timeout"][0]
    shop.values["nccl_timeout"] = [(600, replace(value[1], factor=60.0))]
    assert after(shop.config(), path, nccl_timeout=1200) == "timeout_minutes: 20\n"


def test_value_that_the_unit_cannot_say_is_refused(shop: Any, edit: Callable[..., Any]) -> None:
    shop.file("a.yaml", "timeout_minutes: 10\n", {"nccl_timeout": "timeout_minutes"})
    value = shop.values["nccl_timeout"][0]
    shop.values["nccl_timeout"] = [(600, replace(value[1], factor=60.0))]
    assert "whole number" in edit(shop.config(), nccl_timeout=650).refused[0].en


def test_number_that_was_text_becomes_a_number(shop: Any, after: After) -> None:
    path = shop.file("a.yaml", "lr: '1e-4'  # text\n", {"learning_rate": "lr"})
    text = after(shop.config(), path, learning_rate=1e-4)
    assert text == "lr: 1.0e-4  # text\n"
    assert yaml.safe_load(text) == {"lr": 1e-4}


# --- words and switches ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("dtype: float16\n", "dtype: bfloat16\n"),
        ("dtype: 16-mixed\n", "dtype: bf16-mixed\n"),
        ("dtype: 'fp16'\n", "dtype: 'bf16'\n"),
    ],
)
def test_precision_keeps_its_vocabulary(shop: Any, after: After, old: str, new: str) -> None:
    path = shop.file("a.yaml", old, {"precision": "dtype"})
    assert after(shop.config(), path, precision="bf16") == new


def test_words_of_a_key_are_used(shop: Any, after: After) -> None:
    path = shop.file("a.yaml", "strategy: ddp\n", {"fsdp": "strategy"})
    assert after(shop.config(), path, fsdp=True) == "strategy: fsdp\n"


def test_switch_with_words_of_its_own_is_refused(shop: Any, edit: Callable[..., Any]) -> None:
    shop.file("a.yaml", "granularity: none\n", {"activation_checkpointing": "granularity"})
    assert edit(shop.config(), activation_checkpointing=True).refused


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("fp16: true\nbf16: false\n", "fp16: false\nbf16: true\n"),
        ("a:\n  fp16: True # x\n  z: 1\n", "a:\n  bf16: True # x\n  z: 1\n"),
    ],
)
def test_one_precision_switch_goes_off_and_the_other_on(
    shop: Any, after: After, old: str, new: str
) -> None:
    path = shop.file("a.yaml", old, {"precision": "a.fp16" if old.startswith("a:") else "fp16"})
    shop.values["precision"] = [("fp16", shop.values["precision"][0][1])]
    assert after(shop.config(), path, precision="bf16") == new


def test_nested_precision_switch_gets_its_group(shop: Any, after: After) -> None:
    text = '{\n  "fp16": {\n    "enabled": true\n  }\n}\n'
    path = shop.file("ds.json", text, {"precision": "fp16.enabled"}, "engine")
    shop.values["precision"] = [("fp16", shop.values["precision"][0][1])]
    found = json.loads(after(shop.config(), path, precision="bf16"))
    assert found == {"fp16": {"enabled": False}, "bf16": {"enabled": True}}


# --- whatever the document ------------------------------------------------------------------

KEYS = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True)
VALUES = st.one_of(
    st.integers(0, 10**9), st.booleans(), st.sampled_from(["text", "with space", "中文"]),
    st.sampled_from([0.5, 1e-5, 123.25]),
)  # fmt: skip
TREES = st.dictionaries(
    KEYS, st.one_of(VALUES, st.dictionaries(KEYS, VALUES, min_size=1, max_size=4)),
    min_size=1, max_size=6,
)  # fmt: skip
NEW = st.one_of(st.integers(1, 10**9), st.sampled_from([1e-5, 0.25, 3e-4, 7.0]))


def toml_of(tree: dict[str, Any]) -> str:
    plain = [f"{k} = {json.dumps(v, ensure_ascii=False)}" for k, v in tree.items()
             if not isinstance(v, dict)]  # fmt: skip
    for name, group in tree.items():
        if isinstance(group, dict):
            plain += ["", f"[{name}]  # group", toml_of(group).rstrip("\n")]
    return "\n".join(plain) + "\n"


WRITERS: dict[str, tuple[Callable[[Any], str], Callable[[str], Any]]] = {
    "a.yaml": (lambda t: yaml.safe_dump(t, allow_unicode=True), yaml.safe_load),
    "b.yaml": (lambda t: yaml.safe_dump(t, default_flow_style=True), yaml.safe_load),
    "a.json": (lambda t: json.dumps(t, indent=2, ensure_ascii=False), json.loads),
    "b.json": (json.dumps, json.loads),
    "a.toml": (toml_of, tomllib.loads),
}


@pytest.mark.parametrize("name", WRITERS)
@given(tree=TREES, new=NEW, data=st.data())
@SLOW
def test_only_the_edited_key_reads_differently(
    shop: Any, after: After, name: str, tree: dict[str, Any], new: float, data: st.DataObject
) -> None:
    paths: list[tuple[str, ...]] = [
        (k,) for k, v in tree.items() if not isinstance(v, (dict, bool))
    ]
    paths += [(k, i) for k, v in tree.items() if isinstance(v, dict)
              for i, w in v.items() if not isinstance(w, bool)]  # fmt: skip
    if not paths:
        return
    where = data.draw(st.sampled_from(sorted(paths)))
    write, read = WRITERS[name]
    shop.values.clear()
    path = shop.file(name, write(tree), {"learning_rate": ".".join(where)})
    found = read(after(shop.config(), path, learning_rate=new))
    expected = json.loads(json.dumps(tree))
    group = expected[where[0]] if len(where) == 2 else expected
    old = group[where[-1]]
    got = (found[where[0]] if len(where) == 2 else found)[where[-1]]
    # A number in place of a quoted text stays in its quotes in JSON and TOML.
    assert float(got) == pytest.approx(new, rel=1e-12)
    assert isinstance(old, str) or not isinstance(got, str)
    group[where[-1]] = got
    assert found == expected
