"""Lists of GPUs that a launch does not get as they are written."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Launch
from medic.i18n import Text
from medic.patterns import regex
from medic.run_config import Span

from .masked import COMMENT
from .option_words import is_given, option_word
from .script_text import ScriptText
from .slip import Slip

_LIST = regex(r"\b((?:CUDA|HIP|ROCR)_VISIBLE_DEVICES)=[\"']?(\d+(?:,\d+)+)(?![\w,.-])")
EACH_ONCE = Text(
    "a list in which each GPU stands once: PyTorch takes one with a repeated number for empty",
    "每张 GPU 只写一次的列表：有重复编号时，PyTorch 会把整个列表当作空的",
)
_NOT_TOGETHER = Text(
    "deepspeed refuses {one} beside {other}: which GPUs are used is said by one of them",
    "deepspeed 不允许 {one} 与 {other} 同时给出：用哪些 GPU 只能由其中一个决定",
)
_NOT_READ = Text(
    "deepspeed does not read {name}={value} beside {flag}: it takes the GPUs {gpus}; write "
    "--include localhost:{value}",
    "有 {flag} 时 deepspeed 不读取 {name}={value}：实际使用 GPU {gpus}；请写 --include localhost:{value}",
)
_COUNTS = ("--num-gpus", "--num-accelerators", "--num-nodes")
_LISTS = ("--include", "--exclude", "-i", "-e")


def repeated(script: ScriptText) -> Iterator[tuple[str, str, Span]]:
    """(variable, list, place) of lists that name a GPU twice (torch.cuda: a repeated ordinal)."""
    for number, line in enumerate(script.lines, 1):
        for found in _LIST.finditer(line):
            gpus = found[2].split(",")
            if len(set(gpus)) < len(gpus) and script.code[number - 1][found.start()] != COMMENT:
                yield found[1], found[2], script.between(number, found.span(2))


def refused_together(launch: Launch) -> Iterator[tuple[Text, Span]]:
    """(what, place) of options that deepspeed/launcher/runner.py does not take together."""
    words = launch.launcher_words
    if launch.launcher != "deepspeed":
        return
    listed = next((flag for flag in _LISTS if is_given(words, flag)), "")
    counted = next((flag for flag in _COUNTS if is_given(words, flag)), "")
    both = is_given(words, "--include", "-i") and is_given(words, "--exclude", "-e")
    other = "--exclude" if both else counted.replace("-", "_").replace("__", "--")
    if listed and (both or counted):
        later = [w for w in words if is_given((w,), *_LISTS, *_COUNTS)][-1]
        yield _NOT_TOGETHER.fill(one=listed, other=other), later.span


def not_read(script: ScriptText, launch: Launch) -> Iterator[Slip]:
    """``CUDA_VISIBLE_DEVICES=2,3 deepspeed --num_gpus 2``: the launcher numbers from 0 on its own
    (deepspeed/launcher/runner.py)."""
    value = launch.environment.get("CUDA_VISIBLE_DEVICES", "")
    found = option_word(launch.launcher_words, "--num-gpus", "--num-accelerators")
    if launch.launcher != "deepspeed" or found is None or not found[1].isdecimal():
        return
    count = int(found[1][:4])
    shown = [one for one in value.split(",") if one.isdecimal()]
    if not shown or "," + value != "".join(f",{one}" for one in shown) or not count:
        return
    if {int(one) for one in shown} == set(range(count)):
        return
    place = _assigned(script, value)
    if place is not None:
        gpus = "0" if count == 1 else f"0-{count - 1}"
        flag = f"--num_gpus {count}"
        what = _NOT_READ.fill(name="CUDA_VISIBLE_DEVICES", value=value, flag=flag, gpus=gpus)
        yield Slip(what, place)


def _assigned(script: ScriptText, value: str) -> Span | None:
    """Where the list is written, if that is in one place."""
    text = f"CUDA_VISIBLE_DEVICES={value}"
    found = [
        script.between(number, (at, at + len(text)))
        for number, line in enumerate(script.lines, 1)
        if (at := line.find(text)) >= 0 and not line.lstrip().startswith("#")
    ]
    return found[0] if len(found) == 1 else None
