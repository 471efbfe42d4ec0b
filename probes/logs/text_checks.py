"""Checks that a single log line answers: a table of words, the first case that is seen counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from medic.errors import Unreadable
from medic.facts import Curve, Hit, LogHits, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe
from medic.records import dataclass, replace
from medic.text.patterns import regex
from medic.text.systemwords import in_both

from ..curve.host_memory import endless
from .accounting import LIMIT
from .evidence import hits


@dataclass(frozen=True)
class Case:
    """An outcome, seen if a line of one of these symptoms holds the words (any, if none given)."""

    outcome: str
    symptoms: tuple[str, ...]
    words: str = ""


@dataclass(frozen=True)
class Question:
    """A check with its cases, the most telling first, and its normal outcome."""

    check: str
    normal: str
    cases: tuple[Case, ...]


_UNREADABLE = ("checkpoint-unreadable",)
_WORKER = ("data-loader-worker-killed", "shared-memory-exhausted")
_SHM = ("shared-memory-exhausted", "disk-full", "nccl-error")
# A segment that may not be made, or for want of descriptors, is not for want of room; and that it
# might be so is torch's guess at any bus error.
_NO_ROOM = (
    r"^(?!.*(?:Permission denied|Too many open files|Operation not permitted|"
    r"[Mm]ight be caused|is possible that)).*"
    r"(?:\bshm\b|shared memory|posix_fallocate|shm_open)"
)
_BATCH = ("config-rejected", "batch-product-error")

MESSAGE_LINES = 4  # over which a parser's message goes

# The cgroup of a job or a container, not the machine. An event that Slurm counts may be of either: a
# job that has its node alone is limited by the machine.
_CGROUP = (
    r"Memory cgroup out of memory|CONSTRAINT_MEMCG|OOMKilled|"
    r"[Ee]xceeded (?:job|step) memory limit|exceeded (?:virtual )?memory limit \("
)
_BY_SLURM = regex(r"slurmstepd: |srun: error: |oom[-_]kill event|OUT_OF_ME")
_GRANTED = regex(r"^\s*(?:#SBATCH|srun|sbatch|salloc)\b.*\s--mem(?:-per-(?:cpu|gpu))?[= ][1-9]")
QUESTIONS: tuple[Question, ...] = (
    Question("bind-error", "none", (Case("address-in-use", ("port-in-use",)),)),
    Question(
        "write-error",
        "none",
        (
            Case("shared-memory", _SHM, _NO_ROOM),
            Case(
                "quota-exceeded", ("disk-full",), r"[Dd]isk quota exceeded|uota exceeded|Errno 122"
            ),
            Case(
                "no-space", ("disk-full",), r"No space left on device|No space left|ENOSPC|Errno 28"
            ),
            Case("cut-short", ("disk-full",), r"unexpected pos|PytorchStreamWriter failed"),
            Case("not-opened", ("disk-full",), r"cannot be opened"),
        ),
    ),
    Question(
        "config-message",
        "none",
        (
            Case("duplicate-key", ("config-rejected",), r"[Dd]uplicate key"),
            Case("number-as-text", ("config-rejected",), r"'str'|\"str\"|of type \"str\""),
            Case("values-disagree", _BATCH, r"that mismatch|ds train_batch_size=\d+ vs hf"),
            Case("unreadable", ("config-rejected",), r"yaml\.|JSONDecodeError|toml"),
        ),
    ),
    Question(
        "host-kill-record",
        "not-killed",
        (
            Case(
                "allocation-refused",
                ("host-out-of-memory",),
                r"DefaultCPUAllocator|(?:numpy|np)\S*ArrayMemoryError|"
                r"Unable to allocate [\d.]+ [KMGTP]i?B for an array",
            ),
            Case("limit-recorded", ("host-out-of-memory",), _CGROUP),
            Case(
                "memory-recorded",
                ("host-out-of-memory",),
                r"ut of memory: Kill|oom[-_ ]?kill|OUT_OF_ME|Out Of Memory|memory limit|"
                r"running low on memory|low on resource: memory|[Mm]emory ?[Pp]ressure|"
                r"ray\.exceptions\.OutOfMemory|MemoryError|"
                r"[Cc]an't allocate memory|not enough memory|Cannot allocate memory|bad_alloc",
            ),
            Case("killed-without-record", ("host-out-of-memory",)),
        ),
    ),
    Question(
        "link-error",
        "none",
        (
            Case("gpu-link-fault", ("link-fault",), r"(?i)nvlink|xid|fallen off|GPU is lost"),
            Case("port-down", ("link-fault",), r"[Ll]ink (?:is )?[Dd]own|port error|PORT_ERR"),
            Case("retries-exhausted", ("link-fault",), r"(?:error |status=|\()\s*12\b|RETRY_EXC"),
        ),
    ),
    Question(
        "load-message",
        "none",
        (
            Case("pointer-or-page", _UNREADABLE, r"invalid load key, '[v<]'"),
            # The length that the first bytes say is impossible: text, a zip or a pickle give it alike.
            Case("no-such-header", _UNREADABLE, r"HeaderTooLarge|header too large"),
            Case("refused", _UNREADABLE, r"[Ww]eights ?[Oo]nly|WeightsUnpickler"),
            Case("not-found", _UNREADABLE, r"[Cc]an't find|No valid checkpoint|Unable to find"),
            Case(
                "truncated",
                _UNREADABLE,
                r"PytorchStreamReader|truncated|Ran out of input|unexpected EOF|wrong byte size|"
                r"HeaderToo|InvalidHeader|Incomplete|incomplete|invalid load key|corrupt",
            ),
        ),
    ),
    Question(
        "worker-exit",
        "none",
        (
            Case("bus-error", _WORKER, r"[Bb]us error|out of shared memory"),
            Case("killed", _WORKER, r"killed by signal: Killed"),
            Case("crashed", _WORKER, r"killed by signal: (?:Segm|Abort|Illegal|Floating)"),
            Case("vanished", ("data-loader-worker-killed",), r"exited unexpectedly"),
        ),
    ),
)


def run(look: Look) -> Iterator[Finding]:
    found = plain(list(hits(look.fact(LogHits))))
    for question in QUESTIONS:
        finding = answer(question, found)
        if finding.outcome == "memory-recorded":
            finding = of_the_grant(look, finding)
        if finding.outcome == "limit-recorded" and look.has(Curve) and endless(look.fact(Curve)):
            finding = replace(finding, outcome="limit-after-growth")
        yield finding


def of_the_grant(look: Look, finding: Finding) -> Finding:
    """The kill that Slurm counts as one of the job's own limit, where the accounting saw it at what
    was granted, or the script asks for a part of the node's memory: --mem=0 asks for all of it."""
    share = finding.value.get("share")
    if isinstance(share, float) and share >= LIMIT:
        return replace(finding, outcome="limit-recorded")
    if not _BY_SLURM.search(finding.source.text):
        return finding
    for file in look.files("script"):
        with suppress(Unreadable):
            for number, line in look.lines(file.path):
                if _GRANTED.search(line):
                    asked = Source(file.name, number, text=line.strip())
                    return replace(finding, outcome="limit-recorded", more=(asked,))
    return finding


def plain(found: Sequence[Hit]) -> list[Hit]:
    """The hits without those of lines of which it is doubted that this program printed them, nor
    of lines near by that show the same and may be of the same message: what is doubted once is
    not told by a second check."""
    doubted = [h for h in found if h.shared]

    def near(hit: Hit) -> bool:
        return any(
            (hit.symptom, hit.source.file) == (other.symptom, other.source.file)
            and abs(hit.source.line - other.source.line) <= MESSAGE_LINES
            for other in doubted
        )

    return [h for h in found if not near(h)] if doubted else list(found)


def answer(question: Question, found: Sequence[Hit]) -> Finding:
    """The check's outcome for these hits, in the order of time."""
    for case in question.cases:
        for hit in found:
            if hit.symptom in case.symptoms and re.search(in_both(case.words), hit.source.text):
                value = dict(hit.captures)
                return Finding(question.check, case.outcome, value=value, source=hit.source)
    return Finding(question.check, question.normal)


PROBE = Probe(
    name="log-text",
    title=Text("lines that answer checks", "能直接说明问题的日志行"),
    tells=tuple(q.check for q in QUESTIONS),
    run=run,
    needs=(LogHits,),
    wants=(Curve,),
    seconds=0.01,
    limit_seconds=5.0,
)
