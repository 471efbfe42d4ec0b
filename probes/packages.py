"""Versions of the packages that the run used, as its logs and its owner tell them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice

from medic.errors import Unreadable
from medic.facts import Packages, Source
from medic.i18n import Text
from medic.probe import Look, Probe, Skip
from medic.text.patterns import regex
from medic.versions import index_name

FROZEN = 20_000  # lines of pip freeze or collect_env
FILES, LINES, LONG = 8, 3000, 400  # versions are printed at the start
_NAMES = """
accelerate apex axolotl bitsandbytes click cuda cuda-python cudnn datasets deepspeed diffusers dill
driver fairscale flash-attn fsspec gcc huggingface-hub hydra-core lightning llama-factory megatron-core
ms-swift nccl nemo numba numpy openrlhf optimum outlines peft protobuf pyarrow pydantic python pytorch
pytorch-lightning ray safetensors sentencepiece setuptools sglang tensorboard tensordict tokenizers
torch torchao torchaudio torchmetrics torchtitan torchtune torchvision transformer-engine transformers
triton trl unsloth verl vllm wandb xformers
"""
_ALIASES = {
    "pytorch": "torch",
    "flash-attention": "flash-attn",
    "llamafactory": "llama-factory",
    "nvidia driver": "driver",
    "driver version": "driver",
    "cuda version": "cuda",
    "megatron core": "megatron-core",
    "flash attn": "flash-attn",
}
_NAME = "|".join(
    sorted(
        (re.escape(n).replace(r"\-", "[-_]") for n in (*_NAMES.split(), *_ALIASES)),
        key=len,
        reverse=True,
    )
)
# A line without the beginning of any name is not looked at further: that is thirty times faster.
_BEGINNINGS = sorted({re.split(r"[- ]", name)[0] for name in (*_NAMES.split(), *_ALIASES)})
_VERSION = regex(
    rf"(?<![\w./-])[`'\"]?(?P<name>{_NAME})[`'\"]?"
    r"(?:\s+(?:info|api server|runtime|build))?\s*:?\s*(?:\(v[\d.]+\))?"
    r"(?:version|ver|\u7248\u672c)?(?:\s*\(gpu\?\))?\s*(?:==?|:|@|is)?\s*[`'\"]?"
    r"v?(?P<version>\d+\.\d+(?:\.\d+)*(?:\.?(?:dev|post|rc|a|b)\d*)?(?:\+[\w.]+)?)(?![\w-]*/)",
    re.IGNORECASE,
)
# A version that would be better, or was, is not the one that the run had.
_OTHER = regex(
    r"(?:works?|fine|ok)\b[\w ]{0,12}(?:with|on|in|using)\b[\w -]{0,24}\W*$|upgrad\w*[\w ]{0,12}$|"
    r"\b(?:old(?:er)?|previous|former) (?:env\w*|image|setup|container|machine)\W{0,3}$|\u65e7\S{0,5}$|"
    r"downgrad\w*[\w ]{0,12}$|(?:fixed|need\w*|requir\w*|install|instead|than|before|until|supports?)"
    r"[\w ,:'\"`]{0,12}$|[<>~!]=?\s*$|\u5347\u7ea7\S{0,4}$|\u964d\u7ea7\S{0,4}$|"
    r"\u6b63\u5e38\S{0,3}$|\u9700\u8981\S{0,3}$|\u6362\u6210\S{0,3}$|\u6539\u6210\S{0,3}$",
    re.IGNORECASE,
)
_INTERPRETER = regex(r"/lib/python(?P<version>3\.\d+)/")


def run(look: Look) -> Iterator[Packages | Skip]:
    found: dict[str, tuple[str, Source]] = {}
    rows = list(_lines(look))
    named = _named("\n".join(line for _, _, line in rows))
    for file, number, line in rows if named else ():
        for name, version in versions_in(line, named):
            found.setdefault(name, (version, Source(file=file, line=number, text=line.strip())))
    if not found:
        yield Skip(
            Text(
                "a line that tells a package's version",
                "\u7ed9\u51fa\u8f6f\u4ef6\u5305\u7248\u672c\u7684\u65e5\u5fd7",
            )
        )
        return
    yield Packages(
        versions={name: version for name, (version, _) in sorted(found.items())},
        sources={name: source for name, (_, source) in sorted(found.items())},
    )


def _lines(look: Look) -> Iterator[tuple[str, int, str]]:
    for number, line in enumerate(islice(look.text.splitlines(), LINES), start=1):
        yield "", number, line[:LONG]
    for file in look.files("log")[:FILES]:
        with suppress(Unreadable):  # told by the probe that reads the log
            for number, line in islice(look.lines(file.path), LINES):
                yield file.name, number, line[:LONG]
    for file in look.files("host-report")[:FILES]:
        with suppress(Unreadable):
            for number, line in islice(look.lines(file.path), FROZEN):
                yield file.name, number, line[:LONG]


def _named(text: str) -> list[str]:
    """The beginnings of names that a text holds."""
    low = text.lower()
    return [word for word in _BEGINNINGS if word in low]


def versions_in(line: str, named: Sequence[str] = _BEGINNINGS) -> Iterator[tuple[str, str]]:
    """(package, version) of a line, by the names of the package index; ``named`` are beginnings of
    those that may stand in it."""
    low = line.lower()
    for found in _VERSION.finditer(line) if any(map(low.__contains__, named)) else ():
        if not _OTHER.search(line[: found.start()]):
            yield package(found["name"]), found["version"]
    if path := _INTERPRETER.search(line):
        yield "python", path["version"]


def package(word: str) -> str:
    name = index_name(word)
    return _ALIASES.get(name, name)


PROBE = Probe(
    name="packages",
    title=Text("versions of the packages", "软件包版本"),
    tells=(),
    run=run,
    gives=(Packages,),
    seconds=0.02,
    limit_seconds=5.0,
)
