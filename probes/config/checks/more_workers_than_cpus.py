"""More loader workers than the task has CPUs."""

from __future__ import annotations

from medic.facts import Repair
from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import Change, RunConfig

from .models import key_number
from .numbers import unstated

NAME = "more-workers-than-cpus"
NEEDS = ("num_workers",)
_WHY = Text(
    "CPUs per task: {cpus}, ranks in it: {ranks}; so many workers have a CPU each, watch the loading time",
    "每个任务 {cpus} 个 CPU、{ranks} 个 rank：这样每个 worker 各占一个 CPU；请留意数据加载耗时",
)


def check(config: RunConfig) -> LintResult:
    """torch warns of it itself (DataLoader, _check_worker_number_rationality)."""
    missing = unstated(config, "num_workers")
    cpus, workers = key_number(config, "cpus_per_task"), config.integer("num_workers")
    if missing or workers is None or not cpus:
        return NotChecked(missing or ("cpus-per-task",))
    if workers <= cpus:
        return Passes()
    values = {"workers": workers, "cpus": int(cpus)}
    return Fires("num_workers", values, repair=_repair(config, workers, int(cpus)))


def _repair(config: RunConfig, workers: int, cpus: int) -> Repair:
    """As many workers as each rank of the task has CPUs; no change where the ranks are not known."""
    ranks = _ranks(config)
    fair = cpus // ranks if ranks else 0
    why = _WHY.fill(cpus=cpus, ranks=ranks)
    change = Change("num_workers", workers, fair, why)
    return Repair((), safe=False, why=why, changes=(change,) if fair else ())


def _ranks(config: RunConfig) -> int:
    """The ranks that one task of the job starts; 0 where it is not known."""
    gpus, tasks = config.integer("gpus_per_node"), int(key_number(config, "ntasks_per_node") or 1)
    return gpus // tasks if gpus and tasks > 0 and gpus % tasks == 0 else 0
