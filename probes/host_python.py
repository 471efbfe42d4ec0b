"""The Python that ``python`` starts: its version, headers and packages, read without starting it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from medic.records import dataclass, field
from medic.text.patterns import regex
from medic.versions import index_name

_NAMES = """
accelerate apex bitsandbytes datasets deepspeed flash-attn flash-attn-3 fsspec megatron-core
nvidia-nccl-cu11 nvidia-nccl-cu12 nvidia-nccl-cu13 numpy peft pyarrow torch transformer-engine
transformers triton trl vllm xformers
"""
WANTED = frozenset(_NAMES.split())
MAX_BYTES = 1 << 20
_CUDA = regex(r"^cuda\b[^=\n]*=\s*['\"](\d+\.\d+)", re.MULTILINE)
_TRITON = regex(r"^Requires-Dist:\s*triton\s*\(?==\s*([\d.]+)", re.MULTILINE)
_HOME = regex(r"^home\s*=\s*(.+?)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Python:
    """``torch_cuda``: the CUDA version that torch was built for; ``triton_pin``: what it asks for."""

    version: str = ""
    headers: str | None = ""
    packages: Mapping[str, str] = field(default_factory=dict)
    torch_cuda: str = ""
    triton_pin: str = ""


def find_python(environment: Mapping[str, str]) -> Python:
    """Of the interpreter on PATH; of the one that runs medic if there is none."""
    site = site_packages(environment)
    if not site and _on_path(environment) is None:
        site = [Path(p) for p in sys.path if p.endswith("-packages")]
    infos = [info for info in dist_infos(site) if info[0] in WANTED]
    packages = {name: version for name, version, _ in infos}
    torch = next((folder for name, _, folder in infos if name == "torch"), None)
    version = _version(environment, site)
    return Python(
        version=version,
        headers=_headers(environment, version),
        packages=dict(sorted(packages.items())),
        torch_cuda=_torch_cuda(torch, packages.get("torch", "")),
        triton_pin=_first(_TRITON, torch / "METADATA") if torch else "",
    )


def _on_path(environment: Mapping[str, str]) -> Path | None:
    folders = environment.get("PATH", os.defpath).split(os.pathsep)
    for name in ("python", "python3"):
        for file in (os.path.join(folder, name) for folder in folders if folder):  # noqa: PTH118
            if os.access(file, os.X_OK) and not os.path.isdir(file):  # noqa: PTH112 - much faster
                return Path(file).absolute()
    return None


def _prefix(environment: Mapping[str, str]) -> Path | None:
    """The folder above ``bin`` of the python on PATH: a virtual environment keeps its own."""
    file = _on_path(environment)
    if file is None:
        return None
    root = file.parent.parent
    return _chosen(environment, root) if file.parent.name == "shims" else root


def _chosen(environment: Mapping[str, str], root: Path) -> Path | None:
    """The version that a shim of pyenv starts: PYENV_VERSION, ``.python-version`` here or above,
    the global ``version`` (pyenv, "Understanding Python version selection"). None if not here."""
    here = Path.cwd()
    local = [folder / ".python-version" for folder in (here, *here.parents)]
    told = environment.get("PYENV_VERSION", "").replace(":", "\n")
    texts = [told, *(_text(file) for file in (*local, root / "version"))]
    names = next((words for text in texts if (words := text.split())), [])
    known = [root / "versions" / name for name in names if name != "system"]
    return next((folder for folder in known if (folder / "bin").is_dir()), None)


def _text(file: Path) -> str:
    with suppress(OSError), file.open(encoding="utf-8", errors="replace") as handle:
        return handle.read(MAX_BYTES)
    return ""


def site_packages(environment: Mapping[str, str]) -> list[Path]:
    """Where the packages of the python on PATH lie."""
    prefix = _prefix(environment)
    if prefix is None:
        return []
    try:
        return list(_sites(prefix, os.stat(prefix / "lib").st_mtime_ns))  # noqa: PTH116 - faster
    except OSError:
        return []


@lru_cache(maxsize=8)
def _sites(prefix: Path, _changed: int) -> Sequence[Path]:
    """A lint of many files asks for them for each."""
    found = sorted(prefix.glob("lib/python3.*/site-packages"))
    return found or sorted(prefix.glob("lib/python3*/dist-packages"))


def _version(environment: Mapping[str, str], site: Sequence[Path]) -> str:
    file = _on_path(environment)
    real = str(file.resolve()) if file is not None else ""
    for text in (*map(str, site), real):
        if found := re.search(r"python(3\.\d+)", text):
            return found[1]
    return f"{sys.version_info[0]}.{sys.version_info[1]}"


def dist_infos(sites: Sequence[Path]) -> Iterator[tuple[str, str, Path]]:
    """(name, version, dist-info folder) of the installed packages."""
    for folder in sites:
        with suppress(OSError):
            for entry in os.scandir(folder):
                name, _, version = entry.name.removesuffix(".dist-info").rpartition("-")
                if name and entry.name.endswith(".dist-info"):
                    yield index_name(name), version, Path(entry.path)


def _torch_cuda(info: Path | None, version: str) -> str:
    """As torch/version.py says; else by the local version (+cu124). Empty for a CPU build."""
    if info is None:
        return ""
    told = _first(_CUDA, info.parent / "torch" / "version.py")
    local = re.search(r"\+cu(\d+)(\d)$", version)
    return told or (f"{local[1]}.{local[2]}" if local else "")


def _first(pattern: re.Pattern[str], file: Path) -> str:
    found = pattern.search(_text(file))
    return found[1] if found else ""


def _headers(environment: Mapping[str, str], version: str) -> str | None:
    """The folder of Python.h of that interpreter; empty if there is none, None if it is not known
    which interpreter it is (a shim of another kind)."""
    file, prefix = _on_path(environment), _prefix(environment)
    if file is None:
        import sysconfig

        folders = [Path(sysconfig.get_path("include"))]
    elif prefix is None:
        return None
    else:
        base = _first(_HOME, prefix / "pyvenv.cfg")
        real = (prefix / "bin" / file.name).resolve().parent.parent
        roots = [Path(base).parent, real] if base else [prefix, real]
        folders = [
            root / "include" / f"python{version}{end}" for root in roots for end in ("", "t")
        ]
    return next((str(f) for f in folders if (f / "Python.h").is_file()), "")
