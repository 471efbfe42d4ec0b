"""Runs the launch script of a fault, with what the machine is short of."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.lab.fault import Fault
from tests.lab.folder import prepare, write_launch


def leave(place: Path, fault: Fault, python: str) -> Path:
    """Lets the fault happen; gives the folder that it leaves."""
    run = prepare(place, fault)
    out = run / "out"
    mounted = bool(fault.small_disk) and _mount(out, fault.small_disk)
    try:
        for stage in fault.stages:
            with socket.socket() as held:
                held.bind(("127.0.0.1", 0))
                port = held.getsockname()[1]
                if fault.port == "taken":
                    held.listen()
                else:
                    held.close()
                write_launch(run, fault, stage, port)
                _launch(run, fault, python)
            if stage.then == "truncate":
                _truncate(out)
    finally:
        if mounted:
            _unmount(run, out)
    return run


def _launch(run: Path, fault: Fault, python: str) -> None:
    env = {**os.environ, "PATH": f"{Path(python).parent}:{os.environ['PATH']}", **fault.env}
    env |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "default::UserWarning"}
    with (run / "train.log").open("ab") as log:
        process = subprocess.Popen(
            ["bash", "launch.sh"],
            cwd=run,
            env=env,
            stdout=log,
            stderr=log,
            start_new_session=True,
            preexec_fn=_limits(fault),  # noqa: PLW1509 - there is one thread
        )
        try:
            process.wait(fault.seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(30)


def _limits(fault: Fault) -> Callable[[], None]:
    def apply() -> None:
        for name, value in fault.limits.items():
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))

    return apply


def _truncate(out: Path) -> None:
    """As a copy that was broken off leaves it."""
    for file in out.glob("checkpoint-*/state.pt"):
        os.truncate(file, file.stat().st_size * 2 // 3)


def _mount(out: Path, size: str) -> bool:
    out.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(out)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        raise SystemExit("a small file system needs the rights to mount one")
    return True


def _unmount(run: Path, out: Path) -> None:
    """What it held stays, as it was."""
    shutil.copytree(out, run / "kept")
    subprocess.run(["umount", str(out)], check=True)
    out.rmdir()
    (run / "kept").rename(out)
