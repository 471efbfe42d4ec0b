"""Ranks of a failed job of which nothing is here: the logs of another node were not copied."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import LogHits, Ranks
from medic.i18n import Text
from medic.probe import Look, Probe, Unread, config_of
from medic.run_config import RunConfig
from medic.text.numbers_in_short import in_short

# What a rank sees of the failure of another one.
_OF_OTHERS = ("collective-timeout", "nccl-error", "collective-mismatch", "rank-exited")
_UNSEEN = Text(
    "no log of them is here ({seen} of {world} ranks have one): what failed first may be told there",
    "此处没有它们的日志（{world} 个 rank 中只有 {seen} 个有）：最先出错的内容可能在那里",
)
SPAN = 3  # two neighbours are named one by one
_NAME = Text("ranks {ranks}", "rank {ranks}")


def run(look: Look) -> Iterator[Unread]:
    logs = look.fact(LogHits)
    world = config_of(look).integer("world_size")
    here = set(logs.ranks) | set(look.fact(Ranks).seen)
    if logs.ended == "well" or not world or not here or max(here) >= world:
        return
    failed = any(h.symptom in _OF_OTHERS and not h.benign for h in logs.hits)
    missing = sorted(set(range(world)) - here)
    if failed and missing:
        why = _UNSEEN.fill(seen=len(here), world=world)
        yield Unread(str(_NAME.fill(ranks=in_short(missing, SPAN))), why, aside=True)


PROBE = Probe(
    name="unseen-ranks",
    title=Text("ranks without a log", "没有日志的 rank"),
    tells=(),
    run=run,
    needs=(LogHits, Ranks),
    wants=(RunConfig,),
    seconds=0.01,
    limit_seconds=5.0,
)
