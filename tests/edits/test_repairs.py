"""Exact repairs in any file: the data is what was meant, comments and all other lines stay."""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from medic.edits import edits_for
from medic.edits.repairs import respelt
from medic.edits.sources import apply_to
from medic.edits.trees import Item, items_of
from medic.facts import Added, Removed, Renamed, Respelt, Rewritten
from medic.facts.repairs import Step
from medic.run_config import Edit, Origin, RunConfig, Syntax
from medic.syntax import parse

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

NAMES = st.text("abcdefgh", min_size=2, max_size=4)
VALUES = st.integers(-9, 99999) | st.booleans() | st.sampled_from(["word", "two words", "x: y"])
LEAVES = st.dictionaries(NAMES, VALUES, min_size=1, max_size=4)
TREES = st.dictionaries(NAMES, VALUES | LEAVES, min_size=1, max_size=5)


def as_yaml(tree: dict[str, Any]) -> str:
    lines = []
    for line in yaml.safe_dump(tree, sort_keys=False).splitlines():
        lines += [f"# above {line.strip()[:2]}", line]
    return "\n".join(lines) + "\n"


def as_flow(tree: dict[str, Any]) -> str:
    return yaml.safe_dump(tree, sort_keys=False, default_flow_style=True, width=1000)


def as_json(tree: dict[str, Any]) -> str:
    return json.dumps(tree, indent=2)


def as_toml(tree: dict[str, Any]) -> str:
    plain = [f"{k} = {json.dumps(v)}  # {k}" for k, v in tree.items() if not isinstance(v, dict)]
    for name, group in tree.items():
        if isinstance(group, dict):
            plain += ["", f"[{name}]", *(f"{k} = {json.dumps(v)}" for k, v in group.items())]
    return "\n".join(plain) + "\n"


FORMS: list[tuple[Any, Syntax]] = [
    (as_yaml, "yaml"), (as_flow, "yaml"), (as_json, "json"), (as_toml, "toml"),
]  # fmt: skip


def data_of(text: str, syntax: Syntax) -> Any:
    if syntax == "toml":
        return tomllib.loads(text)
    return json.loads(text) if syntax == "json" else yaml.safe_load(text)


def repaired(text: str, syntax: Syntax, *steps: Step) -> str | None:
    """The text after the steps; None if they are refused."""
    data = text.encode()
    plan = edits_for([], RunConfig(), lambda _: data, steps=steps)
    assert bool(plan.edits) is not bool(plan.refused)
    return apply_to(data, list(plan.edits)).decode() if plan.edits else None


def plain_keys(text: str, syntax: Syntax) -> list[Item]:
    root = parse(text.encode(), "f", syntax).root
    return [item for item in items_of(root) if item.value.kind == "scalar"]


def chosen(draw: st.DataObject, text: str, syntax: Syntax) -> Item | None:
    items = plain_keys(text, syntax)
    return draw.draw(st.sampled_from(items)) if items else None


def group_of(tree: dict[str, Any], path: Sequence[str]) -> dict[str, Any]:
    for step in path[:-1]:
        tree = tree[step]
    return tree


def comments(text: str) -> Iterator[str]:
    return (line for line in text.splitlines() if line.strip().startswith("#"))


def examples(n: int) -> settings:
    return settings(max_examples=n, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize(("form", "syntax"), FORMS)
@examples(80)
@given(tree=TREES, draw=st.data())
def test_a_key_goes(form: Any, syntax: Syntax, tree: dict[str, Any], draw: st.DataObject) -> None:
    text = form(tree)
    item = chosen(draw, text, syntax)
    if item is None:
        return
    after = repaired(text, syntax, Removed(item.value.span, syntax, item.path[-1]))
    if after is None:  # a file of nothing is none
        assert len(tree) == 1
        return
    wanted = copy.deepcopy(tree)
    del group_of(wanted, item.path)[item.path[-1]]
    assert (data_of(after, syntax) or {}) == wanted
    assert list(comments(after)) == list(comments(text))


@pytest.mark.parametrize(("form", "syntax"), FORMS)
@examples(80)
@given(tree=TREES, draw=st.data(), value=VALUES)
def test_a_key_is_renamed_or_rewritten(
    form: Any, syntax: Syntax, tree: dict[str, Any], draw: st.DataObject, value: Any
) -> None:
    text = form(tree)
    item = chosen(draw, text, syntax)
    if item is None:
        return
    key, group = item.path[-1], group_of(copy.deepcopy(tree), item.path)
    new = repaired(text, syntax, Renamed(item.key.span, syntax, key, "new_name"))
    assert new is not None
    now = group_of(data_of(new, syntax), item.path)
    assert now == {("new_name" if k == key else k): v for k, v in group.items()}
    assert new.replace("new_name", key) == text
    other = repaired(text, syntax, Rewritten(item.value.span, syntax, key, value))
    if value == group[key]:
        return
    assert other is not None
    assert group_of(data_of(other, syntax), item.path) == {**group, key: value}


@pytest.mark.parametrize(("form", "syntax"), FORMS)
@examples(80)
@given(tree=TREES, draw=st.data(), value=VALUES, apart=st.booleans())
def test_a_key_comes(
    form: Any, syntax: Syntax, tree: dict[str, Any], draw: st.DataObject, value: Any, apart: bool
) -> None:
    """Beside the one that it belongs to, or in a group that is not there yet."""
    text = form(tree)
    item = chosen(draw, text, syntax)
    if item is None:
        return
    beside = Origin("file", item.value.span, syntax, item.path, item.path[-1], "x")
    path = ("new_group", "new_key") if apart else (*item.path[:-1], "new_key")
    after = repaired(text, syntax, Added(beside, path, value))
    assert after is not None
    wanted = copy.deepcopy(tree)
    if apart:
        wanted["new_group"] = {"new_key": value}
    else:
        group_of(wanted, path)["new_key"] = value
    assert data_of(after, syntax) == wanted
    assert list(comments(after)) == list(comments(text))


@pytest.mark.parametrize(
    ("written", "key", "name", "beside", "new"),
    [
        ("--old-name", "old_name", "new_name", (), "--new-name"),
        ("--old_name", "old_name", "new_name", (), "--new_name"),
        ("+a.b.old", "b.old", "new_name", (), "+a.b.new_name"),
        ("--old", "old", "new_name", ("--a-b", "--c-d", "--e_f", "x-y"), "--new-name"),
        ("--old", "old", "new_name", ("--a_b",), "--new_name"),
        ("OLD", "old", "new", (), "new"),
    ],
)
def test_a_name_keeps_its_spelling(
    written: str, key: str, name: str, beside: Sequence[str], new: str
) -> None:
    assert respelt(written, key, name, beside) == new


SCRIPT = "N=4\ntorchrun t.py --a $N --sizes 1 2 3 --list x y --sw --b $N --c=5 \\\n  --d 6  # six\n"


@pytest.mark.parametrize(
    ("word", "step", "new"),
    [
        ("1", "remove", (" --sizes 1 2 3", "")),
        ("x", "remove", None),  # where the list ends is not known
        ("--sw", "remove", (" --sw", "")),
        ("--c=5", "remove", (" --c=5", "")),
        ("6", "remove", ("--d 6  #", "#")),
        ("6", "rewrite", ("--d 6", "--d 7")),
        ("--c=5", "rewrite", ("--c=5", "--c=7")),
        ("$N", "rewrite", None),  # the other flag has the variable as well
    ],
)
def test_flags(word: str, step: str, new: tuple[str, str] | None) -> None:
    words = parse(SCRIPT.encode(), "f", "shell").commands[-1].words
    at = next(i for i, w in enumerate(words) if w.raw == word)
    flag = next(w.raw for w in reversed(words[: at + 1]) if w.raw.startswith("--"))
    name, span = flag.partition("=")[0], words[at].literal or words[at].span
    wanted: Step = Removed(span, "shell", name)
    if step == "rewrite":
        wanted = Rewritten(span, "shell", name, 7)
    assert repaired(SCRIPT, "shell", wanted) == (SCRIPT.replace(*new) if new else None)


def test_a_join_that_would_change_words_is_refused() -> None:
    text = "torchrun t.py --a 1\n--b 2\necho x\n"
    good, bad = Edit("f", 19, 19, " \\"), Edit("f", 19, 20, "")
    assert repaired(text, "shell", Respelt((good,), joins=True)) == text.replace("1\n", "1 \\\n")
    assert repaired(text, "shell", Respelt((bad,), joins=True)) is None
