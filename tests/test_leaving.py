"""How the process of a command ends."""

from __future__ import annotations

import subprocess
import sys

SOURCE = (
    "import atexit, sys; from medic.commands import program; sys.argv = ['medic', *{words}]; "
    "code = program(); atexit.register(print, 'at the end'); sys.exit(code)"
)


def _run(source: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=False, timeout=120
    )


def _ended(*words: str) -> subprocess.CompletedProcess[str]:
    return _run(SOURCE.format(words=list(words)))


def test_its_code_and_its_output_are_told_and_what_waits_for_the_end_is_done() -> None:
    done = _ended("explain", "CUDA out of memory")
    assert done.returncode == 0
    assert "cuda-out-of-memory" in done.stdout
    assert done.stdout.endswith("at the end\n")
    assert _ended("explain", "xyzzyq").returncode == 1
    assert _ended("lint", "no-such-file.yaml").returncode == 2


def test_a_process_that_only_calls_it_ends_as_it_will() -> None:
    source = "from medic import commands as c; c.main = lambda: 1; c.program(); raise SystemExit(7)"
    assert _run(source).returncode == 7
