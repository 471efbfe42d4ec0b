"""Which rank does not join which collective, told from the dumps of all ranks."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from medic.case.collect import collect
from medic.case.filekind import kind_of
from medic.facts import FlightRecords
from medic.runner.evidence import Evidence

DATA = Path(__file__).parent / "data"
START = 1_700_000_000
Case = Callable[..., Evidence]


OPEN: Any = {"state": "started"}


def entry(
    sequence: int, name: str = "all_reduce", size: tuple[int, ...] = (4,), **more: Any
) -> Any:
    """One call as torch records it; ``site`` is a line of the user's train.py."""
    site = more.pop("site", 9)
    row = {
        "frames": [
            {"name": name, "filename": "/x/site-packages/torch/d.py", "line": 1},
            {"name": "step", "filename": "/code/train.py", "line": site},
        ],
        "record_id": sequence,
        "pg_id": 0,
        "process_group": ("0", "default_pg"),
        "collective_seq_id": sequence,
        "p2p_seq_id": 0,
        "op_id": sequence,
        "profiling_name": f"nccl:{name}",
        "time_created_ns": (START + sequence) * 1_000_000_000,
        "input_sizes": [list(size)],
        "output_sizes": [list(size)],
        "input_dtypes": ["Float"],
        "output_dtypes": ["Float"],
        "state": "completed",
        "retired": False,
        "timeout_ms": 600_000,
        "is_p2p": False,
    }
    return {**row, **more}


def dump(*entries: Any, ranks: str = "[0, 1]", done: int = 0) -> dict[str, Any]:
    return {
        "version": "2.10",
        "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": ranks}},
        "pg_status": {"0": {"last_enqueued_collective": 9, "last_completed_collective": done}},
        "entries": list(entries),
    }


def told(evidence: Evidence, name: str = "collective-ranks") -> list[Any]:
    return [o.finding for o in evidence.observed if o.finding.name == name]


def outcome(evidence: Evidence) -> str:
    found = told(evidence)
    return found[0].outcome if len(found) == 1 else f"{len(found)} answers"


# --- recorded dumps --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected", "rank"),
    [
        ("extra", "call-site-differs", 0),
        ("extra-json", "call-site-differs", 0),
        ("slow", "silent-rank-alive", 1),
    ],
)
def test_recorded_hangs(observed: Any, tmp_path: Path, name: str, expected: str, rank: int) -> None:
    folder = tmp_path / name
    shutil.copytree(DATA / name, folder)
    recorded = 1_795_859_400  # some minutes after the calls
    for file in folder.iterdir():
        os.utime(file, (recorded, recorded))
    if name == "extra-json":
        expected = "shape-differs"  # the JSON form has no frames, so that no call site is known
    evidence = observed(str(folder))
    assert outcome(evidence) == expected
    finding = told(evidence)[0]
    assert finding.source.rank == rank
    assert Path(finding.source.file).name.startswith(f"nccl_trace_rank_{rank}")


def test_a_recorded_run_that_goes_on(observed: Any) -> None:
    evidence = observed(str(DATA / "ok"))
    assert not told(evidence, "training-hangs")
    assert outcome(evidence) == "no-timeout"


def test_a_call_that_ended_on_one_rank_is_no_hang(case: Case) -> None:
    """gloo marks the end of a call late: all ranks were in it, or it would not have ended."""
    evidence = case({0: dump(entry(1), entry(2)), 1: dump(entry(1), entry(2, **OPEN))})
    assert not told(evidence)
    assert not told(evidence, "training-hangs")


def test_the_words_name_call_size_type_and_place(observed: Any) -> None:
    value = told(observed(str(DATA / "extra")))[0].value["told"].en
    assert "rank 0: collective 5 all_reduce [4] Float at /tmp/lab/train.py:9, scheduled" in value
    assert "rank 1: collective 5 barrier at /tmp/lab/train.py:13" in value


# --- dumps made by hand ----------------------------------------------------------------------


def test_another_size_in_the_same_call(case: Case) -> None:
    made = {r: dump(entry(1), entry(2, size=(4 + r,), **OPEN)) for r in (0, 1)}
    evidence = case(made)
    assert outcome(evidence) == "shape-differs-same-call"
    assert told(evidence, "collective-timeout")  # open for longer than its limit


def test_another_type_in_the_same_call(case: Case) -> None:
    made = {
        r: dump(entry(1), entry(2, input_dtypes=[t], **OPEN))
        for r, t in enumerate(("Float", "BFloat16"))
    }
    assert outcome(case(made)) == "shape-differs-same-call"


def test_uneven_inputs_of_all_gather_fit(case: Case) -> None:
    made = {
        r: dump(entry(1, "all_gather", input_sizes=[[r]], output_sizes=[[0], [1]], **OPEN))
        for r in (0, 1)
    }
    assert outcome(case(made)) == "same-on-all"


def test_a_wrong_call_that_completed_is_found_before_the_one_that_hangs(case: Case) -> None:
    first = dump(entry(1), entry(2, "broadcast", site=20), entry(3, **OPEN))
    other = dump(entry(1), entry(2, **OPEN))
    evidence = case({0: first, 1: other})
    assert outcome(evidence) == "call-site-differs"
    assert "collective 2 broadcast" in told(evidence)[0].value["told"].en


def test_ranks_in_other_numbers(case: Case) -> None:
    made = {0: dump(entry(4), entry(5, **OPEN)), 1: dump(entry(4), entry(5), entry(6, **OPEN))}
    assert outcome(case(made)) == "sequence-differs"


def test_all_wait_in_the_same_call(case: Case) -> None:
    assert outcome(case({r: dump(entry(1), entry(2, **OPEN)) for r in (0, 1)})) == "same-on-all"


def test_a_member_without_a_dump(case: Case) -> None:
    made = {r: dump(entry(1), entry(2, **OPEN), ranks="[0, 1, 2]") for r in (0, 1)}
    evidence = case(made)
    assert outcome(evidence) == "one-rank-silent"
    assert "rank 2: no dump" in told(evidence)[0].value["told"].en


def test_a_member_without_a_dump_whose_crash_is_logged(case: Case) -> None:
    made = {r: dump(entry(1), entry(2, **OPEN), ranks="[0, 1, 2]") for r in (0, 1)}
    log = "\n".join(["[rank2]: Fatal Python error: Segmentation fault", "[rank0]: waiting", ""])
    evidence = case(made, train=log)
    assert outcome(evidence) == "silent-rank-died"


def test_an_exception_of_a_rank_explains_the_wait(case: Case) -> None:
    log = (
        "[rank1]: Traceback (most recent call last):\n"
        '[rank1]:   File "/code/train.py", line 9, in <module>\n'
        "[rank1]:     main()\n"
        "[rank1]: ValueError: bad\n"
    )
    made = {0: dump(entry(1), entry(2, **OPEN)), 1: dump(entry(1))}
    evidence = case(made, train=log)
    assert not [f for f in told(evidence) if f.outcome != "no-timeout"]


def test_groups_entered_in_other_order(case: Case) -> None:
    def call(group: str, site: int) -> Any:
        return entry(1, process_group=(group, "x"), pg_id=int(group), site=site, **OPEN)

    configs = {g: {"name": g, "desc": "x", "ranks": "[0, 1]"} for g in ("1", "2")}
    made = {r: dump(call("12"[r], 5 + r)) | {"pg_config": configs} for r in (0, 1)}
    assert outcome(case(made)) == "call-site-differs"


def test_a_rank_that_waits_in_a_receive_is_not_idle(case: Case) -> None:
    receive = entry(2, "recv 0<-1", is_p2p=True, p2p_seq_id=1, **OPEN)
    evidence = case({0: dump(entry(1), entry(2, **OPEN)), 1: dump(entry(1), receive)})
    assert not told(evidence)
    assert any(s.check == "collective-ranks" for s in evidence.runs["flight-recorder-calls"].skips)


def test_the_one_rank_that_others_wait_for_in_several_groups(case: Case) -> None:
    """Tensor parallel pairs 0-1 and 2-3, data parallel pairs 0-2 and 1-3; rank 3 is late."""
    pairs = {"tp0": "[0, 1]", "tp1": "[2, 3]", "dp0": "[0, 2]", "dp1": "[1, 3]"}
    config = {n: {"name": n, "desc": n, "ranks": r} for n, r in pairs.items()}

    def call(group: str, number: int, **more: Any) -> Any:
        at = (START + 10 * number + (group[0] == "d")) * 1_000_000_000
        names: Any = {"process_group": (group, group), "pg_id": list(pairs).index(group) + 1}
        return entry(number, time_created_ns=at, **names, **more)

    calls = {
        0: [call("tp0", 1), call("dp0", 1, **OPEN)],
        1: [call("tp0", 1), call("dp1", 1, **OPEN)],
        2: [call("tp1", 1, **OPEN)],
        3: [],
    }
    made = {r: dump(*c) | {"pg_config": config, "pg_status": {}} for r, c in calls.items()}
    evidence = case(made)
    assert outcome(evidence) == "silent-rank-alive"
    assert told(evidence)[0].source.rank == 3


def test_a_dump_on_request_of_a_healthy_run(case: Case) -> None:
    made = {0: dump(entry(1), entry(2, **OPEN)), 1: dump(entry(1))}
    evidence = case(made, waited=3)
    assert not told(evidence)
    assert not told(evidence, "training-hangs")


def test_the_latest_dump_of_a_rank_counts(case: Case, tmp_path: Path) -> None:
    old = tmp_path / "attempt_0"
    old.mkdir()
    shutil.copy(DATA / "extra" / "nccl_trace_rank_1", old)
    os.utime(old / "nccl_trace_rank_1", (START, START))
    evidence = case({r: dump(entry(1), entry(2, **OPEN)) for r in (0, 1)})
    assert outcome(evidence) == "same-on-all"
    assert len(evidence.facts[FlightRecords].ranks) == 2


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("nccl_trace_rank_0", True),
        ("comm_lib_trace_rank_12", True),
        ("nccl_trace_rank_3.json", True),
        ("rank_0", True),  # as torchtitan names it; known by its keys
        ("trace.txt", False),
    ],
)
def test_names_of_dumps(tmp_path: Path, name: str, known: bool) -> None:
    path = tmp_path / name
    source = (
        "extra-json/nccl_trace_rank_0.json" if name.endswith(".json") else "ok/nccl_trace_rank_0"
    )
    shutil.copy(DATA / source, path)
    assert (kind_of(str(path)) == "flight-recorder") is known


def test_a_file_of_another_kind_with_a_number_is_no_dump(tmp_path: Path) -> None:
    path = tmp_path / "rank_0"
    path.write_text("hello\n", "utf-8")
    assert kind_of(str(path)) != "flight-recorder"
    assert [f.kind for f in collect([str(path)]).files] == ["log"]


@pytest.mark.parametrize(
    ("sites", "told"), [([9] * 12, True), ([9] * 3, False), (range(20, 32), False)]
)
def test_a_call_that_was_made_many_times_is_of_the_loop(
    case: Case, sites: Sequence[int], told: bool
) -> None:
    done = [entry(n, site=site) for n, site in enumerate(sites, 1)]
    waits = entry(len(done) + 1, **OPEN)
    found = case({0: dump(*done, waits), 1: dump(*done)})
    moments = [o.finding.outcome for o in found.observed if o.finding.name == "timeout-moment"]
    assert moments == (["mid-training"] if told else [])
