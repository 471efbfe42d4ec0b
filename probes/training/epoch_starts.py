"""Worker processes of a loader that are started for each epoch, and hardly have a batch each."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from medic.errors import Unreadable
from medic.facts import Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of
from medic.run_config import RunConfig
from medic.text.patterns import regex

from ..flags.script.files import SourceFiles
from ..programs import own_programs, program_text
from .code import calls_in, last
from .places import span_of

CHECK = "loader-restarts-each-epoch"
HEAD = 400  # lines of a log before its steps
LEAST = 3  # epochs: of fewer nothing is lost
# Lightning fit_loop.py: said where an epoch is shorter than log_every_n_steps.
_SHORT = regex(r"The number of training batches \((\d{1,6})\) is smaller than the logging interval")
_EACH = Text(
    "{workers} workers are started anew for each epoch of {batches} batches, {epochs} times in the run",
    "每个 epoch 只有 {batches} 个 batch，却都要重新启动 {workers} 个 worker，整个训练共 {epochs} 次",
)


def run(look: Look) -> Iterator[Finding]:
    """Without ``persistent_workers`` torch ends the workers with their epoch; with fewer batches than
    workers no start is paid back (torch/utils/data/dataloader.py)."""
    config = config_of(look)
    batches, said = _batches(look, config)
    steps = config.integer("total_steps") if config.stated("total_steps") else None
    if batches is None or steps is None or steps < LEAST * batches:
        return
    given = own_programs(look)
    files = SourceFiles(look, given)
    texts: dict[str, str] = {}
    for path in files.given:
        with suppress(Unreadable):
            texts[path] = program_text(look, path)
    kept = ("persistent_workers", "dataloader_persistent_workers")
    if any("persistent_workers" in t for t in texts.values()) or any(map(config.setting, kept)):
        return
    for path, text in texts.items():
        with suppress(Unreadable, RecursionError):
            call, workers = (
                _loader(files.tree(path), config) if "DataLoader(" in text else (None, 0)
            )
            if call is not None and workers >= batches:
                values = {"workers": workers, "batches": batches, "epochs": steps // batches}
                span = span_of(path, text, call)
                line = text.split("\n")[span.line - 1].strip()
                source = Source(files.name(path), span.line, text=line)
                value = {"what": _EACH.fill(values)}
                yield Finding(CHECK, "fires", value, source, more=said, span=span)
                return


def _batches(look: Look, config: RunConfig) -> tuple[int | None, tuple[Source, ...]]:
    """Batches of an epoch, as the log says, or as samples and batch give them."""
    for log in look.files("log"):
        with suppress(Unreadable):
            for number, line in islice(look.lines(log.path), HEAD):
                if found := _SHORT.search(line):
                    return int(found[1]) or None, (Source(log.name, number, text=line.strip()),)
    samples, batch = config.integer("dataset_sequences"), config.integer("micro_batch_size")
    ranks = config.integer("world_size")
    if samples and batch and ranks:
        return max(1, samples // (batch * ranks)), ()
    return None, ()


def _loader(tree: ast.Module, config: RunConfig) -> tuple[ast.Call | None, int]:
    """The first loader with workers, and their number where it is known."""
    for call in calls_in(tree):
        given = next((w.value for w in call.keywords if w.arg == "num_workers"), None)
        if last(call.func) != "DataLoader" or given is None:
            continue
        if isinstance(given, ast.Constant):
            workers = given.value if type(given.value) is int else 0
        else:
            workers = config.integer("num_workers") or 0
        if workers:
            return call, workers
    return None, 0


PROBE = Probe(
    name="epoch-starts",
    title=Text("what is started for each epoch", "每个 epoch 重新启动的部分"),
    tells=(CHECK,),
    wants=(RunConfig,),
    run=run,
    files=("python",),
    seconds=0.05,
    limit_seconds=10,
)
