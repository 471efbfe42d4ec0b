"""This machine as texts: what its own programs print, each with a time limit, and no secrets."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from medic.text.patterns import regex

TIMEOUT = 10.0  # seconds: nvidia-smi hangs with a broken driver
MAX_OUTPUT = 2 * 1024 * 1024
COMMANDS = (
    ("nvidia-smi.txt", ("nvidia-smi",)),
    ("nvidia-smi.xml", ("nvidia-smi", "-q", "-x")),
    ("nvidia-smi-topo.txt", ("nvidia-smi", "topo", "-m")),
    ("ip-addr.txt", ("ip", "addr")),
    ("df.txt", ("df", "-h")),
    ("df-inodes.txt", ("df", "-i")),
    ("dmesg.txt", ("dmesg", "-T")),
)
# Of the kernel's log what bears on training, of the day before the run's last line: other
# programs' faults are no evidence.
_KERNEL = regex(
    r"NVRM|Xid|NVLink|nvlink|oom[-_]kill|Out of memory|Killed process|mlx5|ib_|hung_task|"
    r"blocked for more than|I/O error|nfs|lustre|EXT4-fs error|XFS|MCE|EDAC",
)
_STAMP = regex(r"^\[(\w{3} \w{3} +\d+ \d{2}:\d{2}:\d{2} \d{4})\]")
DAY = 86_400.0


def texts(last: float) -> Iterator[tuple[str, str]]:
    """(file name, text) of what this machine tells; what it does not have is left out.

    ``last``: when the run wrote last, seconds since 1970.
    """
    for name, command in COMMANDS:
        text = _output(command)
        if name == "dmesg.txt":
            text = "".join(kernel_lines(text, last))
        if text.strip():
            yield name, text
    yield "environment.txt", "".join(_environment())
    with suppress(OSError):
        yield "meminfo.txt", Path("/proc/meminfo").read_text("utf-8", "replace")[:MAX_OUTPUT]


def kernel_lines(text: str, last: float) -> Iterator[str]:
    """Lines of ``dmesg -T`` that bear on a run which wrote last at ``last``."""
    for line in text.splitlines():
        found = _STAMP.match(line)
        if found and _KERNEL.search(line):
            with suppress(ValueError, OverflowError):
                at = time.mktime(time.strptime(found[1], "%a %b %d %H:%M:%S %Y"))
                if last - DAY <= at <= last + DAY:
                    yield line + "\n"


def _output(command: tuple[str, ...]) -> str:
    """What a program prints; empty where it is missing, fails or outlasts its time."""
    program = shutil.which(command[0])
    if program is None:
        return ""
    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(
            [str(Path(program).absolute()), *command[1:]],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
        if done.returncode == 0:
            return done.stdout[:MAX_OUTPUT].decode("utf-8", "replace")
    return ""


def _limits() -> Iterator[str]:
    """As ``ulimit -a`` tells them: name, soft and hard limit."""
    try:
        import resource
    except ImportError:
        return
    for name in ("NOFILE", "NPROC", "MEMLOCK", "AS", "CORE", "STACK"):
        number = getattr(resource, f"RLIMIT_{name}", None)
        if number is not None:
            soft, hard = (
                "unlimited" if n == resource.RLIM_INFINITY else n
                for n in resource.getrlimit(number)
            )
            yield f"ulimit {name}: {soft} (hard: {hard})\n"


def _environment() -> Iterator[str]:
    """In the form of torch.utils.collect_env, which is read as such: system, limits, the variables
    that training reads (never one that names a secret), and packages."""
    yield "Collecting environment information...\n"
    yield f"OS: {platform.system()} {platform.release()} ({platform.machine()})\n"
    yield f"Python version: {sys.version.split()[0]}\n"
    yield f"CPU(s): {os.cpu_count()}\n"
    for file in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"):
        with suppress(OSError):
            yield f"{Path(file).name}: {Path(file).read_text('utf-8', 'replace').strip()}\n"
    yield from _limits()
    is_wanted = import_module("medic.probes.host_machine").is_wanted
    for name, value in sorted(os.environ.items()):
        if is_wanted(name):
            yield f"{name}={value}\n"
    yield from _packages()


def _packages() -> Iterator[str]:
    """Name and version of what the python on PATH has installed."""
    python = import_module("medic.probes.host_python")
    sites = python.site_packages(os.environ) or [
        Path(p) for p in sys.path if p.endswith("-packages")
    ]
    for name, version, _ in sorted(python.dist_infos(sites)):
        yield f"[pip3] {name}=={version}\n"
