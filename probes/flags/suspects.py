"""What is wrong with the flags of a run: its command, its parser and its log taken together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from medic.facts import Launch, Option, Parsers, ParserSpec, Source, Word
from medic.records import dataclass, field, replace

from .launch import is_module
from .match import NOWHERE, Match, Unknown, boolean, classify, match
from .rejected import Complaint, Refusals, with_aliases

# Launchers add these themselves: not the user's spelling.
LOCAL_RANK = frozenset({"--local-rank", "--local_rank"})


@dataclass(frozen=True)
class Checked:
    """A launch beside the parser of its script; ``spec`` is None if none could be read."""

    launch: Launch
    spec: ParserSpec | None
    match: Match = field(default_factory=Match)


@dataclass(frozen=True)
class Suspect:
    """A flag that the parser does not know, or a switch with a value.

    ``word`` is where it stands in a script, ``log`` the line that complains of it. ``switch`` is
    the option that takes no value; for a flag that exists only as ``--no-…``, that one.
    """

    flag: str
    value: str | None
    spec: ParserSpec
    word: Word | None = None
    log: Source | None = None
    switch: Option | None = None
    used: frozenset[str] = frozenset()
    launcher: str = ""
    hint: str = ""  # what the parser itself asks whether it was meant
    again: tuple[Word, ...] = ()  # the same flag in other commands


# --- which parser belongs to which command --------------------------------------------------


def script_parts(launch: Launch) -> tuple[str, ...]:
    """The script's path parts; a module name as the path it stands for."""
    text = (launch.script.value or "") if launch.script else ""
    if is_module(launch):
        return tuple((text.replace(".", "/") + ".py").split("/"))
    return PurePosixPath(text).parts


def nearness(launch: Launch, path: str) -> int:
    """How many last parts of a file's path are those of the launched script; 0: another file."""
    parts = script_parts(launch)
    found = _common_tail(parts, PurePosixPath(path).parts)
    if not found and is_module(launch):
        package = (*parts[:-1], parts[-1].removesuffix(".py"), "__main__.py")
        found = _common_tail(package, PurePosixPath(path).parts)
        return found if found > 1 else 0
    return found


def _common_tail(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for a, b in zip(reversed(one), reversed(other), strict=False):
        if a != b:
            break
        count += 1
    return count


def spec_of(launch: Launch, parsers: Parsers, *, alone: bool) -> ParserSpec | None:
    """The parser of a launch's script: its source and its usage text together.

    ``alone``: it is the only launch, so that a usage text under another name is its own, too.
    """
    parts = script_parts(launch)
    given = [p for p in parsers.parsers if p.origin == "source"]
    shared = [(nearness(launch, p.script), p) for p in given]
    best = max((n for n, _ in shared), default=0)
    sources = [p for n, p in shared if n == best and n > 0]
    usages = [p for p in parsers.parsers if p.origin == "usage" and _is_program(p.script, parts)]
    if not usages and not sources and alone:
        usages = [p for p in parsers.parsers if p.origin == "usage"]
    found = [*sources, *usages[:1]] if len(sources) <= 1 else usages[:1]
    return merged(found) if found else None


def _is_program(program: str, parts: Sequence[str]) -> bool:
    if not parts:
        return False
    last = parts[-1]
    return program == last or program.rsplit(".", maxsplit=1)[-1] + ".py" == last


def merged(specs: Sequence[ParserSpec]) -> ParserSpec:
    """One parser as told by its source and by its usage text."""
    first = specs[0]
    if len(specs) == 1:
        return first
    # What reads parsers is much to load, and few commands have two of them.
    from .script.options import add_option, with_negatives
    from .script.values import Parser

    whole = Parser()
    for spec in specs:
        for option in spec.options:
            add_option(whole, option)
    return replace(
        first, options=with_negatives(whole.options), complete=any(s.complete for s in specs)
    )


def check(launches: Sequence[Launch], parsers: Parsers, refusals: Refusals) -> list[Checked]:
    """Every launch matched against its parser."""
    found = []
    for launch in launches:
        spec = spec_of(launch, parsers, alone=len(launches) == 1)
        if spec is None:
            found.append(Checked(launch, None))
        else:
            spec = with_aliases(spec, refusals.complaints)
            found.append(Checked(launch, spec, match(launch.arguments, spec)))
    return found


# --- what is suspect ------------------------------------------------------------------------


def suspects(checked: Sequence[Checked], parsers: Parsers, refusals: Refusals) -> list[Suspect]:
    """All that is wrong, what the log names first; a flag that only exists negated is a switch."""
    found: dict[str, Suspect] = {}
    words: dict[str, list[Word]] = {}
    for suspect in (*_of_log(checked, parsers, refusals), *_of_commands(checked, refusals)):
        old = found.get(suspect.flag)
        if old is None or (old.switch is None and suspect.switch is not None):
            found[suspect.flag] = suspect
        if suspect.word is not None:
            words.setdefault(suspect.flag, []).append(suspect.word)
    return [_as_switch(replace(s, again=tuple(words.get(s.flag, ())))) for s in found.values()]


def _of_log(checked: Sequence[Checked], parsers: Parsers, refusals: Refusals) -> Iterator[Suspect]:
    for complaint in refusals.complaints:
        one = _about(complaint, checked)
        spec = one.spec if one and one.spec else _by_program(complaint.program, parsers)
        if one and not spec.script:
            spec = replace(spec, script=script_parts(one.launch)[-1])
        if complaint.kind == "unrecognized":
            for flag, value in flags_in(complaint.words):
                word = _word_of(flag, one)
                if word is None and flag in LOCAL_RANK:
                    continue
                found = _suspect(flag, value, spec, word, complaint.source, one)
                yield replace(found, hint=complaint.hint)
        elif complaint.kind in ("takes-no-value", "ambiguous"):
            yield from _named(complaint, spec, one)
        yield from _behind_switches(complaint, one)


def _named(complaint: Complaint, spec: ParserSpec, one: Checked | None) -> Iterator[Suspect]:
    typed = [n for n in complaint.names if _word_of(n, one) is not None]
    flag = (typed or list(complaint.names))[-1]
    value = complaint.words[0] if complaint.words else None
    made = _suspect(flag, value, spec, _word_of(flag, one), complaint.source, one)
    if complaint.kind == "takes-no-value":
        known = classify(flag, spec)
        option = getattr(known, "option", None) or Option((flag,), "none")
        made = replace(made, switch=option)
    yield made


def _behind_switches(complaint: Complaint, one: Checked | None) -> Iterator[Suspect]:
    """``unrecognized arguments: true``: the command tells behind which switch it stands."""
    if complaint.kind != "unrecognized" or one is None or one.spec is None:
        return
    for item in one.match.with_value:
        if item.value in complaint.words:
            yield Suspect(item.flag, item.value, one.spec, item.word, complaint.source, item.option)


def _of_commands(checked: Sequence[Checked], refusals: Refusals) -> Iterator[Suspect]:
    for one in checked:
        if one.spec is None:
            continue
        about = [_about(c, checked) for c in refusals.complaints if c.kind == "unrecognized"]
        told = any(other is one for other in about)
        for item in one.match.unknown if _sure(one.spec, told) else ():
            yield _suspect(item.flag, item.value, one.spec, item.word, None, one)
        if one.spec.complete and not told:
            for found in one.match.with_value:
                yield Suspect(found.flag, found.value, one.spec, found.word, switch=found.option)


def _sure(spec: ParserSpec, told: bool) -> bool:
    """Whether a flag that the parser is not known to have is surely unknown to it.

    A usage text shows one name of each option only; where argparse itself listed what it did not
    know, the rest is known.
    """
    if spec.origin == "source":
        return spec.complete
    return spec.complete and not told


def _as_switch(suspect: Suspect) -> Suspect:
    """``--amp true`` where only ``--no-amp`` exists, and the other way round."""
    if suspect.switch is not None:
        return suspect
    base = suspect.flag.lstrip("-")
    bare = base.removeprefix("no-").removeprefix("no_")
    spelt = (f"--{bare}",) if bare != base else (f"--no-{base}", f"--no_{base}")
    for option in suspect.spec.options:
        if option.takes == "none" and set(spelt) & set(option.names):
            return replace(suspect, switch=option)
    return suspect


def _suspect(
    flag: str,
    value: str | None,
    spec: ParserSpec,
    word: Word | None,
    log: Source | None,
    one: Checked | None,
) -> Suspect:
    used = one.match.used if one else frozenset[str]()
    return Suspect(
        flag, value, spec, word, log, used=used, launcher=one.launch.launcher if one else ""
    )


def _about(complaint: Complaint, checked: Sequence[Checked]) -> Checked | None:
    """The launch that a complaint is about."""
    for one in checked:
        if complaint.program and _is_program(complaint.program, script_parts(one.launch)):
            return one
    typed = [o for o in checked if any(_word_of(w, o) for w in complaint.words)]
    if typed:
        return typed[0]
    return checked[0] if len(checked) == 1 else None


def _by_program(program: str, parsers: Parsers) -> ParserSpec:
    named = [p for p in parsers.parsers if program and PurePosixPath(p.script).name == program]
    if not named and len(parsers.parsers) == 1:
        named = list(parsers.parsers)
    return merged(named) if named else ParserSpec(program, (), complete=False)


def _word_of(flag: str, one: Checked | None) -> Word | None:
    """The word of the command that gives the flag."""
    for word in one.launch.arguments if one else ():
        text = word.text
        if text.startswith("-") and text.partition("=")[0] == flag:
            return word
    return None


def flags_in(words: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """(flag, value) of the words that argparse did not know."""
    empty = ParserSpec("", (), complete=False)
    given = [Word(NOWHERE, w, w) for w in words]
    for item in match(given, empty).unknown:
        yield item.flag, item.value


def as_unknown(suspect: Suspect) -> Unknown:
    word = suspect.word or Word(NOWHERE, suspect.flag, suspect.flag)
    return Unknown(word, suspect.flag, suspect.value)


def stray_switch(words: Sequence[str]) -> bool:
    """Whether the unknown words are plain true or false: values behind switches."""
    return bool(words) and all(boolean(w) is not None for w in words)
