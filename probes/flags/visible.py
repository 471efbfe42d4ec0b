"""Processes of a node against the GPUs that ``CUDA_VISIBLE_DEVICES`` shows them."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Launch
from medic.i18n import Text
from medic.run_config import RunConfig, Span
from medic.text.patterns import regex

from .script_text import ScriptText

_LISTS = regex(r"\bCUDA_VISIBLE_DEVICES=[\"']?(\d+(?:,\d+)*)(?![\w,.-])")
_COUNTS = frozenset(("--num-processes", "--num-machines", "-n", "--multi-gpu", "--cpu"))
_HIDDEN = Text(
    "{ranks} processes on this node, but CUDA_VISIBLE_DEVICES shows {gpus} GPUs",
    "本节点 {ranks} 个进程，而 CUDA_VISIBLE_DEVICES 只给出 {gpus} 张 GPU",
)


def hidden(script: ScriptText, launch: Launch, ranks: int | None) -> Iterator[tuple[Text, Span]]:
    """More processes than visible GPUs: the last ones ask for an ordinal that is not there.

    The DeepSpeed launcher sets the variable itself.
    """
    value = launch.environment.get("CUDA_VISIBLE_DEVICES")
    if ranks is None or value is None or launch.launcher == "deepspeed":
        return
    found = [
        (number, match)
        for number, line in enumerate(script.lines, 1)
        for match in _LISTS.finditer(line)
        if not line.lstrip().startswith("#") and match[1] == value
    ]
    own = [one for one in found if one[0] == launch.span.line]  # the prefix of this command
    found = own or found
    gpus = len(value.split(","))
    if len(found) == 1 and ranks > gpus:
        number, match = found[0]
        span = script.span(number, match.start(1) + 1, match.end(1) + 1)
        yield _HIDDEN.fill(ranks=ranks, gpus=gpus), span


def hidden_by_file(
    script: ScriptText, launch: Launch, config: RunConfig | None
) -> Iterator[tuple[Text, Span]]:
    """The same where only accelerate's configuration says how many processes there are; those of
    all machines together (accelerate commands/launch.py).
    """
    words = [(w.value or "").partition("=")[0].replace("_", "-") for w in launch.launcher_words]
    if launch.launcher != "accelerate" or config is None or _COUNTS.intersection(words):
        return
    total, machines = (config.setting(name) for name in ("num_processes", "num_machines"))
    if total is None or not isinstance(total.value, int) or "--config-file" not in words:
        return
    share = machines.value if machines is not None else 1
    if isinstance(share, int) and share > 0 and total.value % share == 0:
        yield from hidden(script, launch, total.value // share)
