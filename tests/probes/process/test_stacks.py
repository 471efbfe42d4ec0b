"""Who waits for whom, from recorded looks and from dumps."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from medic.probes.process.dumps import parse, role

from medic.attach import as_text
from medic.case.filekind import kind_of
from medic.facts import FileKind, Stacks

from .conftest import DATA, Told, observed

Tell = Callable[..., Told]


def text(pid: int, *frames: str, name: str = "MainThread", command: str = "python train.py") -> str:
    rows = "".join(f"    {frame}\n" for frame in frames)
    return f'Process {pid}: {command}\nPython v3.11.7 (/usr/bin/python3.11)\n\nThread {pid} (idle): "{name}"\n{rows}'


ALL_REDUCE = ("all_reduce (torch/distributed/distributed_c10d.py:3252)", "train (train.py:66)")
BARRIER = ("barrier (torch/distributed/distributed_c10d.py:5356)", "train (train.py:63)")
SAVING = ("_save (torch/serialization.py:9)", "save_checkpoint (train.py:30)")


def look(ranks: int, spots: list[tuple[str, ...]], **more: Any) -> dict[str, Any]:
    """A document of medic attach with two equal looks at each rank."""
    rows = []
    for rank in range(ranks):
        frames = []
        for row in spots[rank]:
            function, _, place = row.partition(" (")
            file, _, line = place.rstrip(")").rpartition(":")
            frames.append({"name": function, "filename": file, "line": int(line)})
        thread = {"pid": rank + 10, "thread_id": 1, "thread_name": "MainThread", "frames": frames}
        state = {"letter": "S", "rss": 1, "threads": 1, "cpu": 0.0, "waits_in": ""}
        rows.append(
            {
                "pid": rank + 10,
                "rank": rank,
                "local_rank": rank,
                "world": ranks,
                "command": "",
                "samples": [{"state": state, "threads": [thread]}] * 2,
                "helpers": [],
            }
        )
    return {
        "schema": "medic.attach/1",
        "seconds": 8.0,
        "local_world": ranks,
        "ranks": rows,
        "gpus": [],
        **more,
    }


def save(folder: Path, document: dict[str, Any]) -> Path:
    path = folder / "look.json"
    path.write_text(as_text(document), "utf-8")
    return path


# --- recorded ---------------------------------------------------------------------------------


def test_one_rank_in_its_loader_while_the_other_waits(told: Tell) -> None:
    assert told("loader.json") == {
        "training-hangs": "present",
        "collective-ranks": "silent-rank-alive",
        "busy-rank": "reads-data",
    }
    assert told("workers.json")["busy-rank"] == "reads-data"


def test_one_rank_in_its_loader_while_the_others_gpu_waits(told: Tell) -> None:
    """Rank 0 stands at loss.item() with its GPU at 100% and low power, rank 1 reads."""
    assert told("nccl-loader.json") == {
        "training-hangs": "present",
        "collective-ranks": "silent-rank-alive",
        "busy-rank": "reads-data",
    }


def test_one_rank_saves_while_the_other_waits(told: Tell) -> None:
    found = told("saving.json")
    assert found["busy-rank"] == "serial-work"
    assert found["stall-point"] == "saving"


def test_ranks_in_different_collectives(told: Tell) -> None:
    assert told("branch.json") == {
        "training-hangs": "present",
        "collective-ranks": "places-differ",
    }


def test_runs_at_work_are_silent(told: Tell) -> None:
    assert told("healthy.json") == {}
    assert told("nccl-healthy.json") == {}


def test_a_hung_nccl_job_hangs_and_no_more_is_claimed(told: Tell) -> None:
    """Both ranks wait for their GPUs: which collectives those run, the stacks do not tell."""
    assert told("nccl-extra.json") == {"training-hangs": "present"}
    evidence = observed(DATA / "nccl-extra.json")
    skips = evidence.runs["stack-places"].skips
    assert [s.check for s in skips] == ["collective-ranks"]
    ranks = evidence.fact(Stacks).ranks
    assert [r.spot.act for r in ranks] == ["device", "device"]
    assert ranks[1].spot.what == "inputs = batch.to(device)"


def test_a_gpu_that_computes_is_no_hang(told: Tell, tmp_path: Path) -> None:
    document = json.loads((DATA / "nccl-extra.json").read_text("utf-8"))
    for gpu in document["gpus"]:
        gpu["power"] = [650.0] * 5
    assert told(save(tmp_path, document)) == {}
    frames = [{"name": "fetch", "filename": "torch/utils/data/_utils/fetch.py", "line": 1}]
    for sample in document["ranks"][1]["samples"]:
        sample["threads"][0]["frames"] = frames
    assert told(save(tmp_path, document)) == {}


def test_a_finding_points_at_the_line_of_its_rank() -> None:
    evidence = observed(DATA / "loader.json")
    finding = next(o.finding for o in evidence.observed if o.name == "busy-rank")
    assert (finding.source.line, finding.source.rank) == (4, 1)


# --- made by hand -----------------------------------------------------------------------------


def test_a_missing_local_rank_has_died(told: Tell, tmp_path: Path) -> None:
    document = look(2, [ALL_REDUCE, ALL_REDUCE])
    document["local_world"] = 3
    assert told(save(tmp_path, document))["collective-ranks"] == "silent-rank-died"


def test_a_zombie_has_died(told: Tell, tmp_path: Path) -> None:
    document = look(2, [ALL_REDUCE, ALL_REDUCE])
    document["ranks"][1]["samples"] = [{"state": {"letter": "Z"}}]
    assert told(save(tmp_path, document))["collective-ranks"] == "silent-rank-died"


def test_the_same_call_on_all_is_left_open(told: Tell, tmp_path: Path) -> None:
    """An extra call elsewhere shifts the sequence and shows the same stacks."""
    assert told(save(tmp_path, look(2, [ALL_REDUCE, ALL_REDUCE]))) == {"training-hangs": "present"}


def test_ranks_of_other_nodes_are_asked_for(told: Tell, tmp_path: Path) -> None:
    document = look(2, [ALL_REDUCE, BARRIER])
    for rank in document["ranks"]:
        rank["world"] = 16
    path = save(tmp_path, document)
    assert told(path) == {"training-hangs": "present"}
    needs = observed(path).runs["stack-places"].skips[0].needs
    assert "other nodes" in needs.en


def test_two_halves_apart_are_no_extra_call(told: Tell, tmp_path: Path) -> None:
    """Groups of a layout can wait for each other behind one broken link."""
    halves = look(4, [ALL_REDUCE, BARRIER, ALL_REDUCE, BARRIER])
    assert "collective-ranks" not in told(save(tmp_path, halves))


def test_a_minority_in_another_call_is_one(told: Tell, tmp_path: Path) -> None:
    document = look(4, [BARRIER, ALL_REDUCE, ALL_REDUCE, ALL_REDUCE])
    assert told(save(tmp_path, document))["collective-ranks"] == "places-differ"


def test_a_pipeline_is_not_judged(told: Tell, tmp_path: Path) -> None:
    recv = ("recv (torch/distributed/distributed_c10d.py:9)", "stage (train.py:1)")
    assert "collective-ranks" not in told(save(tmp_path, look(2, [recv, ALL_REDUCE])))


def test_a_rank_that_moves_is_at_work(told: Tell, tmp_path: Path) -> None:
    document = look(2, [ALL_REDUCE, SAVING])
    first = document["ranks"][0]["samples"][0]
    moved = json.loads(json.dumps(first))
    moved["threads"][0]["frames"][-1]["line"] = 70
    document["ranks"][0]["samples"] = [first, moved]
    assert told(save(tmp_path, document)) == {}


def worker(
    letter: str,
    wchan: str,
    cpu: float,
    function: str = "Queue.get",
    file: str = "multiprocessing/queues.py",
) -> dict[str, Any]:
    state = {"letter": letter, "rss": 1, "threads": 1, "cpu": 0.0, "waits_in": wchan}
    rows = [
        (function, file),
        ("_worker_loop", "torch/utils/data/_utils/worker.py"),
        ("<module>", "train.py"),
    ]
    frames = [{"name": n, "filename": f, "line": 1} for n, f in rows]
    thread = {"pid": 99, "thread_id": 1, "thread_name": "MainThread", "frames": frames}
    return {
        "pid": 99,
        "samples": [{"state": state}, {"state": {**state, "cpu": cpu}, "threads": [thread]}],
    }


@pytest.mark.parametrize(
    ("helper", "outcome"),
    [
        (worker("S", "futex_wait_queue", 0.0), "workers-blocked"),
        (worker("S", "futex_wait_queue", 0.0, "decode", "data.py"), "workers-blocked"),
        (worker("S", "sk_wait_data", 0.0, "decode", "data.py"), "reads-data"),
        (worker("R", "", 6.0, "decode", "data.py"), "reads-data"),
        (worker("D", "rpc_wait_bit_killable", 0.0, "decode", "data.py"), "waits-for-storage"),
    ],
)
def test_what_the_loader_waits_for(
    told: Tell, tmp_path: Path, helper: dict[str, Any], outcome: str
) -> None:
    loader = ("_It._try_get_data (torch/utils/data/dataloader.py:9)", "train (train.py:5)")
    document = look(2, [ALL_REDUCE, loader])
    document["ranks"][1]["helpers"] = [helper]
    assert told(save(tmp_path, document))["busy-rank"] == outcome


def test_all_ranks_in_the_loader_with_idle_gpus(told: Tell, tmp_path: Path) -> None:
    loader = ("_It._try_get_data (torch/utils/data/dataloader.py:9)", "train (train.py:5)")
    gpus = [{"index": 0, "pids": [10, 11], "utilisation": [3.0, 8.0]}]
    found = told(save(tmp_path, look(2, [loader, loader], gpus=gpus)))
    assert found["step-bound"] == "loader-bound"
    gpus[0]["utilisation"] = [90.0, 95.0]
    assert "step-bound" not in told(save(tmp_path, look(2, [loader, loader], gpus=gpus)))


def test_without_py_spy_the_stack_is_that_of_probing(told: Tell, tmp_path: Path) -> None:
    document = look(2, [ALL_REDUCE, SAVING])
    for rank, spots in zip(document["ranks"], (ALL_REDUCE, SAVING), strict=True):
        rows = []
        for row in spots:
            function, _, place = row.partition(" (")
            file, _, line = place.rstrip(")").rpartition(":")
            rows.append({"func": function, "file": file, "lineno": line})
        rank["samples"] = [{"state": s["state"]} for s in rank["samples"]]
        rank["probing"] = {"tables": {"backtrace": rows}, "problem": None}
    assert told(save(tmp_path, document))["busy-rank"] == "serial-work"


def test_one_process_that_sleeps_a_moment_does_not_hang(told: Tell, tmp_path: Path) -> None:
    document = look(1, [("poll (train.py:3)",)])
    assert told(save(tmp_path, document))["training-hangs"] == "present"
    document["seconds"] = 1.0
    assert told(save(tmp_path, document)) == {}


# --- py-spy's own files -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("stacks-node1.txt", "== 10\n" + text(10, *ALL_REDUCE), "stacks"),
        ("py-spy.rank0", text(10, *ALL_REDUCE), "stacks"),
        ("dump.json", '[{"pid": 3, "thread_id": 1, "frames": []}]', "stacks"),
        ("train.log", "Process 10: started\nstep 1 loss 2.0\n", "log"),
        ("config.json", '{"frames": 3}', "config"),
    ],
)
def test_dumps_are_known_by_their_content(
    tmp_path: Path, name: str, content: str, kind: FileKind
) -> None:
    path = tmp_path / name
    path.write_text(content, "utf-8")
    assert kind_of(str(path)) == kind


def test_dumps_of_several_ranks_as_files(told: Tell, tmp_path: Path) -> None:
    (tmp_path / "py-spy-rank0.txt").write_text(text(10, *SAVING), "utf-8")
    (tmp_path / "py-spy-rank1.txt").write_text(text(11, *BARRIER), "utf-8")
    found = told(tmp_path)
    assert found["collective-ranks"] == "silent-rank-alive"
    assert found["busy-rank"] == "serial-work"


def test_many_dumps_in_one_file_leave_workers_and_launchers_out(tmp_path: Path) -> None:
    worker_loop = text(12, "get (queue.py:1)", "_worker_loop (torch/utils/data/_utils/worker.py:9)")
    launcher = text(9, "_invoke_run (torch/distributed/elastic/agent/server/api.py:9)")
    path = tmp_path / "stacks.txt"
    path.write_text(
        "\n".join(
            [launcher, text(10, *ALL_REDUCE, command="python t.py --local_rank=1"), worker_loop]
        ),
        "utf-8",
    )
    assert [role(d) for d in parse(path.read_bytes())] == ["launcher", "rank", "worker"]
    (rank,) = observed(path).fact(Stacks).ranks
    assert (rank.pid, rank.rank, rank.source.line) == (10, 1, 7)


def test_json_of_py_spy(tmp_path: Path) -> None:
    frames = [
        {"name": "step", "filename": "/run/train.py", "short_filename": "train.py", "line": 4}
    ]
    rows = [
        {
            "pid": 7,
            "thread_id": 1,
            "thread_name": "MainThread",
            "active": True,
            "owns_gil": True,
            "frames": frames,
        }
    ]
    (dump,) = parse(json.dumps(rows).encode())
    assert dump.main is not None
    assert (dump.main.frames[0].file, dump.main.owns_gil) == ("/run/train.py", True)


@pytest.mark.parametrize(
    "data", [b'{"schema": "medic.attach/1", "ranks": [', b"[" * 100_000, b'[{"pid": "x", "thread_id": 1, "frames": [1, {}]}]',
             b'{"schema": "medic.attach/1", "ranks": [1, {"samples": [{"threads": [{}]}], "helpers": [3], "problem": {}}], "gpus": [[]]}']
)  # fmt: skip
def test_broken_documents_are_told_or_empty(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "stacks.json"
    path.write_bytes(data)
    evidence = observed(path)
    assert not [r.error for r in evidence.runs.values() if r.error]
    assert not [o for o in evidence.observed if o.probe == "stack-places"]


def test_hostile_names_stay_on_their_line(tmp_path: Path) -> None:
    rows = [
        {
            "pid": 7,
            "thread_id": 1,
            "thread_name": "\x1b[31m",
            "frames": [{"name": "a\x1b[2J\nb", "filename": "x\r.py", "line": 1}],
        }
    ]
    (dump,) = parse(json.dumps(rows).encode())
    assert "\x1b" not in repr(dump).replace("\\x1b", "!")
    assert dump.threads[0].frames[0].function.count("\n") == 0
