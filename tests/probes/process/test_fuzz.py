"""Whatever bytes come: no crash, no hang, nothing claimed of junk."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from medic.probes.process.document import stacks_of
from medic.probes.process.dumps import parse
from medic.probes.process.judge import judge

from medic.errors import Unreadable
from medic.facts import Stacks

PIECES = st.sampled_from(
    [
        b"Process 7: python train.py\n", b"Python v3.11.7 (/usr/bin/python3)\n", b"Thread 7 (idle): \"MainThread\"\n",
        b"Thread 0x7F (active+gil)\n", b"    all_reduce (torch/distributed/distributed_c10d.py:9)\n", b"    a (b:1)\n",
        b"    (:)\n", b"\xff\x00\n", b"    x (y:99999999999999)\n", b"[", b"{", b"\"frames\": [", b"\x1b[2J",
    ]
)  # fmt: skip
NAMES = st.sampled_from(
    ["schema", "ranks", "pid", "rank", "world", "samples", "threads", "frames", "state", "letter", "helpers", "gpus", "pids", "power", "utilisation", "seconds", "local_rank", "local_world", "probing", "tables", "name", "filename", "line", "thread_name", "problem"]
)  # fmt: skip
ATOMS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=5),
    st.just("S"),
)
PLAIN = st.recursive(
    ATOMS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(NAMES, inner, max_size=5)),
    max_leaves=25,
)


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=30).map(b"".join))
def test_dumps(data: bytes) -> None:
    try:
        found = parse(data)
    except Unreadable:
        return
    assert all(
        f.line >= 0 and "\n" not in f.function for d in found for t in d.threads for f in t.frames
    )


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(NAMES, PLAIN, max_size=8))
def test_documents(root: dict[str, Any]) -> None:
    root = json.loads(json.dumps(root))
    found = stacks_of(root, "look.json")
    assert isinstance(found, Stacks)
    judge(found)
