"""What frameworks print of their configuration as a run starts.

Sources of the formats: DeepSpeed runtime/config.py print, Megatron training/arguments.py
_print_args, gpt-neox neox_args print, transformers trainer.py "Running training", torchtitan
train.py, nanotron trainer.py, verl trainer/main_ppo.py (pprint of the configuration).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from medic.records import dataclass
from medic.run_config import Scalar
from medic.text.patterns import regex

from .values import read_scalar

MAX_LINES, MAX_TEXT = 4000, 400_000
# What a line says stands at its start; only a printed value may be longer.
HEAD = 1000
Line = tuple[int, str]


@dataclass(frozen=True)
class Printed:
    """``path`` is a key of ``framework``, or a canonical field where that is "".

    ``text`` is the line without what a launcher put before it.
    """

    framework: str
    path: tuple[str, ...]
    value: Scalar
    line: int
    text: str


_RANK = regex(
    r"^(?:\[(?:rank|default)?\d+\]:\s?|\(\w[^()]{0,60}pid=\d+[^()]{0,60}\)\s?|\d{1,4}: )+"
)
_DOTS = regex(r"(?:^|\s)([A-Za-z_]\w*) (?:\.+|) ?(?<=[. ])(\S.*)$")
_UPDATED = regex(r"\.*(?:default|updated)$")
_ARGUMENTS = regex(r"-{8,} arguments -{8,}")
_ARGUMENTS_END = regex(r"-{8,} end of arguments -{8,}")
_ENGINE = regex(r"\[config\.py:\d+:print\]\s+(?=[a-z_]+\s)")
# The start of a printed value, the framework whose keys it has.
_OPENINGS: Sequence[tuple[re.Pattern[str], str]] = (
    (regex(r"\[config\.py:\d+:print(?:_user_config)?\]\s+json = (?=\{)"), "deepspeed"),
    (regex(r"Running with (?:args|configs?): (?=\{)"), "torchtitan"),
    (
        regex(r"(?:^|\s)(?=\{'(?:actor_rollout_ref|algorithm|critic|data|trainer)': \{)"),
        "verl",
    ),
    (regex(r"(?:^|\s)(?=Config\(general=)"), "nanotron"),
    (regex(r"parameters:? ?(?=\w*TrainingArguments\()"), "hf-trainer"),
    (regex(r"^(?=(?:Seq2Seq)?TrainingArguments\($)"), "hf-trainer"),
)
_ENGINE_KEYS = {
    "train_batch_size": ("train_batch_size",),
    "train_micro_batch_size_per_gpu": ("train_micro_batch_size_per_gpu",),
    "gradient_accumulation_steps": ("gradient_accumulation_steps",),
    "gradient_clipping": ("gradient_clipping",),
    "zero_optimization_stage": ("zero_optimization", "stage"),
    "bfloat16_enabled": ("bf16", "enabled"),
    "fp16_enabled": ("fp16", "enabled"),
}
# One line that states canonical fields in words.
_NUMBER = r"(\d[\d,]*)"
_SAID: Sequence[tuple[str, re.Pattern[str]]] = tuple(
    (field, regex(pattern))
    for field, pattern in (
        ("micro_batch_size", rf"Instantaneous batch size per device = {_NUMBER}$"),
        ("global_batch_size", rf"Total train batch size \(w\. parallel.*\) = {_NUMBER}$"),
        ("gradient_accumulation_steps", rf"Gradient Accumulation steps = {_NUMBER}$"),
        ("dataset_sequences", rf"\bNum examples = {_NUMBER}$"),
        ("total_steps", rf"Total optimization steps = {_NUMBER}$"),
        ("micro_batch_size", rf"initialized with local batch size {_NUMBER}, global"),
        ("global_batch_size", rf"local batch size \d+, global batch size {_NUMBER},"),
        ("sequence_length", rf"gradient accumulation steps \d+, sequence length {_NUMBER},"),
        ("total_steps", rf"sequence length \d+, total steps {_NUMBER}\b"),
        ("warmup_steps", rf"total steps \d+ \(warmup {_NUMBER}\)"),
        ("micro_batch_size", rf"Start training \| mbs: {_NUMBER} \|"),
        ("gradient_accumulation_steps", rf"\| grad_accum: {_NUMBER} \| global_batch_size:"),
        ("global_batch_size", rf"\| global_batch_size: {_NUMBER} \| sequence_length:"),
        ("total_steps", rf"\| train_steps: {_NUMBER} \| start_iteration_step:"),
        ("tensor_parallel_size", rf"^using world size: .*tensor-model-parallel size: {_NUMBER}\b"),
        (
            "pipeline_parallel_size",
            rf"^using world size: .*pipeline-model-parallel size: {_NUMBER}",
        ),
    )
)
_HINTS = (
    "atch size",
    "ccumulation steps",
    "optimization steps",
    "Num examples",
    "Start training",
    "using world",
)


def printed(lines: Sequence[Line], dump: str = "megatron") -> Iterator[Printed]:
    """All that the lines of a start state; ``dump`` is whose arguments a dump of them holds."""
    plain = [(number, _RANK.sub("", text)) for number, text in lines]
    within = False
    at = 0
    while at < len(plain):
        number, text = plain[at][0], plain[at][1][:HEAD]
        if _ARGUMENTS.search(text):
            within = True
        elif _ARGUMENTS_END.search(text):
            within = False
        elif within:
            yield from _argument(dump, number, text)
        elif opened := _opening(text):
            from .start_literals import settings_of

            block, framework = _block(plain[at:], opened[0]), opened[1]
            for path, value, line in settings_of("\n".join(block)):
                told = plain[at + line]
                yield Printed(framework, path, value, told[0], told[1].strip())
            at += len(block)
            continue
        elif found := _ENGINE.search(text):
            yield from _engine(number, text[found.end() :])
        elif any(hint in text for hint in _HINTS):
            yield from _words(number, text)
        at += 1


def _argument(framework: str, number: int, text: str) -> Iterator[Printed]:
    found = _DOTS.search(text.rstrip())
    if found:
        value = read_scalar(_UPDATED.sub("", found[2]))
        yield Printed(framework, (found[1],), value, number, text.strip())


def _engine(number: int, text: str) -> Iterator[Printed]:
    name, _, rest = text.partition(" ")
    path = _ENGINE_KEYS.get(name)
    if path:
        yield Printed("deepspeed", path, read_scalar(rest.lstrip(" .")), number, text.strip())


def _words(number: int, text: str) -> Iterator[Printed]:
    for field, pattern in _SAID:
        found = pattern.search(text.rstrip())
        if found:
            value = int(found[1].replace(",", ""))
            yield Printed("", (field,), value, number, text.strip())


def _opening(text: str) -> tuple[int, str] | None:
    """(where a printed value starts in the line, whose it is)."""
    for pattern, framework in _OPENINGS:
        found = pattern.search(text)
        if found:
            return found.end(), framework
    return None


def _block(lines: Sequence[Line], start: int) -> list[str]:
    """The lines of a bracketed value, from ``start`` of the first to where its bracket closes."""
    block: list[str] = []
    depth = size = 0
    for i, (_, text) in enumerate(lines[:MAX_LINES]):
        part = text[start:] if i == 0 else text
        size += len(part)
        if size > MAX_TEXT:
            break
        depth, end = _depth(part, depth)
        block.append(part[:end] if end else part)
        if end:
            break
    return block


def _depth(text: str, depth: int) -> tuple[int, int]:
    """(brackets open after the text, where the first of all closes or 0); quotes are skipped."""
    quote = ""
    for i, c in enumerate(text):
        if quote:
            quote = "" if c == quote and text[i - 1] != "\\" else quote
        elif c in "\"'":
            quote = c
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if depth == 0:
                return 0, i + 1
    return depth, 0
