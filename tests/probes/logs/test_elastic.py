"""torchrun's error.json: the traceback of the worker that wrote it, with rank and time."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from medic.probes.logs import elastic, failing_rank

from medic.errors import Unreadable
from medic.facts import LogHits, Ranks, Tracebacks
from medic.probe import Unread

STACK = (
    "Traceback (most recent call last):\n"
    '  File "/x/site-packages/torch/distributed/elastic/multiprocessing/errors/__init__.py", line 367, in wrapper\n'
    "    return f(*args, **kwargs)\n"
    "           ^^^^^^^^^^^^^^^^^^\n"
    '  File "/lab/err.py", line 8, in main\n'
    '    raise ValueError("sample 17 has no labels")\n'
    "ValueError: sample 17 has no labels\n"
)
TIME = 1_795_859_124
FILE = "attempt_0/3/error.json"


def report(stack: str = STACK, message: str = "ValueError: sample 17 has no labels") -> str:
    info = {"py_callstack": stack, "timestamp": str(TIME)}
    return json.dumps({"message": {"message": message, "extraInfo": info}})


def test_the_traceback_of_its_rank_at_its_time(read: Callable[..., Any]) -> None:
    case = read({FILE: report()})
    (told,) = case[Tracebacks].all
    assert (told.exception, told.message) == ("ValueError", "sample 17 has no labels")
    assert (told.frames[-1].file, told.frames[-1].line) == ("/lab/err.py", 8)
    assert (told.source.file, told.source.line) == (FILE, 0)
    assert (told.source.rank, told.source.time) == (3, TIME)
    assert case[LogHits].ended == "badly"
    assert case.findings["python-exception"].source.rank == 3


def test_it_names_the_first_rank_among_silent_logs(read: Callable[..., Any]) -> None:
    files = {
        "attempt_0/0/stdout.log": "step 1 loss 2.0\n",
        "attempt_0/3/stdout.log": "step 1 loss 2.0\n",
        FILE: report(),
    }
    case = read(files)
    assert case[Ranks].first.rank == 3
    found = case.ask(failing_rank.PROBE)["first-failing-rank"]
    assert (found.outcome, found.value["rank"]) == ("died-before-others", 3)


def test_the_earlier_of_two_reports_is_the_first_failure(read: Callable[..., Any]) -> None:
    later = report(STACK.replace("sample 17", "sample 9")).replace(str(TIME), str(TIME + 30))
    case = read({"attempt_0/0/error.json": later, FILE: report()})
    assert case[Ranks].first.rank == 3


def test_its_message_is_read_for_signatures(read: Callable[..., Any]) -> None:
    words = (
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. "
        "GPU 0 has a total capacity of 79.10 GiB of which 1.01 GiB is free."
    )
    case = read({FILE: report(STACK.replace("ValueError: sample 17 has no labels", words))})
    hits = [h for h in case[LogHits].hits if h.symptom == "cuda-out-of-memory"]
    assert {(h.source.rank, h.source.line) for h in hits} == {(3, 0)}


def test_a_signal_without_a_stack(read: Callable[..., Any]) -> None:
    text = json.dumps({"message": "Signal 11 (SIGSEGV) received by PID 652"})
    assert read({FILE: text})[LogHits].ended == "badly"


@pytest.mark.parametrize(
    "text",
    ["", report()[:200], "[" * 100_000, "{}", '{"message": {}}', '{"message": 3}', "\x1b[2J"],
)
def test_what_is_no_report_is_said_in_one_line(look: Callable[..., Any], text: str) -> None:
    from medic.probes.logs.logs import PROBE

    made = list(PROBE.run(look({FILE: text})))
    (unread,) = [m for m in made if isinstance(m, Unread)]
    assert unread.file == FILE
    assert "\n" not in unread.why.en


def test_half_a_surrogate_is_no_crash(read: Callable[..., Any]) -> None:
    case = read({FILE: report(STACK.replace("sample", "\ud800 sample"))})
    assert case[Tracebacks].all[0].message == "? 17 has no labels".replace("?", "? sample")


def test_a_huge_report_is_not_read(look: Callable[..., Any]) -> None:
    seen = look({FILE: "{" + " " * elastic.MAX_BYTES + "}"})
    with pytest.raises(Unreadable, match="larger than"):
        elastic.read(seen, seen.files("log")[0])


def test_control_bytes_do_not_pass(read: Callable[..., Any]) -> None:
    case = read({FILE: report(STACK.replace("sample", "\x1b]52;c;x\x07sample"))})
    assert "\x1b" not in repr(case.facts)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["message", "extraInfo", "py_callstack", "timestamp"]), inner
        )
    ),
    max_leaves=8,
)


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(JSON | st.binary(max_size=60))
def test_any_report_is_read_or_refused(read: Callable[..., Any], root: Any) -> None:
    data = root if isinstance(root, bytes) else json.dumps(root).encode()
    read({FILE: data})
