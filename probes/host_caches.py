"""Folders that a run fills beside its output: caches of libraries, and what DeepSpeed keeps on NVMe."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

from medic.errors import Unreadable
from medic.facts import Place, Source
from medic.probe import Look, source_of
from medic.run_config import RunConfig, Setting
from medic.text.patterns import regex

from .host_parts import place_of

# huggingface_hub and datasets documentation, environment variables; PyTorch: torch.hub, cpp_extension,
# inductor; Triton: runtime/cache.py; wandb and ModelScope documentation.
_CACHES = (
    "HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "TRANSFORMERS_CACHE", "HF_DATASETS_CACHE",
    "TORCH_HOME", "TORCH_EXTENSIONS_DIR", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR",
    "MODELSCOPE_CACHE", "WANDB_DIR", "WANDB_CACHE_DIR", "TMPDIR",
)  # fmt: skip
_PATH = regex(r"^(?:/|~/|\./|\.\./)[^$`<*]*$")
NVME = "nvme_path"
MAX_LINES = 20_000
_SETS = regex(r"(?:^|[\s;&])(?:export\s+)?([A-Z][A-Z0-9_]{2,})=")


def beside_output(look: Look, config: RunConfig) -> Iterator[Place]:
    """Each path once, with the variable or the key that names it."""
    seen: set[str] = set()
    for key, path, source in (*_caches(look), *_offloaded(config)):
        if path not in seen and _PATH.match(path):
            seen.add(path)
            yield place_of(key, path, source)


def _caches(look: Look) -> Iterator[tuple[str, str, Source]]:
    """(variable, path, place): what a script sets, else what this shell has."""
    told: set[str] = set()
    for file in look.files("script"):
        with suppress(Unreadable):
            variables = look.parse(file.path).variables
            named = [n for n in _CACHES if n in variables and n not in told]
            places = _places(look, file.path) if named else {}
            for name in named:
                told.add(name)
                yield name, variables[name] or "", places.get(name, Source(file=file.path))
    for name in _CACHES:
        if name not in told and os.environ.get(name):
            yield name, os.environ[name], Source()


def _places(look: Look, path: str) -> dict[str, Source]:
    """The last line of a script that sets each variable."""
    found: dict[str, Source] = {}
    for number, line in look.lines(path):
        if number > MAX_LINES:
            break
        if not line.lstrip().startswith("#"):
            for name in _SETS.findall(line):
                found[name] = Source(file=path, line=number, text=line.strip())
    return found


def _offloaded(config: RunConfig) -> Iterator[tuple[str, str, Source]]:
    """``nvme_path`` of what is offloaded to NVMe (DeepSpeed documentation: offloading options)."""
    devices = {one.path[:-1]: one.value for one in config.settings if one.path[-1:] == ("device",)}
    for one in config.settings:
        if one.path[-1:] == (NVME,) and devices.get(one.path[:-1]) == "nvme":
            yield _name(one), str(one.value or ""), source_of(one.origin)


def _name(setting: Setting) -> str:
    return ".".join(setting.path[-2:])
