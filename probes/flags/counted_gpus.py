"""GPUs that a program is told to use on a node, or that a container shows, against what is there."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Launch, Word
from medic.i18n import Text
from medic.run_config import Span
from medic.text.patterns import regex

from .layout import OVER, TOO_MANY, Fault
from .option_words import is_fixed, option_word
from .script_text import ScriptText
from .slurm import Allocation
from .visible import hidden
from .world import world_of

# verl: trainer.n_gpus_per_node=8; OpenRLHF: --actor_num_gpus_per_node 8; slime:
# --actor-num-gpus-per-node 8. One such group of GPUs lies on one node.
_NAME = regex(r"^(?:--|\+{0,2})(?:[\w.-]*[._-])?n(?:um)?[_-]gpus[_-]per[_-]node$")
_RAY = regex(r"\bray\s+start\b[^;&|#]*?\s--num-gpus[= ]\s*[\"']?(\d{1,4})\b(?![\"']?\$)")
_RAY_START = regex(r"\bray\s+start\b")
_DOCKER = regex(
    r"\b(?:docker|podman|nerdctl)\s+run\b[^;&|#]*?\s--gpus[= ]\s*[\"'\\]*"
    r"(?:device=(?P<list>\d+(?:,\d+)*)|(?P<count>\d{1,3}))(?=[\"'\\\s]|$)"
)
_RUNS = regex(r"\b(?:docker|podman|nerdctl)\s+run\b")
_IN_CONTAINER = frozenset(("docker", "podman", "nerdctl"))
_STARTED = Text(
    "{flag} is {said}, and ray start gives {gpus} GPUs to Ray",
    "{flag} 为 {said}，而 ray start 只给 Ray {gpus} 张 GPU",
)
_SHOWN = Text(
    "{ranks} processes in the container, and docker run shows it {gpus} GPUs",
    "容器内启动 {ranks} 个进程，而 docker run 只给了它 {gpus} 张 GPU",
)


def counted_gpus(
    script: ScriptText, launch: Launch, allocation: Allocation, *, alone: bool
) -> Iterator[Fault]:
    """``alone``: the only launch of its script."""
    words = [one for one in _counts(launch) if is_fixed(script, one[0])]
    for word, flag, said in words:
        place = word.literal or word.span
        if (gpus := _of_ray(script)) is not None and said > gpus:
            yield Fault(TOO_MANY, _STARTED.fill(flag=flag, said=said, gpus=gpus), place)
            return
        if (gpus := allocation.gpus_per_node) and alone and said > gpus:
            yield Fault(TOO_MANY, OVER.fill(ranks=said, gpus=gpus), place)
            return
    most = max((said for _, _, said in words), default=None)
    for what, span in hidden(script, launch, most):
        yield Fault(TOO_MANY, what, span)
    yield from _in_container(script, launch, alone=alone)


def _counts(launch: Launch) -> Iterator[tuple[Word, str, int]]:
    """(word, option as it is written, number) of each count of GPUs of a node."""
    before = ""
    for word in launch.arguments:
        flag, sign, value = (word.value or "").partition("=")
        name, text = (flag, value) if sign else (before, flag)
        before = "" if sign else flag
        if _NAME.match(name) and text.isdecimal() and len(text) <= 4:
            yield word, name, int(text)


def _of_ray(script: ScriptText) -> int | None:
    """The most that a ``ray start`` of the script gives; None where one does not say."""
    lines = [line for line in _commands(script) if _RAY_START.search(line)]
    found = [_RAY.search(line) for line in lines]
    given = [int(one[1]) for one in found if one is not None]
    return max(given) if given and len(given) == len(lines) else None


def _commands(script: ScriptText) -> Iterator[str]:
    """The lines of the script, those that a backslash joins as one."""
    joined = ""
    for line in script.lines:
        if line.lstrip().startswith("#"):
            continue
        joined += line.rstrip("\\") if line.endswith("\\") else line
        if not line.endswith("\\"):
            yield joined
            joined = ""
    if joined:
        yield joined


def _in_container(script: ScriptText, launch: Launch, *, alone: bool) -> Iterator[Fault]:
    """``docker run --gpus '"device=0,1"'``, and the launch inside it or by ``docker exec``."""
    values = {word.value for word in launch.launcher_words}
    ranks = world_of(launch).nproc
    lines = [line for line in _commands(script) if _RUNS.search(line)]
    shown = _DOCKER.search(lines[0]) if len(lines) == 1 else None
    if _IN_CONTAINER.isdisjoint(values) or not ranks or shown is None or not alone:
        return
    gpus = len(shown["list"].split(",")) if shown["list"] else int(shown["count"])
    place = _of_count(script, launch)
    if ranks > gpus and place is not None:
        yield Fault(TOO_MANY, _SHOWN.fill(ranks=ranks, gpus=gpus), place)


def _of_count(script: ScriptText, launch: Launch) -> Span | None:
    names = ("--nproc-per-node", "--num-processes", "--num-gpus")
    found = option_word(launch.launcher_words, *names)
    if found is None or not is_fixed(script, found[0]):
        return None
    return found[0].literal or found[0].span
