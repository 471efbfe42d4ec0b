"""Processes of our own, found and looked at; py-spy is a script that says what a test needs."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from medic.probes.process import find, gather, in_process, spy
from medic.probes.process.document import stacks_of
from medic.probes.process.state import state_of

from medic import attach
from medic.commands import main

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
SLEEP = "import time; time.sleep(120)"
FRAMES = '[{"name": "train", "filename": "/data/train.py", "line": 3}]'
Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start() -> Iterator[Start]:
    made: list[subprocess.Popen[bytes]] = []

    def run(code: str = SLEEP, **variables: str) -> subprocess.Popen[bytes]:
        environment = {**os.environ, **variables}
        made.append(subprocess.Popen([sys.executable, "-c", code], env=environment))
        return made[-1]

    yield run
    for process in made:
        process.kill()
        process.wait()


@pytest.fixture
def py_spy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """``py_spy(script)``: the only program on PATH is a py-spy that runs this shell text."""

    def write(script: str) -> None:
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        (folder / "py-spy").write_text(f"#!/bin/sh\n{script}\n", "utf-8")
        (folder / "py-spy").chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")

    return write


def job(start: Start, ranks: int = 2, **more: str) -> list[int]:
    port = str(20_000 + os.getpid() % 10_000)
    common = {"WORLD_SIZE": str(ranks), "LOCAL_WORLD_SIZE": str(ranks), "MASTER_PORT": port, **more}
    made = [start(RANK=str(r), LOCAL_RANK=str(r), **common) for r in range(ranks)]
    for process in made:
        wait_for(lambda p=process: "RANK" in find.processes().get(p.pid, NONE).variables)  # type: ignore[misc]
    return [process.pid for process in made]


NONE = find.Process(0, 0, "", python=False)


def wait_for(condition: Callable[[], bool]) -> None:
    done = threading.Event()
    for _ in range(200):
        if condition():
            return
        done.wait(0.02)
    raise AssertionError("did not come")


def test_the_other_ranks_of_a_job_are_found(start: Start) -> None:
    pids = job(start)
    other = job(start, MASTER_ADDR="10.9.9.9")
    found = find.ranks_of([pids[1]], find.processes())
    assert [(p.pid, p.rank, p.world) for p in found] == [(pids[0], 0, 2), (pids[1], 1, 2)]
    assert not set(other) & {p.pid for p in found}


def test_a_worker_of_a_rank_is_no_rank(start: Start) -> None:
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {SLEEP!r}])"
    parent = start(code, RANK="0", WORLD_SIZE="1", MASTER_PORT="1")
    wait_for(lambda: bool(find.children_of(parent.pid, find.processes())))
    every = find.processes()
    (child,) = find.children_of(parent.pid, every)
    assert [p.pid for p in find.ranks_of([child.pid], every)] == [parent.pid]
    subprocess.run(["kill", str(child.pid)], check=True)


def test_a_loader_worker_that_lost_its_parent_is_no_job(start: Start) -> None:
    orphan = start(
        "open('/proc/self/comm', 'w').write('pt_data_worker'); " + SLEEP,
        RANK="0",
        WORLD_SIZE="1",
        MASTER_PORT="2",
    )
    wait_for(
        lambda: (p := find.processes().get(orphan.pid)) is not None and p.name == "pt_data_worker"
    )
    assert orphan.pid not in [p.pid for p in find.heads(find.processes())]


def test_a_process_without_a_rank_stands_for_itself(start: Start) -> None:
    alone = start()
    wait_for(lambda: alone.pid in find.processes())
    assert [p.pid for p in find.ranks_of([alone.pid], find.processes())] == [alone.pid]


def test_the_environment_is_not_kept(start: Start) -> None:
    (pid, _) = job(start, SECRET_TOKEN="hf_abcdefghijklmnop")
    assert "hf_abcdefghijklmnop" not in repr(find.processes()[pid])


def test_the_state_of_a_process(start: Start) -> None:
    process = start()
    state = state_of(process.pid)
    assert state is not None
    assert state.threads >= 1
    process.kill()
    wait_for(lambda: (s := state_of(process.pid)) is not None and s.letter == "Z")
    process.wait()
    assert state_of(process.pid) is None


# --- py-spy -----------------------------------------------------------------------------------


def test_py_spy_missing_is_one_line(
    start: Start,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    pids = job(start)
    monkeypatch.setattr(spy, "find_py_spy", lambda: None)
    code = main(
        [
            "attach",
            str(pids[0]),
            "--yes",
            "--seconds",
            "0",
            "--samples",
            "1",
            "-o",
            str(tmp_path / "l.json"),
        ]
    )
    said = capsys.readouterr()
    assert code == 2
    assert "pip install py-spy" in said.err
    assert "fault" not in said.out  # nothing was seen, so nothing is said of its health


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ('echo "Error: Permission denied (os error 13)" >&2; exit 1', "SYS_PTRACE"),
        ('echo "Error: something odd" >&2; exit 1', "something odd"),
        ("echo nonsense", "no JSON"),
        ("sleep 30", "state D"),
    ],
)
def test_what_py_spy_cannot_do_is_told(
    py_spy: Callable[[str], None], script: str, words: str
) -> None:
    py_spy(script)
    program = spy.find_py_spy()
    assert program is not None
    found = spy.dump(program, os.getpid(), timeout=1.0)
    assert found.problem is not None
    assert words in found.problem.en


def test_a_process_that_ended_is_told_as_such(py_spy: Callable[[str], None]) -> None:
    py_spy("exit 1")
    program = spy.find_py_spy()
    assert program is not None
    assert spy.dump(program, 2**22 + 1).problem == spy.GONE


# --- the command ------------------------------------------------------------------------------


def test_attach_ends_like_diagnose(
    start: Start, py_spy: Callable[[str], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pids = job(start)
    collective = '[{"name": "barrier", "filename": "torch/distributed/distributed_c10d.py", "line": 1}, {"name": "train", "filename": "/data/train.py", "line": 9}]'
    saving = '[{"name": "_save", "filename": "torch/serialization.py", "line": 1}, {"name": "save_checkpoint", "filename": "/data/train.py", "line": 3}]'
    row = '[{{"pid": {pid}, "thread_id": 1, "thread_name": "MainThread", "frames": {frames}}}]'
    first, second = (
        row.format(pid=p, frames=f) for p, f in zip(pids, (saving, collective), strict=True)
    )
    py_spy(f"case \"$*\" in *{pids[0]}*) echo '{first}';; *) echo '{second}';; esac")
    look = tmp_path / "look.json"
    code = main(
        [
            "attach",
            str(pids[0]),
            "--yes",
            "--seconds",
            "0.1",
            "--samples",
            "2",
            "-o",
            str(look),
            "--lang",
            "en",
        ]
    )
    said = capsys.readouterr()
    assert code == 1
    assert "slow-rank-past-timeout" in said.out
    assert "rank 0" in said.out
    assert "Nothing is run in the processes" in said.err
    assert look.stat().st_mode & 0o777 == 0o600
    assert main(["diagnose", str(look), "--json"]) == 1
    again = json.loads(capsys.readouterr().out)
    assert again["causes"][0]["name"] == "slow-rank-past-timeout"


def test_logs_and_dumps_of_a_rank_are_found(tmp_path: Path) -> None:
    dumps = tmp_path / "nccl_trace_rank_"
    environment = {
        **os.environ,
        "RANK": "0",
        "WORLD_SIZE": "1",
        "MASTER_PORT": "3",
        "TORCH_FR_DUMP_TEMP_FILE": str(dumps),
    }
    (tmp_path / "nccl_trace_rank_0").write_bytes(b"old")
    os.utime(tmp_path / "nccl_trace_rank_0", (1, 1))
    with (tmp_path / "rank0.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", SLEEP], env=environment, stdout=log, stderr=log
        )
    try:
        wait_for(lambda: (p := find.processes().get(process.pid)) is not None and p.rank == 0)
        (rank,) = find.ranks_of([process.pid], find.processes())
        document = gather.gather([rank], samples=1, seconds=0)
        assert document["ranks"][0]["files"] == [str(tmp_path / "rank0.log")]
        (tmp_path / "nccl_trace_rank_0").write_bytes(b"new")
        document = gather.gather([rank], samples=1, seconds=0)
        assert document["ranks"][0]["files"][1:] == [str(tmp_path / "nccl_trace_rank_0")]
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["4194305"], "no process 4194305"),
        ([], "give a process id"),
        (["no-such-thing"], "no such process id or path"),
    ],
)
def test_wrong_use_is_told(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attach", *words, "--yes", "--lang", "en"]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("name", ["there.json", "folder/look.json"])
def test_a_file_that_cannot_be_kept_is_refused_before_the_look(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "there.json").write_text("kept")
    monkeypatch.setattr(attach, "plan_of", lambda _: pytest.fail("looked"))
    words = ["attach", str(os.getpid()), "--yes", "--lang", "en", "-o", str(tmp_path / name)]
    assert main(words) == 2
    assert str(tmp_path) in capsys.readouterr().err
    assert (tmp_path / "there.json").read_text() == "kept"


def test_ranks_beyond_the_most_are_named_as_left_out(
    start: Start, monkeypatch: pytest.MonkeyPatch, py_spy: Callable[[str], None]
) -> None:
    py_spy("exit 1")
    pids = job(start)
    monkeypatch.setattr(attach, "MAX_RANKS", 1)
    plan = attach.plan_of(pids[:1])
    assert (len(plan.processes), plan.left_out) == (1, 1)
    said = "1 more rank(s) here are not looked at: at most 1 are"
    consent = attach.consent_text(plan, 1, 0.0)
    assert said in consent.en
    assert "另有 1 个 rank 未查看" in consent.zh
    look = attach.take(plan, samples=1, seconds=0.0)
    assert said in [words[0] for words in look["not_done"]]
    assert not stacks_of(look, "x.json").missing


def test_without_a_yes_nothing_is_looked_at(
    start: Start, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pids = job(start)
    monkeypatch.setattr(spy, "dump", lambda *_: pytest.fail("looked without consent"))
    assert main(["attach", str(pids[0]), "--lang", "en"]) == 2
    assert "--yes" in capsys.readouterr().err


# --- probing ----------------------------------------------------------------------------------


def serve(pid: int, answers: dict[str, Any], asked: list[str]) -> threading.Thread:
    """Answers like probing on the abstract socket of a process id."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(f"\0probing-{pid}")
    server.listen()

    def run() -> None:
        for _ in range(2):
            client, _ = server.accept()
            data = client.recv(65_536).decode()
            body = json.loads(data.partition("\r\n\r\n")[2])
            asked.append(data.split("\r\n")[0] + " " + body["payload"]["expr"])
            key = next((k for k in answers if k in body["payload"]["expr"]), "")
            text = json.dumps({"payload": answers.get(key, {"Error": {"message": "no table"}})})
            client.sendall(f"HTTP/1.1 200 OK\r\n\r\n{text}".encode())
            client.close()
        server.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def test_probing_is_only_asked_for_rows() -> None:
    pid, asked = 2**22 + 7, list[str]()
    frame = {
        "names": ["func", "file", "lineno"],
        "cols": [{"SeqText": ["step"]}, {"SeqText": ["t.py"]}, {"SeqI64": [4]}],
    }
    thread = serve(pid, {"backtrace": {"DataFrame": frame}}, asked)
    assert in_process.listens(pid)
    answer = in_process.ask(pid)
    thread.join(5)
    assert answer.tables == {"backtrace": [{"func": "step", "file": "t.py", "lineno": "4"}]}
    assert asked
    assert all(line.startswith("POST /query HTTP/1.1 SELECT ") for line in asked)


def test_probing_that_is_not_there_is_no_error() -> None:
    assert not in_process.listens(2**22 + 8)
    assert in_process.ask(2**22 + 8).problem is not None
