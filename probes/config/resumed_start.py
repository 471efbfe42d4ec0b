"""What a resumed run began with that the run before it did not: Megatron's lines against each other,
and Hugging Face's saved state against what the next start printed.

Sources of the lines: Megatron-LM training/arguments.py _print_args, training/checkpointing.py
load_checkpoint, core/optimizer_param_scheduler.py _check_and_set, training/training.py
training_log; transformers trainer.py and trainer_callback.py TrainerState.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from medic.errors import Unreadable
from medic.facts import LogHits, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip
from medic.records import dataclass, field
from medic.run_config import Scalar
from medic.text.patterns import regex

from . import resumed_batch
from .start_blocks import printed

CHECK, IGNORED = "resume-difference", "resume-ignores-settings"
_NEEDS = Text(
    "the starts of both runs as they printed them, or the saved trainer_state.json",
    "前后两次启动打印的参数，或保存下来的 trainer_state.json",
)
_MAX_LINES, _MAX_LOGS, _MAX_STATE = 200_000, 8, 64 << 20
# Without one of these no start of a log is a resumed one: its lines are not read one by one.
_TELLS_RESUME = ("successfully loaded checkpoint", "Continuing training from global step")
_BEFORE = 400  # lines: of a dump of arguments, about 250 or 350
_BEGINS, _ENDS = "- arguments -", "- end of arguments -"
_LOADED = regex(r"successfully loaded checkpoint from (\S+).{0,60}at iteration (\d+)")
_TAKEN = regex(r"> using checkpoint value (\S+) for ([a-z ]+?)\s*$")
_ITERATION = regex(
    r"iteration\s+(\d+)/\s*\d+ \| consumed samples:\s+(\d+) \|.{0,400}global batch size:\s+(\d+) \|"
)
_CONTINUES = regex(r"Continuing training from global step (\d+)")
# Megatron's name of a value in a checkpoint -> the argument.
_ARGUMENTS = {
    "learning rate": "lr",
    "minimum learning rate": "min_lr",
    "start weight decay": "start_weight_decay",
    "end weight decay": "end_weight_decay",
}
# What makes the curve after a resume another one. A schedule of samples follows from the batch.
_COMPARED = (
    "world_size", "data_parallel_size", "global_batch_size", "micro_batch_size", "seq_length", "seed",
    "data_path", "split", "params_dtype",
)  # fmt: skip
LONG = 100  # iterations whose mean batch tells what theirs was


@dataclass
class Start:
    """A start in a log: its arguments with their lines, and from which iteration it went on."""

    log: str
    arguments: dict[str, tuple[Scalar, Source]] = field(default_factory=dict)
    loaded: int = 0
    taken: dict[str, tuple[str, Source]] = field(default_factory=dict)
    iteration: tuple[int, int, int, Source] | None = None

    def value(self, name: str) -> Scalar:
        return self.arguments[name][0] if name in self.arguments else None


def run(look: Look) -> Iterator[Finding | Skip]:
    starts: list[Start] = []
    logs = look.files("log")[:_MAX_LOGS]
    if any(_may_resume(look, log.path) for log in logs):
        for log in logs:
            with suppress(Unreadable):  # told by the probe that reads the log
                starts += _starts(log.name, islice(look.lines(log.path), _MAX_LINES))
    resumed = [s for s in starts if s.loaded]
    found = [f for s in resumed for f in _of_start(s, starts)] or [*_of_state(look)]
    if not found and resumed:
        found = [*resumed_batch.judge(look)]
    yield from found[:3] if found else [Skip(_NEEDS, check=CHECK)]


def _may_resume(look: Look, path: str) -> bool:
    with suppress(Unreadable):
        texts = (mark.source.text for mark in look.scan(path).marks if mark.signature == "resume")
        return any(word in text for text in texts for word in _TELLS_RESUME)
    return False


def _of_start(start: Start, starts: Sequence[Start]) -> Iterator[Finding]:
    yield from _overruled(start)
    earlier = next((s for s in reversed(starts) if _goes_before(s, start)), None)
    if earlier is not None and (changed := [*_changed(earlier, start)]):
        yield _told(changed)
    elif (batch := _batch_before(start)) is not None:
        yield batch


def _starts(log: str, lines: Iterator[tuple[int, str]]) -> Iterator[Start]:
    """A new start at each dump of arguments; what precedes the first one belongs to none."""
    start, dump = Start(log), list[tuple[int, str]]()
    for number, text in lines:
        if _BEGINS in text:
            if start.arguments or start.loaded:
                yield start
            start, dump = Start(log), [(number, text)]
        elif dump:
            dump.append((number, text))
            if _ENDS in text or len(dump) > _BEFORE:
                for one in printed(dump):
                    source = Source(log, one.line, text=one.text)
                    start.arguments.setdefault(one.path[0], (one.value, source))
                dump = []
        else:
            _read(start, Source(log, number, text=text.strip()), text)
    yield start


def _read(start: Start, source: Source, text: str) -> None:
    if "checkpoint" in text:
        if found := _LOADED.search(text):
            start.loaded = int(found[2])
        elif (found := _TAKEN.search(text)) and found[2] in _ARGUMENTS:
            start.taken[_ARGUMENTS[found[2]]] = found[1], source
    elif start.iteration is None and "consumed samples" in text:
        if found := _ITERATION.search(text):
            start.iteration = int(found[1]), int(found[2]), int(found[3]), source
    elif found := _CONTINUES.search(text):
        start.loaded = int(found[1])


def _overruled(start: Start) -> Iterator[Finding]:
    """Arguments that the checkpoint's values replaced (--use-checkpoint-opt_param-scheduler)."""
    for name, (saved, source) in start.taken.items():
        if name not in start.arguments:
            continue
        given, at = start.arguments[name]
        if not _is_same(given, saved):
            value = {"name": name, "given": given, "saved": saved}
            yield Finding(CHECK, "checkpoint-overrules", value, source, more=(at,))
            yield Finding(IGNORED, value=value, source=source)
            return


def _is_same(given: Scalar, saved: str) -> bool:
    try:
        return float(str(given)) == float(saved)
    except ValueError:
        return str(given) == saved


def _goes_before(earlier: Start, later: Start) -> bool:
    """Whether the later one goes on from what the earlier one saved."""
    if earlier is later or not earlier.arguments or not later.arguments:
        return False
    place = later.value("load")
    if place is None or str(place) != str(earlier.value("save")):
        return False
    return earlier.loaded < later.loaded


def _changed(earlier: Start, later: Start) -> Iterator[tuple[str, Scalar, Scalar, Source, Source]]:
    for name in _COMPARED:
        if name in earlier.arguments and name in later.arguments:
            (old, was), (now, source) = earlier.arguments[name], later.arguments[name]
            if old != now:
                yield name, old, now, source, was


def _told(changed: Sequence[tuple[str, Scalar, Scalar, Source, Source]]) -> Finding:
    names = ", ".join(f"{name} {_plain(old)} -> {_plain(now)}" for name, old, now, *_ in changed)
    *_, source, was = changed[0]
    return Finding(CHECK, "setup-changed", {"changed": names}, source, more=(was,))


def _plain(value: Scalar) -> str:
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole and isinstance(value, float) else value)


def _batch_before(start: Start) -> Finding | None:
    """The batch of the iterations before the resume, from the samples that they consumed: told where
    it is a whole number that was the same in all of them. A batch that was ramped up leaves none."""
    if start.iteration is None or start.value("rampup_batch_size") not in (None, "None"):
        return None
    iteration, consumed, batch, source = start.iteration
    before = start.loaded
    samples = consumed - batch * (iteration - before)
    if before < LONG or samples <= 0 or samples % before or samples == batch * before:
        return None
    names = f"global_batch_size {samples // before} -> {batch}"
    return Finding(CHECK, "setup-changed", {"changed": names}, source)


def _of_state(look: Look) -> Iterator[Finding]:
    """The batch of a device that is saved in trainer_state.json against what the next start printed."""
    saved = next(_saved_batches(look), None)
    if saved is None:
        return
    for log in look.files("log")[:_MAX_LOGS]:
        with suppress(Unreadable):
            lines = list(islice(look.lines(log.path), 20_000))
            goes_on = any("Continuing training from" in text for _, text in lines)
            if not goes_on or any("DataParallel so batch size" in text for _, text in lines):
                continue
            one = next((p for p in printed(lines) if p.path == ("micro_batch_size",)), None)
            if one is not None and isinstance(one.value, int) and one.value != saved[0]:
                names = f"per_device_train_batch_size {saved[0]} -> {one.value}"
                source = Source(log.name, one.line, text=one.text)
                yield Finding(CHECK, "setup-changed", {"changed": names}, source, more=(saved[1],))
                return


def _saved_batches(look: Look) -> Iterator[tuple[int, Source]]:
    """Newest checkpoint first."""
    found: list[tuple[int, int, Source]] = []
    for given in look.files("metrics"):
        if given.name.rpartition("/")[2] != "trainer_state.json":
            continue
        with (
            suppress(Unreadable, ValueError, RecursionError),
            look.open(given.path, _MAX_STATE) as file,
        ):
            state: Any = json.loads(file.read())
            found += _of_one(state, given.name) if isinstance(state, Mapping) else []
    yield from ((batch, source) for _, batch, source in sorted(found, key=lambda f: -f[0]))


def _of_one(state: Mapping[str, Any], name: str) -> Iterator[tuple[int, int, Source]]:
    step, batch = state.get("global_step"), state.get("train_batch_size")
    if isinstance(step, int) and isinstance(batch, int) and batch > 0:
        yield step, batch, Source(name, text=f'"train_batch_size": {batch}')


PROBE = Probe(
    name="config-resumed",
    title=Text("what changed at the resume", "恢复时改变了什么"),
    tells=(CHECK, IGNORED),
    run=run,
    files=("log",),
    wants=(LogHits,),  # behind the probe that has the logs scanned
    without=(Skip(_NEEDS, CHECK),),
    seconds=0.1,
    limit_seconds=20,
)
