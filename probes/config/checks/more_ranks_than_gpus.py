"""Processes of a machine against the GPUs that accelerate is told to use."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig
from medic.text.patterns import regex

from .models import key_number

NAME = "more-ranks-than-gpus"
NEEDS = ("world_size",)
_IDS, _PROCESSES, _MACHINES = "gpu_ids", "num_processes", "num_machines"
# One id with MULTI_GPU is a rule of accelerate.
_LIST = regex(r"\d+(?:\s*,\s*\d+)+")
_MORE = Text(
    "{ranks} processes on each machine (num_processes {total}), but gpu_ids is {ids}",
    "每台机器 {ranks} 个进程（num_processes 为 {total}），而 gpu_ids 只写了 {ids}",
)


def check(config: RunConfig) -> LintResult:
    """accelerate utils/launch.py: gpu_ids becomes CUDA_VISIBLE_DEVICES, and a machine starts
    num_processes // num_machines ranks, one for each GPU that it sees."""
    ids, total = config.setting(_IDS), key_number(config, _PROCESSES)
    listed = "" if ids is None else str(ids.value).strip()
    if not total or _LIST.fullmatch(listed) is None:
        return NotChecked((_IDS, _PROCESSES))
    ranks = int(total) // int(key_number(config, _MACHINES) or 1)
    if ranks <= len(listed.split(",")):
        return Passes()
    return Fires(_PROCESSES, {"what": _MORE.fill(total=int(total), ranks=ranks, ids=listed)})
