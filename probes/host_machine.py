"""What a launch needs of this machine beside GPUs: interfaces, shared memory, limits, compiler,
headers, packages, and the environment."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from medic.errors import Unreadable
from medic.facts import Launches, Machine, Source, Variable
from medic.i18n import Text
from medic.probe import Look, Probe
from medic.text.patterns import regex

from .host_python import find_python

SHM = "/dev/shm"  # noqa: S108 - the shared memory of PyTorch and NCCL
INFINIBAND = "/sys/class/infiniband"
CAP_IPC_LOCK = 14  # capability that lifts the limit on locked memory (capabilities(7))
COMPILERS = ("CC", "gcc", "clang", "cc")
MAX_SCRIPT_LINES = 20_000
# What training reads, as far as medic knows terms for it; never a secret.
_NAME = regex(
    r"(?:ACCELERATE|ASCEND|BNB|CUBLAS|CUDA|DEEPSPEED|DS|FI|FORCE|GLOO|GROUP|HCCL|HF|HIP|LOCAL|MASTER"
    r"|MAX_JOBS|NCCL|NPROC|NVIDIA|NVTE|OMP|PET|PYTORCH|RANK|RAY|TOKENIZERS|TORCH|TORCHDYNAMO"
    r"|TORCHINDUCTOR|TP|TRANSFORMERS|TRITON|UCX|USE_LIBUV|VLLM|WANDB|WORLD)(?:_[A-Z0-9_]*)?"
)
_SECRET = regex(r"TOKEN$|KEY|SECRET|PASS|CREDENTIAL")


def run(look: Look) -> Iterator[Machine]:
    shm = _usage(SHM)
    python = find_python(os.environ)
    yield Machine(
        interfaces=_interfaces(),
        shm_total=shm[0] if shm else None,
        shm_free=shm[1] if shm else None,
        limits=_limits(),
        may_lock=_may_lock(),
        infiniband=_names_in(INFINIBAND),
        compiler=_compiler(os.environ),
        headers=python.headers,
        python=python.version,
        packages=python.packages,
        torch_cuda=python.torch_cuda,
        triton_pin=python.triton_pin,
        variables=tuple(_variables(look, os.environ)),
    )


def _usage(path: str) -> tuple[int, int] | None:
    with suppress(OSError):
        use = shutil.disk_usage(path)
        return use.total, use.free
    return None


def _interfaces() -> dict[str, bool]:
    import psutil

    with suppress(OSError, psutil.Error):
        return {name: bool(told.isup) for name, told in psutil.net_if_stats().items()}
    return {}


def _limits() -> dict[str, int | None]:
    """Soft limits by the letters of ``ulimit``; None is unlimited."""
    try:
        import resource
    except ImportError:  # no POSIX
        return {}
    names = {"n": "RLIMIT_NOFILE", "u": "RLIMIT_NPROC", "l": "RLIMIT_MEMLOCK"}
    found: dict[str, int | None] = {}
    for letter, name in names.items():
        number = getattr(resource, name, None)
        if number is not None:
            soft = resource.getrlimit(number)[0]
            found[letter] = None if soft == resource.RLIM_INFINITY else soft
    return found


def _may_lock() -> bool:
    with suppress(OSError, ValueError):
        for line in Path("/proc/self/status").read_text("utf-8").splitlines():
            if line.startswith("CapEff:"):
                return bool(int(line.split()[1], 16) >> CAP_IPC_LOCK & 1)
    return False


def _names_in(folder: str) -> tuple[str, ...]:
    with suppress(OSError):
        return tuple(sorted(os.listdir(folder)))  # noqa: PTH208 - names, not paths
    return ()


def _compiler(environment: Mapping[str, str]) -> str:
    """The C compiler that Triton takes: CC, else gcc, clang or cc (triton/runtime/build.py)."""
    words = [environment.get("CC", ""), *COMPILERS[1:]]
    return next((path for word in words if word and (path := shutil.which(word))), "")


def _variables(look: Look, environment: Mapping[str, str]) -> Iterator[Variable]:
    """Variables of the launch first, then those of this shell that the launch does not set."""
    places = _assignments(look)
    told: set[str] = set()
    launches = look.fact(Launches).launches if look.has(Launches) else ()
    for launch in launches:
        for name, value in launch.environment.items():
            if name not in told and is_wanted(name):
                told.add(name)
                yield Variable(name, value, places.get(name, Source(file=launch.span.file)))
    for name, value in sorted(environment.items()):
        if name not in told and is_wanted(name):
            yield Variable(name, value)


def is_wanted(name: str) -> bool:
    return bool(_NAME.fullmatch(name)) and not _SECRET.search(name)


def _assignments(look: Look) -> dict[str, Source]:
    """The last line of the launch's scripts that assigns each variable."""
    found: dict[str, Source] = {}
    assigned = re.compile(r"(?:^|[\s;&])([A-Z][A-Z0-9_]{2,})=")
    for file in look.files("script"):
        with suppress(Unreadable):
            for number, line in look.lines(file.path):
                if number > MAX_SCRIPT_LINES:
                    break
                if not line.lstrip().startswith("#"):
                    for match in assigned.finditer(line):
                        found[match[1]] = Source(file=file.path, line=number, text=line.strip())
    return found


PROBE = Probe(
    name="machine",
    title=Text("limits of this machine", "本机限制"),
    tells=(),
    run=run,
    wants=(Launches,),
    gives=(Machine,),
    reads="this-host",
    seconds=0.1,
    limit_seconds=10,
)
