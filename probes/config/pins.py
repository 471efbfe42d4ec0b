"""Versions that requirements, project files, lock files and comments state, and what fits them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from medic.facts import Release
from medic.i18n import Text
from medic.text.patterns import regex
from medic.versions import has, index_name

# Names of the package index; the value is the framework entry that the package is, if any.
PACKAGES = {
    "accelerate": "accelerate",
    "axolotl": "axolotl",
    "deepspeed": "deepspeed",
    "lightning": "lightning",
    "litgpt": "litgpt",
    "llamafactory": "llama-factory",
    "megatron-core": "megatron",
    "ms-swift": "ms-swift",
    "nanotron": "nanotron",
    "nemo-toolkit": "nemo",
    "openrlhf": "openrlhf",
    "peft": "",
    "pytorch-lightning": "lightning",
    "torch": "",
    "torchtitan": "torchtitan",
    "torchtune": "torchtune",
    "transformers": "hf-trainer",
    "trl": "trl",
    "verl": "verl",
}
_NAMES = "|".join(
    sorted((re.escape(n).replace(r"\-", "[-_]") for n in PACKAGES), key=len, reverse=True)
)
_NUMBER = r"\d+(?:\.\d+)+(?:\.?(?:dev|post|rc|a|b)\d*)?"
# transformers[torch]==4.57.1, "trl>=0.20,<1", - deepspeed=0.15, transformers = "^4.57"
_REQUIRED = regex(
    rf"^\s*(?:-\s+)*[\"']?(?P<name>{_NAMES})(?:\[[\w,\s-]*\])?[\"']?\s*"
    r"(?P<spec>(?:=\s*[\"'{]|[=<>~^!@]).*)$",
    re.IGNORECASE,
)
_ONE = regex(rf"(?P<how>===?|>=|<=|~=|\^|>|<|!=|(?<![<>=~!])=)?\s*v?(?P<version>{_NUMBER}|\d+)")
_REPOSITORY = regex(
    rf"^\s*(?:-\s+)*[\"']?git\+\S*/(?P<name>{_NAMES})(?:\.git)?@v?(?P<version>{_NUMBER})\b",
    re.IGNORECASE,
)
_TAG = regex(rf"@v?(?P<version>{_NUMBER})\b")
_LOCKED_NAME = regex(rf"^name = \"(?P<name>{_NAMES})\"$")
_LOCKED = regex(rf"^version = \"(?P<version>{_NUMBER})[\w.+]*\"$")
_COMMENT = regex(
    rf"#.*?(?<![\w./-])(?P<name>{_NAMES})\s*(?P<how>==|>=|<=|<|>|~=|@|:|\bversion\b)?\s*"
    rf"v?(?P<version>{_NUMBER})(?![\w/-])",
    re.IGNORECASE,
)
_FIELD = regex(rf"[\"']?transformers_version[\"']?\s*[:=]\s*[\"']?(?P<version>{_NUMBER})")

_KNOWN = Text("{what} ({n} {v}, {where})", "{what}（{n} {v}，{where}）")
_NOT_KNOWN = Text(
    "{what} (holds for {n} {spec}; not known which version runs)",
    "{what}（适用于 {n} {spec}；未知实际使用的版本）",
)
# (package, low, high, below, line): the bounds of a Release.
Pin = tuple[str, str, str, str, int]


def pinned(lines: Sequence[str]) -> Iterator[Pin]:
    """What requirements, a project file or a lock file states."""
    locked = ""
    for number, line in enumerate(lines, 1):
        if line.startswith("name = "):
            name = _LOCKED_NAME.match(line)
            locked = index_name(name["name"]) if name else ""
        elif locked and (version := _LOCKED.match(line)):
            yield locked, version["version"], version["version"], "", number
            locked = ""
        elif tagged := _REPOSITORY.match(line):
            yield index_name(tagged["name"]), tagged["version"], tagged["version"], "", number
        elif found := _REQUIRED.match(line.partition(" #")[0]):
            low, high, below = _bounds(found["spec"].partition(";")[0])
            if low or high or below:
                yield index_name(found["name"]), low, high, below, number


def noted(lines: Sequence[str]) -> Iterator[Pin]:
    """What a comment of a configuration says, and the field that transformers writes."""
    for number, line in enumerate(lines, 1):
        if "#" in line and (found := _COMMENT.search(line)):
            how = found["how"] or "=="
            low, high, below = _bounds((how if how[0] in "=<>~" else "==") + found["version"])
            yield index_name(found["name"]), low, high, below, number
        elif "transformers_version" in line and (field := _FIELD.search(line)):
            yield "transformers", field["version"], field["version"], "", number


def _bounds(spec: str) -> tuple[str, str, str]:
    """(low, high, below) of a specifier: ==, a range, ~=, ^, or the tag of a repository."""
    if "git+" in spec or "://" in spec:
        tag = _TAG.search(spec)
        return (tag["version"], tag["version"], "") if tag else ("", "", "")
    low = high = below = ""
    for one in _ONE.finditer(spec):
        how, version = one["how"] or "", one["version"]
        if how in ("==", "===", "=") and not spec[one.end() :].startswith((".*", "*")):
            return version, version, ""
        if how in (">=", "~=", "^", ">"):
            low = version
        if how == "<":
            below = version
        elif how == "<=":
            high = version
        if how in ("~=", "^"):
            below = _next(version, caret=how == "^")
    return low, high, below


def _next(version: str, *, caret: bool) -> str:
    """The first version that is left out: of ``^1.2`` 2, of ``^0.20.0`` 0.21 (Poetry: the first
    number that is not 0 stays), of ``~=1.2.0`` 1.3 (PEP 440: all numbers but the last stay).
    """
    numbers = [int(n) for n in re.findall(r"\d+", re.split(r"\.?[a-z]", version)[0])]
    keep = max(1, len(numbers) - 1)
    if caret:
        keep = next((at for at, number in enumerate(numbers, 1) if number), len(numbers))
    return ".".join(map(str, [*numbers[: keep - 1], numbers[keep - 1] + 1]))


def fits(spec: str, release: Release) -> bool | None:
    """Whether all versions that may run fit ``>=5.0``, ``<1.0`` or ``>=4.46,<5.0``; None if only
    some of them do.
    """
    if release.version:
        return has(release.version, spec)
    answers = [_fits_one(part.strip(), release) for part in spec.split(",")]
    if False in answers:
        return False
    return None if None in answers else True


def _fits_one(part: str, release: Release) -> bool | None:
    """``part``: ``>=`` or ``<`` with a version; of a release that is a range."""
    bound = part.lstrip("<>=")
    at_least: bool | None = None  # whether all that may run is at or above the bound
    if release.low and has(release.low, f">={bound}"):
        at_least = True
    elif (release.high and has(release.high, f"<{bound}")) or (
        release.below and has(release.below, f"<={bound}")
    ):
        at_least = False
    return at_least if part.startswith(">=") or at_least is None else not at_least


class Bounded(Protocol):
    """A rule that some versions have; see ``entries.Rule``."""

    @property
    def holds_in(self) -> Mapping[str, str]: ...
    @property
    def only_in(self) -> Mapping[str, str]: ...


def left_out(rule: Bounded, releases: Mapping[str, Release]) -> bool:
    """Whether a rule holds for no version that may run, or needs one that is not known."""
    told = _answers(rule.holds_in, releases)
    return False in told or (bool(rule.only_in) and True not in _answers(rule.only_in, releases))


def certain(rule: Bounded, releases: Mapping[str, Release]) -> bool:
    """Whether a rule that is bounded by version is known to hold."""
    return True in _answers({**rule.holds_in, **rule.only_in}, releases)


def _answers(specs: Mapping[str, str], releases: Mapping[str, Release]) -> list[bool | None]:
    return [fits(spec, releases[name]) for name, spec in specs.items() if name in releases]


def bounded(what: Text, rule: Bounded, releases: Mapping[str, Release]) -> Text:
    """What is said, with the version that makes it so, or with those for which it holds."""
    specs = {**rule.holds_in, **rule.only_in}
    for name, spec in specs.items():
        release = releases.get(name)
        if release is not None and fits(spec, release):
            version = release.version or f">={release.low}" * bool(release.low)
            where = release.source.where()
            return _KNOWN.fill(what=what, n=name, v=version or f"<{release.below}", where=where)
    if not specs:
        return what
    name, spec = next(iter(specs.items()))
    return _NOT_KNOWN.fill(what=what, n=name, spec=spec)


def version_of(framework: str, releases: Mapping[str, Release]) -> str:
    """The version of a framework, if one is known."""
    found = (releases.get(name) for name, entry in PACKAGES.items() if entry == framework)
    return next((release.version for release in found if release and release.version), "")
