"""Lists of GPUs that a launch does not get as they are written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import Launch, Word
from medic.i18n import Text
from medic.run_config import Span
from medic.text.patterns import regex

from .counts import count_of
from .masked import COMMENT
from .option_words import is_given, option_word
from .script_text import ScriptText
from .slip import Slip

_LIST = regex(r"\b((?:CUDA|HIP|ROCR)_VISIBLE_DEVICES)=[\"']?(\d+(?:,\d+)*)(?![\w,.-])")
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
_GPU_COUNTS = ("--num-gpus", "--num-accelerators")
_COUNTS = (*_GPU_COUNTS, "--num-nodes")
_IN, _OUT = ("--include", "-i"), ("--exclude", "-e")


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
    included, excluded, counted = (_given(words, *names) for names in (_IN, _OUT, _COUNTS))
    listed = included or excluded
    other = excluded if included and excluded else counted
    if listed is not None and other is not None:
        later = max(listed, other, key=words.index)
        yield _NOT_TOGETHER.fill(one=_flag(listed), other=_flag(other)), later.span


def _given(words: Sequence[Word], *names: str) -> Word | None:
    """The first word that is one of the options."""
    return next((word for word in words if is_given((word,), *names)), None)


def _flag(word: Word) -> str:
    """An option as it is written, without its value."""
    return word.raw.partition("=")[0]


def not_read(script: ScriptText, launch: Launch) -> Iterator[Slip]:
    """``CUDA_VISIBLE_DEVICES=2,3 deepspeed --num_gpus 2``: the launcher numbers from 0 on its own
    (deepspeed/launcher/runner.py)."""
    value = launch.environment.get("CUDA_VISIBLE_DEVICES", "")
    option = _given(launch.launcher_words[::-1], *_GPU_COUNTS)
    found = option_word(launch.launcher_words, *_GPU_COUNTS)
    count = count_of(found[1]) if found is not None else None
    if launch.launcher != "deepspeed" or option is None or not count:
        return
    shown = {gpu for one in value.split(",") if (gpu := count_of(one)) is not None}
    same = len(shown) == count == max(shown, default=0) + 1
    place = _assigned(script, value) if not same else None
    if place is not None:
        gpus = "0" if count == 1 else f"0-{count - 1}"
        flag = f"{_flag(option)} {count}"
        what = _NOT_READ.fill(name="CUDA_VISIBLE_DEVICES", value=value, flag=flag, gpus=gpus)
        yield Slip(what, place)


def _assigned(script: ScriptText, value: str) -> Span | None:
    """Where the list is written, if that is in one place."""
    found = [
        script.between(number, (match.start(), match.end(2)))
        for number, line in enumerate(script.lines, 1)
        for match in _LIST.finditer(line)
        if match[1] == "CUDA_VISIBLE_DEVICES" and match[2] == value
        if script.code[number - 1][match.start()] != COMMENT
    ]
    return found[0] if len(found) == 1 else None
