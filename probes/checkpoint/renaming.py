"""How the names in a checkpoint become the names that a model wants.

A wrapper (DataParallel, torch.compile, FSDP, PEFT, …) adds a part to every name. The rule that
undoes it is found from the names themselves: by the start that would have to go or to come for a
name to be known on the other side, and by dropping the parts that only wrappers add.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from medic.records import dataclass

# Parts that a wrapper puts anywhere into a name: torch DDP and DataParallel, torch.compile, FSDP,
# activation checkpointing, DeepSpeed, Accelerate, torch.ao.
WRAPPERS = frozenset(
    {
        "module", "_orig_mod", "_fsdp_wrapped_module", "_forward_module", "_fpw_module",
        "_checkpoint_wrapped_module", "_dp_module", "_ddp_module", "_original_module",
        "_wrapped_module",
    }
)  # fmt: skip
# PEFT puts the adapter's name into those of its factors, "default" where none was given, and takes it
# out where it saves; as a part of other names it may be meant.
_ADAPTER = "default"
_REMOVABLE = WRAPPERS | {_ADAPTER}
# Starts that a model class adds to the names of its body.
STARTS = ("base_model.model.", "model.", "transformer.", "base_model.", "language_model.")
SAMPLE = 200  # names that vote for a start
ENOUGH = 4_000  # names that decide between the rules
CANDIDATES = 8
SIMPLEST = 1  # cost of a rule with one change


@dataclass(frozen=True)
class Rule:
    """Drops parts, then replaces a start. ``guarded`` leaves names that the model has as they are.

    ``wraps`` maps through the unwrapped form of both sides: the model itself is wrapped.
    """

    drops: tuple[str, ...] = ()
    strip: str = ""
    add: str = ""
    guarded: bool = False
    wraps: bool = False

    @property
    def cost(self) -> int:
        """How much a reader has to take in; the simplest rule that maps as much wins."""
        return (
            2 * bool(self.drops) + bool(self.strip) + bool(self.add) + self.guarded + 6 * self.wraps
        )

    def changes(self) -> bool:
        return self != Rule()

    def apply(self, name: str, wanted: Collection[str]) -> str:
        if self.guarded and name in wanted:
            return name
        if self.drops:
            name = ".".join(p for p in name.split(".") if p not in self.drops)
        if self.strip:
            if not name.startswith(self.strip):
                return name
            name = name[len(self.strip) :]
        return self.add + name

    def mapping(self, names: Iterable[str], wanted: Collection[str]) -> dict[str, str]:
        """name -> the model's name for it."""
        if self.wraps:
            back = {unwrap(w): w for w in wanted}
            return {n: back.get(unwrap(n), n) for n in names}
        return {n: self.apply(n, wanted) for n in names}

    def snippet(self) -> str:
        """Python that renames ``state`` for ``model``; runs as it stands on Python >= 3.9."""
        if self.wraps:
            return _WRAPPED.format(parts=_tuple(sorted(_REMOVABLE)))
        name = "k"
        if self.drops:
            name = f'".".join(p for p in k.split(".") if p not in {_tuple(self.drops)})'
        if self.strip and self.add:
            name = f"re.sub({'^' + _escaped(self.strip)!r}, {self.add!r}, {name})"
        elif self.strip:
            name = f"{name}.removeprefix({_quoted(self.strip)})"
        elif self.add:
            name = f"{_quoted(self.add)} + {name}"
        lines = ["import re"] if self.strip and self.add else []
        if self.guarded:
            lines.append("names = set(model.state_dict())")
            name = f"k if k in names else {name}"
        return "\n".join([*lines, f"state = {{{name}: v for k, v in state.items()}}"])


_WRAPPED = """\
def unwrapped(name):
    return ".".join(p for p in name.split(".") if p not in {parts})
names = {{unwrapped(k): k for k in model.state_dict()}}
state = {{names.get(unwrapped(k), k): v for k, v in state.items()}}"""


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _tuple(parts: Iterable[str]) -> str:
    return "(" + "".join(_quoted(p) + ", " for p in parts).rstrip() + ")"


def _escaped(text: str) -> str:
    return text.replace(".", r"\.")


def unwrap(name: str) -> str:
    """The name without the parts that wrappers add."""
    return ".".join(p for p in name.split(".") if p not in _REMOVABLE)


def find_rule(have: Collection[str], wanted: Collection[str]) -> Rule:
    """The simplest rule under which most of ``have`` are names in ``wanted``."""
    wanted = set(wanted)
    have = _sample(set(have), ENOUGH)
    best, matched = Rule(), sum(n in wanted for n in have)
    full = min(len(have), len(wanted))
    if matched == full:
        return best
    for rule in _candidates(have, wanted):
        if matched == full and best.cost <= SIMPLEST:
            break
        if matched == full and best.cost <= rule.cost:
            continue
        names = set(rule.mapping(have, wanted).values())
        count = len(names & wanted) if len(names) == len(have) else 0  # no two may fall together
        if count > matched or (count == matched and rule.cost < best.cost):
            best, matched = rule, count
    return best


def _candidates(have: Collection[str], wanted: set[str]) -> Iterator[Rule]:
    yield from _starts(have, wanted, ())
    inside = tuple(sorted({p for n in have for p in n.split(".")} & _REMOVABLE))
    for drops in dict.fromkeys((inside, tuple(p for p in inside if p != "module"))):
        if drops:
            yield Rule(drops=drops)
            dropped = {".".join(p for p in n.split(".") if p not in drops) for n in have}
            yield from _starts(dropped, wanted, drops)
    if any(p in _REMOVABLE for n in wanted for p in n.split(".")):
        yield Rule(wraps=True)


def _starts(have: Collection[str], wanted: set[str], drops: tuple[str, ...]) -> Iterator[Rule]:
    """Rules that replace a start, the ones that fit most sampled names first."""
    known = set(have)
    ours, theirs = _sample(known - wanted), _sample(wanted - known)
    votes: Counter[tuple[str, str]] = Counter()
    for name in ours:
        votes.update((start, "") for start, rest in _splits(name) if rest in wanted)
    for name in theirs:
        votes.update(("", start) for start, rest in _splits(name) if rest in known)
    yield from _rules(votes, drops)
    if max(votes.values(), default=0) < min(len(ours), len(theirs)):
        yield from _rules(_swaps(ours, wanted - known), drops)


def _rules(votes: Counter[tuple[str, str]], drops: tuple[str, ...]) -> Iterator[Rule]:
    for (strip, add), _ in votes.most_common(CANDIDATES):
        yield Rule(drops, strip, add)
        yield Rule(drops, strip, add, guarded=True)


def _swaps(ours: list[str], theirs: set[str]) -> Counter[tuple[str, str]]:
    """Starts that differ on both sides before the longest common end, of at least two parts."""
    ends = {rest: start for n in ours for start, rest in _splits(n) if "." in rest}
    votes: Counter[tuple[str, str]] = Counter()
    for name in theirs:
        for start, rest in _splits(name):
            if rest in ends:
                votes[ends[rest], start] += 1
                break
    return votes


def _sample(names: set[str], count: int = SAMPLE) -> list[str]:
    """Names from all over the set, at most about twice ``count``."""
    ordered = sorted(names)
    return ordered[:: max(1, len(ordered) // count)]


def _splits(name: str) -> Iterator[tuple[str, str]]:
    """(start with its dot, rest) at every dot, the shortest start first."""
    at = name.find(".")
    while at >= 0:
        yield name[: at + 1], name[at + 1 :]
        at = name.find(".", at + 1)


def wrapper_start(names: Collection[str]) -> str:
    """The start made of wrapper parts (or a known class start) that all the names share; or ""."""
    start = ""
    rest = list(names)
    while rest:
        part = rest[0].split(".", 1)[0]
        if part not in WRAPPERS or any(not n.startswith(part + ".") for n in rest):
            break
        start += part + "."
        rest = [n[len(part) + 1 :] for n in rest]
    if start or not rest:
        return start
    return next((s for s in STARTS if all(n.startswith(s) for n in rest)), "")
