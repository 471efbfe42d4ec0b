"""Reads the training data of a case, with limits of bytes and time, and judges it."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

from medic.errors import Unreadable
from medic.facts import DataSets, GivenFile, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Skip, Unread, config_of
from medic.run_config import RunConfig

from . import items, records
from .files import files, picked, split_of
from .judge import findings
from .lengths import Counter, counter
from .needs import NEEDS
from .noted import share
from .overlap import Benchmark, Shared, between
from .read import Read, Reader

SECONDS = 20.0
MIN_SHARED = 2
OVERLAP, HELD_OUT = "overlap-with-training", "validation-not-held-out"
MAX_BENCHMARK = 64 * 1024 * 1024


def run(look: Look) -> Iterator[Any]:
    found = files(look)
    if not found:
        yield Skip(NEEDS)
        return
    config = config_of(look)
    benchmark = yield from _benchmark(look)
    reads = yield from _read_all(look, found, config, benchmark)
    if not reads:
        yield Skip(Text("a data file that can be read", "可读取的数据文件"), check="data-file")
        return
    shared = between(*_sides(reads))
    yield DataSets(tuple(r.fact for r in reads), _compared(shared))
    yield from findings(look, reads, config.integer("vocab_size"))
    yield from _overlap(look, reads, shared, benchmark)


def _read_all(
    look: Look, found: Sequence[GivenFile], config: RunConfig, benchmark: Benchmark | None
) -> Generator[Unread, None, list[Read]]:
    """Yields what could not be read; returns the rest."""
    limit = config.integer("sequence_length")
    reader = Reader(look, time.monotonic() + SECONDS, limit)
    reads: list[Read] = []
    chosen = picked(found)
    by = _counter(look, chosen)
    for given in chosen:
        training = split_of(given.name) == "train"
        reader.watch = benchmark.watch if benchmark and training else None
        if time.monotonic() > reader.deadline:
            yield Unread(given.name, Text("not enough time", "时间不够"))
            continue
        try:
            reads.append(reader.read(given, by))
        except Unreadable as problem:
            yield Unread(given.name, Text(problem.en, problem.zh))
    left = len(found) - len(chosen)
    if left:
        yield Unread(
            str(Path(found[0].name).parent),
            Text(f"{left:,} more data files: {len(chosen)} of {len(found):,} were sampled",
                 f"另有 {left:,} 个数据文件：共 {len(found):,} 个，抽查了 {len(chosen)} 个"),
            partly=True,
            aside=True,
        )  # fmt: skip
    return reads


def _counter(look: Look, chosen: Sequence[GivenFile]) -> Counter:
    """Tokens by a tokenizer.json beside the data, the model's config or one folder above."""
    folders = [str(Path(f.path).parent) for f in (*look.files("model-config"), *chosen)]
    above = [str(Path(folder).parent) for folder in folders]
    return counter(list(dict.fromkeys([*folders, *above])))


def _sides(reads: Sequence[Read]) -> tuple[list[Any], list[Any]]:
    return (
        [r.tally for r in reads if r.fact.split == "train"],
        [r.tally for r in reads if r.fact.split == "validation"],
    )


# --- overlap --------------------------------------------------------------------------------


def _benchmark(look: Look) -> Generator[Unread, None, Benchmark | None]:
    """The items of ``--benchmark`` files, or None. Yields what could not be read."""
    given = look.files("benchmark")
    if not given:
        return None
    benchmark = Benchmark(int(look.threshold("shared-tokens")))
    for file in given:
        problem = _learn(look, file, benchmark)
        if problem is not None:
            yield Unread(file.name, Text(problem.en, problem.zh))
    return benchmark


def _learn(look: Look, file: GivenFile, benchmark: Benchmark) -> Unreadable | None:
    """Takes the items of one file (JSON lines, a JSON list, or a line of text each)."""
    try:
        with look.open(file.path, MAX_BENCHMARK) as opened:
            size = opened.seek(0, 2)
            opened.seek(0)
            if opened.read(64).lstrip()[:1] == b"[":
                read = items.of_array(opened, size)
            elif file.name.endswith((".jsonl", ".ndjson")):
                read = items.of_lines(opened, size, packed=False)
            else:
                read = items.of_text(opened, size)
            benchmark.learn(
                records.read(i.value).text for i in read.items if isinstance(i.value, dict)
            )
    except Unreadable as problem:
        return problem
    return None


def _overlap(
    look: Look, reads: Sequence[Read], shared: Shared | None, benchmark: Benchmark | None
) -> Iterator[Finding | Skip]:
    validation = next((r.fact for r in reads if r.fact.split == "validation"), None)
    if benchmark is not None and benchmark.found:
        value = {
            "count": f"{len(benchmark.found):,}",
            "of": f"{benchmark.items:,}",
            "share": share(len(benchmark.found), benchmark.items),
            "example": benchmark.examples[0],
            "words": benchmark.size,
        }
        yield Finding(
            OVERLAP, "benchmark-items", value, Source(benchmark.examples[0].split(" ")[0])
        )
        return
    if shared is None or validation is None:
        if benchmark is not None and benchmark.items:
            yield Finding(OVERLAP, "none")
        else:
            needs = Text("training and validation data", "训练数据与验证数据")
            yield Skip(needs, check=OVERLAP)
        return
    near = shared.near or 0
    least = look.threshold("shared-share")
    same = shared.exact >= max(MIN_SHARED, least * shared.of)
    alike = near >= max(MIN_SHARED, least * shared.near_of)
    value = {
        "count": f"{shared.exact:,}",
        "of": f"{shared.of:,}",
        "share": share(shared.exact, shared.of),
        "others": _others(shared),
        "example": shared.examples[0] if shared.examples else "",
    }
    outcome = "same-documents" if same or alike else "none"
    yield Finding(OVERLAP, outcome, value, Source(validation.file))
    if same or alike:
        yield Finding(HELD_OUT, value=value, source=Source(validation.file))


def _others(shared: Shared) -> Text:
    """Near-duplicates among the rest, where any of it was compared."""
    if not shared.near_of:
        return Text("", "")
    words = Text(
        "; of {of} others compared {near} nearly do", "；其余抽查的 {of} 条中有 {near} 条近乎相同"
    )
    return words.fill(near=f"{shared.near or 0:,}", of=f"{shared.near_of:,}")


def _compared(shared: Shared | None) -> Text | None:
    """What was compared, in numbers."""
    if shared is None:
        return None
    if shared.near is not None and not shared.near_of:
        words = Text(
            "validation samples that stand word for word in training: {exact} of {of}",
            "与训练集逐字相同的验证样本：{of} 条中有 {exact} 条",
        )
    elif shared.near is None:
        words = Text(
            "validation samples that stand word for word in training: {exact} of {of}; "
            "near-duplicates were not compared (pip install 'llm-medic[data]')",
            "与训练集逐字相同的验证样本：{of} 条中有 {exact} 条；未比较近似重复（pip install 'llm-medic[data]'）",
        )
    else:
        words = Text(
            "validation samples that stand word for word in training: {exact} of {of}; nearly so: "
            "{near} of {near_of} others compared",
            "与训练集逐字相同的验证样本：{of} 条中有 {exact} 条；近乎相同：其余抽查的 {near_of} 条中有 {near} 条",
        )
    return words.fill(
        exact=shared.exact, of=shared.of, near=shared.near or 0, near_of=shared.near_of
    )
