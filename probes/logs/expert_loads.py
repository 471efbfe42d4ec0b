"""How evenly the experts of a mixture are used, where a log prints the load of each as a list, or
how many of them got nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import LogHits, Source, StepLine
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip
from medic.text.patterns import regex

from ..curve.experts import BUSIEST, DEAD, SYMPTOM, UNBALANCED
from .digits import whole

EARLY = 100  # steps: until then every router is uneven
MIN_EXPERTS = 4
# A tenth of the experts without a token is more than a few that start late (Switch, DeepSeek-V3
# keep all in use); above 5% dropped tokens cost quality (Switch Transformers, section 2.2).
UNUSED, LAST = 0.1, 5  # share; logged lines at the end that all tell so
SCANNED = 500  # step lines
_UNUSED = regex(
    r"(?i)(?:\b|_)(?:(?:unused|dead|idle|inactive|starved)[_ -]?experts?|"
    r"experts?[_ -]?(?:unused|dead|idle|inactive|starved))['\"]?\s*[:=]?\s*['\"]?(\d{1,5})\s*(?:/|of)\s*(\d{1,5})"
)
_DROPPED = regex(
    r"(?i)(?:\b|_)(?:dropped[_ -]?tokens?|tokens?[_ -]?dropped|(?:token[_ -]?)?drop[_ -]?(?:rate|ratio|frac(?:tion)?))"
    r"(?:[_ -]?(?:rate|ratio|frac(?:tion)?|share))?['\"]?\s*[:=]?\s*(\d{1,3}(?:\.\d+)?%|0?\.\d+)"
)
# Dropped in the last lines: twice what costs quality; less may be one layer, or a router on its way.
MANY, DROPS = 0.1, "tokens-dropped"
_NONE = Text("{count} of {total} experts get no token", "{total} 个专家中有 {count} 个没有 token")
_AND = Text("{none}, {share} of the tokens are dropped", "{none}，{share} 的 token 被丢弃")
# The list behind the load's own name: a line begins with a date in brackets, too.
_LIST = regex(
    r"(?i)\b(?:tokens?[ _]per[ _]expert|experts?[ _](?:loads?|tokens|counts?|usage))\b"
    r"(?:[^\[\n]{0,60}\[([^\[\]]{7,20000})\]|[ :=]{1,4}((?:\d[\d.eE+-]*%?[ ,]+){3,1023}\d[\d.eE+-]*))"
)
_NUMBER = regex(r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")


def run(look: Look) -> Iterator[Finding | Skip]:
    logs = look.fact(LogHits)
    if drops := _dropped(logs.steps):
        yield drops
    if told := _without_tokens(logs.steps):
        yield told
        return
    marks = [m.source for m in logs.marks if m.signature == "expert-loads"]
    if not marks or logs.last_step is None or logs.last_step < EARLY:
        yield Skip(Text("the load of each expert in a log", "日志中各专家的负载"), check=SYMPTOM)
        return
    found = [(source, loads) for source in marks if (loads := loads_of(source.text))]
    if not found:
        return
    source, ratio, least = _of_the_last_step(logs, found)
    if ratio > UNBALANCED or least < DEAD:
        busiest = BUSIEST.fill(ratio=f"{ratio:.2f}")
        value = {
            "told": busiest,
            "step": _step(logs, source),
            "ratio": f"{ratio:.2f}",
            "least": f"{least:.2f}",
        }
        yield Finding(SYMPTOM, value=value, source=source)


def _of_the_last_step(
    logs: LogHits, found: Sequence[tuple[Source, list[float]]]
) -> tuple[Source, float, float]:
    """(line, busiest, idlest) of the layer in the middle, of those that the last step printed: one
    layer alone may be uneven in a run that is sound."""
    last = _step(logs, found[-1][0])
    of_it = [one for one in found if _step(logs, one[0]) == last]
    layers = sorted(
        (
            len(loads) * max(loads) / sum(loads),
            len(loads) * min(loads) / sum(loads),
            source.line,
            source,
        )
        for source, loads in of_it
    )
    ratio, least, _, source = layers[(len(layers) - 1) // 2]
    return source, ratio, least


def _without_tokens(steps: Sequence[StepLine]) -> Finding | None:
    """Experts that get nothing, as many in all of the last lines that tell their number."""
    told = [(s, found) for s in steps[-SCANNED:] if (found := _UNUSED.search(s.source.text))]
    if len(told) < LAST or told[-1][0].step < EARLY:
        return None
    last = told[-LAST:]
    if any(whole(f[2]) < MIN_EXPERTS or whole(f[1]) > whole(f[2]) for _, f in last):
        return None
    if min(whole(f[1]) / whole(f[2]) for _, f in last) < UNUSED:
        return None
    step, found = told[-1]
    words = _NONE.fill(count=whole(found[1]), total=whole(found[2]))
    if dropped := _DROPPED.search(step.source.text):
        share = dropped[1] if dropped[1].endswith("%") else f"{float(dropped[1]):.0%}"
        words = _AND.fill(none=words, share=share)
    value = {"told": words, "step": step.step, "unused": whole(found[1]) / whole(found[2])}
    return Finding(SYMPTOM, value=value, source=step.source)


def _dropped(steps: Sequence[StepLine]) -> Finding | None:
    """The share of dropped tokens, where all of the last lines that tell one say that it is large."""
    told = [
        (s, float(f[1].rstrip("%")) / (100 if f[1].endswith("%") else 1))
        for s in steps[-SCANNED:]
        if (f := _DROPPED.search(s.source.text))
    ]
    if len(told) < LAST or told[-1][0].step < EARLY:
        return None
    least = min(share for _, share in told[-LAST:])
    step, share = told[-1]
    value = {"share": f"{share:.0%}", "step": step.step}
    outcome = "present" if least >= MANY else "absent"
    return Finding(DROPS, outcome, value=value, source=step.source)


def loads_of(line: str) -> list[float]:
    """The numbers behind a load's name; none where they are too few to be told from others."""
    listed = _LIST.search(line)
    loads = [float(n) for n in _NUMBER.findall(listed[1] or listed[2])] if listed else []
    return loads if len(loads) >= MIN_EXPERTS and sum(loads) > 0 else []


def _step(logs: LogHits, source: Source) -> int:
    """The last one that the same file tells above the line, else the last of all."""
    above = [
        s.step for s in logs.steps if s.source.file == source.file and s.source.line <= source.line
    ]
    return max(above, default=logs.last_step or 0)


PROBE = Probe(
    name="expert-loads",
    title=Text("load of the experts in the logs", "日志中的专家负载"),
    tells=(SYMPTOM, DROPS),
    needs=(LogHits,),
    reliability="heuristic",
    seconds=0.01,
    limit_seconds=5.0,
    run=run,
)
