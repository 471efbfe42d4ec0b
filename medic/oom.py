"""An out-of-memory message beside the estimate of the run that wrote it: what is too big, and what
would make it fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from medic.facts import Hit, LogHits, MemoryEstimate, Source
from medic.facts.memory import GIB, fitting, gib, numbers_of, others_of, room_of, wanted_of
from medic.i18n import Text
from medic.index.knowledge import Index
from medic.records import dataclass
from medic.run_config import RunConfig
from medic.runner.evidence import Evidence

if TYPE_CHECKING:  # the estimate is loaded for a run with a config, not for any log
    from medic.memory.remedies import Advice

SYMPTOM = "cuda-out-of-memory"
OTHERS = GIB  # what other processes hold beyond it counts (see the check oom-shortfall)
LOOSE = GIB


@dataclass(frozen=True)
class Account:
    """The numbers of a message in bytes, what they say, and the estimate of the run with remedies.

    ``found`` and ``advice`` are None where no config tells of the run. ``diff``: the plan on the
    user's files. ``room``: bytes that the changes have to fit.
    """

    numbers: Mapping[str, int]
    source: Source | None
    says: tuple[Text, ...]
    found: MemoryEstimate | None = None
    advice: Advice | None = None
    diff: str = ""
    room: int = 0


def of_run(evidence: Evidence, index: Index) -> Account | None:
    """The account of the run's first message that tells numbers; None if there is none."""
    logs = evidence.fact(LogHits)
    if logs is None or logs.ended == "well":
        return None
    hit = _first([h for h in logs.hits if not h.benign])
    if hit is None:
        return None
    numbers = numbers_of(hit.captures)
    config = evidence.fact(RunConfig)
    if config is None:
        return Account(numbers, hit.source, tuple(_says(numbers, None, room_of(numbers))))
    return _estimated(numbers, hit.source, config, evidence, index)


def _estimated(
    numbers: Mapping[str, int],
    source: Source,
    config: RunConfig,
    evidence: Evidence,
    index: Index,
) -> Account:
    """The account of a run whose config is known."""
    from medic.memory.estimate import estimate
    from medic.memory.named import with_model
    from medic.memory.remedies import advise
    from medic.memory.usual import with_usual
    from medic.sizing import as_diff

    config, _ = with_usual(with_model(config, index)[0])
    room = room_of(numbers)
    found = estimate(config, room)
    if found.low is None:
        return Account(numbers, source, tuple(_says(numbers, None, room)))
    fit = _held_to(found, wanted_of(numbers), room)
    advice = advise(config, fit)
    diff = as_diff(advice, config, evidence.facts, index)
    says = [*_says(numbers, found, room)]
    if fit < room and advice.alone:
        line = Text(
            "what was wanted lies above the estimate, within its range: the changes are held to fit "
            "{n} of the {room}",
            "实际所需高于估计值但仍在其范围内：下列修改按 {room} 中的 {n} 来判断",
        )
        says.append(line.fill(n=gib(fit), room=gib(room)))
    return Account(numbers, source, tuple(says), found, advice, diff, fit)


def _held_to(found: MemoryEstimate, need: int | None, room: int) -> int:
    """The room; where the estimate itself would fit it, less by as much as the run wanted more, if the
    range holds that: what is computed for the changed run falls short by as much."""
    likely, high = found.estimate, found.high
    if need is None or not likely or high is None or found.not_measured:
        return room
    return room * likely // need if likely <= fitting(room) and room < need <= high else room


def of_words(words: str, index: Index) -> Account | None:
    """The account of a pasted message, without a run."""
    if "memory" not in words.lower():
        return None
    from medic.match.quotes import quoted

    hit = _first(quoted(words, index))
    if hit is None:
        return None
    numbers = numbers_of(hit.captures)
    return Account(numbers, None, tuple(_says(numbers, None, numbers["total"])))


def _first(hits: Sequence[Hit]) -> Hit | None:
    told = (h for h in hits if h.symptom == SYMPTOM)
    return next((h for h in told if {"total", "request"} <= numbers_of(h.captures).keys()), None)


def _says(numbers: Mapping[str, int], found: MemoryEstimate | None, room: int) -> Iterator[Text]:
    """What follows from the numbers, and from the estimate beside them."""
    need, beside = wanted_of(numbers), others_of(numbers)
    if need is not None and need > room:
        line = Text(
            "this process wanted {need}, {over} more than it could have",
            "本进程共需 {need}，超出可用 {over}",
        )
        yield line.fill(need=gib(need), over=gib(need - room))
    if beside is not None and beside > OTHERS:
        line = Text("other processes hold {n} of this GPU", "该 GPU 上其他进程占用 {n}")
        if "process" not in numbers:
            line = Text("other processes hold about {n} of this GPU", "该 GPU 上其他进程约占用 {n}")
        yield line.fill(n=gib(beside))
    loose, request = numbers.get("unallocated", 0), numbers["request"]
    if loose >= request and loose > LOOSE:
        line = Text(
            "fragmentation: {n} reserved but unallocated, more than the {r} wanted, in pieces",
            "碎片化：已保留未分配 {n}，多于所需的 {r}，但不连续",
        )
        yield line.fill(n=gib(loose), r=gib(request))
    if found is not None:
        yield _beside(found, need, room, whole=(beside or 0) <= OTHERS)
        if _alone(found, room, numbers["total"]):
            yield Text("without other processes it would fit the card", "没有其他进程时显卡放得下")


def _alone(found: MemoryEstimate, room: int, total: int) -> bool:
    """Whether what is too big for the room fits the whole card."""
    likely, high = found.estimate, found.high
    if likely is None or high is None or found.not_measured:
        return False
    return likely > room and high <= fitting(total)


def _beside(found: MemoryEstimate, need: int | None, room: int, *, whole: bool = True) -> Text:
    """The estimate against the room, and against what was wanted."""
    from medic.memory.verdict import NEAR

    low, likely, high = found.low or 0, found.estimate, found.high
    if likely is None or found.not_measured:
        if low > room:
            line = Text(
                "the configured step needs at least {n}: too big by {over}",
                "按配置单步至少需要 {n}：超出 {over}",
            )
            return line.fill(n=gib(low), over=gib(low - room))
        return Text("the configured step needs at least {n}", "按配置单步至少需要 {n}").fill(
            n=gib(low)
        )
    if likely > room:
        line = Text(
            "the configured step needs about {n} ({low} to {high}): too big by {over}, no leak",
            "按配置单步约需 {n}（{low} 至 {high}）：超出 {over}，并非泄漏",
        )
        if not whole:
            line = Text(
                "the configured step needs about {n} ({low} to {high}): too big by {over} for what others leave",
                "按配置单步约需 {n}（{low} 至 {high}）：比其他进程留下的多 {over}",
            )
        return line.fill(n=gib(likely), low=gib(low), high=gib(high or 0), over=gib(likely - room))
    if need is not None and high is not None and need > high:
        line = Text(
            "the configured step needs {n} at most, {need} were wanted: {over} that the config "
            "does not tell of (a longer sample, growth over the steps, a second model, evaluation)",
            "按配置单步最多需要 {n}，实际要 {need}：多出的 {over} 不在配置之内（更长的样本、"
            "逐步增长、第二个模型或评估）",
        )
        return line.fill(n=gib(high), need=gib(need), over=gib(need - high))
    if high is not None and high <= fitting(room):
        line = Text(
            "the configured step needs about {n} ({low} to {high}): that fits the {room} which this "
            "process could have",
            "按配置单步约需 {n}（{low} 至 {high}）：本进程可用的 {room} 放得下",
        )
        return line.fill(n=gib(likely), low=gib(low), high=gib(high), room=gib(room))
    if likely * (1 + NEAR) <= room:
        line = Text(
            "the configured step needs about {n} ({low} to {high}): the {room} which this process could "
            "have most likely hold it, the high end of the range does not fit",
            "按配置单步约需 {n}（{low} 至 {high}）：本进程可用的 {room} 很可能放得下，但范围上限放不下",
        )
        return line.fill(n=gib(likely), low=gib(low), high=gib(high or 0), room=gib(room))
    line = Text(
        "the configured step needs about {n} ({low} to {high}): it is tight",
        "按配置单步约需 {n}（{low} 至 {high}）：余量很小",
    )
    return line.fill(n=gib(likely), low=gib(low), high=gib(high or 0))
