"""Options of launchers that take a whole number, and are given something else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from medic.facts import Launch, Word
from medic.i18n import Text
from medic.text.patterns import regex

from .arguments import VALUE, Fault
from .launcher_flags import own_words
from .launchers import LAUNCHER_OPTIONS, LAUNCHERS

_COUNT = regex(r"-?\d+")
# torch/distributed/run.py: --nnodes MIN:MAX, --nproc-per-node gpu | cpu | auto | …
_RANGE, _COUNT_OR_KIND = regex(r"\d+(?::\d+)?"), regex(r"\d+|[a-z]+")
_FORMS = {"nnodes": _RANGE, "nproc-per-node": _COUNT_OR_KIND}
# torch/distributed/run.py, deepspeed/launcher/runner.py, accelerate/commands/launch.py: type=int.
_COUNTS: Mapping[str, frozenset[str]] = {
    "torchrun": frozenset("nnodes nproc-per-node node-rank master-port max-restarts".split()),  # noqa: SIM905
    "tune": frozenset("nnodes nproc-per-node node-rank master-port max-restarts".split()),  # noqa: SIM905
    "deepspeed": frozenset("num-nodes num-gpus master-port node-rank".split()),  # noqa: SIM905
    "accelerate": frozenset(
        "num-processes num-machines machine-rank main-process-port zero-stage".split()  # noqa: SIM905
    ),
}
_EMPTY = Text("{flag} needs a value, and none follows", "{flag} 需要取值，后面却没有")
_NO_COUNT = Text(
    "{flag} of {launcher} takes a whole number, not {value}",
    "{launcher} 的 {flag} 需要整数，而不是 {value}",
)


def no_values(launch: Launch) -> Iterator[Fault]:
    """argparse: expected one argument. Behind the last option may stand what it takes."""
    program, words = LAUNCHERS.get(launch.launcher), own_words(launch) or ()
    taken = LAUNCHER_OPTIONS.get(launch.launcher, frozenset())
    for at, word in enumerate(words if program is not None else ()):
        flag = word.value or ""
        name = flag[2:].replace("_", "-")
        if name not in taken or not flag.startswith("--") or f"--{name}" in program.flags:  # type: ignore[union-attr]
            continue
        after = words[at + 1] if at + 1 < len(words) else launch.script
        if after is None or after.text.startswith("--") or after.text.endswith(".py"):
            yield Fault(VALUE, _EMPTY.fill(flag=flag), word.literal or word.span, flag)


def no_counts(launch: Launch) -> Iterator[Fault]:
    """argparse: invalid int value; torchrun: ValueError of --nnodes and --nproc-per-node."""
    known = _COUNTS.get(launch.launcher, frozenset())
    words = (own_words(launch) or ()) if known else ()
    for at, word in enumerate(words):
        flag, sign, value = (word.value or "").partition("=")
        name = flag[2:].replace("_", "-")
        if not flag.startswith("--") or name not in known:
            continue
        after: Word | None = words[at + 1] if at + 1 < len(words) else None
        place = word if sign else after
        text = value if sign else (after.value or "" if after is not None else "")
        if place is None or not text or text.startswith("--") or "$" in text:
            continue  # $SLURM_PROCID of an inner shell
        if _FORMS.get(name, _COUNT).fullmatch(text) is None:
            what = _NO_COUNT.fill(flag=flag, launcher=launch.launcher, value=text)
            yield Fault(VALUE, what, place.literal or place.span, flag)
