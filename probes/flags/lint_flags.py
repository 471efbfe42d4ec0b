"""The probe of flags that the framework of a launch does not have, or has otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import PurePosixPath

from medic.facts import (
    Launch,
    Launches,
    LogHits,
    Parsers,
    ParserSpec,
    Releases,
    Word,
)
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of
from medic.records import replace
from medic.run_config import PLAIN, RunConfig, Span

from .arguments import VALUE
from .extra_words import extra_words
from .families import (
    PROOF,
    PROOF_FOREIGN,
    Given,
    proof_of,
    proof_of_trainer,
    told_by_many,
    told_whole,
)
from .flag_findings import MISSPELT, SHORT, SWITCH, finding_of, parted, too_many
from .flag_tables import Framework, Table, for_fork, table_of
from .fork_flags import fork_of
from .glued_values import glued_values
from .key_names import guess, known_tables, names_of, normal
from .launcher_flags import before_script, of_words
from .launcher_texts import kept
from .launches import launches_in, servers_of, unreached_of
from .loose_flags import loose_lists, program_in
from .own_flags import Fault, faults, given_flags
from .own_programs import program_of
from .parted_paths import second_words
from .renamed import now
from .script_text import ScriptText, read_script
from .source_flags import table_of_source, without_value
from .suspects import script_parts, spec_of
from .undashed import undashed

MAX_LAUNCHES = 100  # a script with more repeats one and the same
MAX_FOUND = 40


def run(look: Look) -> Iterator[Finding]:
    """Only before a run: a log tells itself what a parser refused."""
    if look.has(LogHits):
        return
    frameworks: Sequence[Framework] = look.frameworks
    tables = known_tables(frameworks)
    speaks = _speaks(config_of(look))
    for given in look.files("script"):
        script = read_script(look, given.path, given.name)
        if script is not None:
            launches = launches_in(look, given.path)[:MAX_LAUNCHES]
            document = look.parse(given.path)
            every = (*launches, *servers_of(document), *unreached_of(document))
            found = (_of_launch(look, script, one, tables, speaks) for one in every)
            told = list(islice(chain.from_iterable(found), MAX_FOUND))
            told += _of_lists(look, script, launches, tables, speaks)
            for launcher, words in kept(script, launches):
                told += [finding_of(script, f, launcher) for f in of_words(launcher, words, tables)]
            yield from _first_passes(told)


def _first_passes(told: Sequence[Finding]) -> Iterator[Finding]:
    """What fires, and one pass of each check that was made and found nothing."""
    fired = {one.name for one in told if one.outcome == "fires"}
    passed = {one.name: one for one in told if one.outcome != "fires" and one.name not in fired}
    yield from (one for one in told if one.outcome == "fires")
    yield from passed.values()


def _speaks(config: RunConfig) -> Mapping[tuple[str, int], str]:
    """The framework that reads the flag at a place."""
    return {
        (s.origin.span.file, s.origin.span.start): s.origin.framework
        for s in config.settings
        if s.origin.span is not None and s.origin.syntax == "shell"
    }


def _of_launch(
    look: Look,
    script: ScriptText,
    launch: Launch,
    tables: Mapping[str, Framework],
    speaks: Mapping[tuple[str, int], str],
) -> Iterator[Finding]:
    parsers = look.fact(Parsers) if look.has(Parsers) else Parsers()
    spec = spec_of(launch, parsers, alone=True)
    for fault in before_script(launch, tables, spec):
        yield finding_of(script, fault, launch.launcher)
    words = launch.arguments
    if spec is not None and spec.options:
        yield from _of_source(look, script, launch, spec, tables)
        return
    plain = _plain(look)
    framework = _framework(launch, tables, speaks, plain) or _of_trainer(launch, look, tables)
    if framework is None:
        return
    releases = look.fact(Releases).packages if look.has(Releases) else {}
    table = table_of(launch, framework, look.frameworks, tables)
    flags, program = list(given_flags(words)), _program(launch)
    table = for_fork(table, fork_of(launch, flags, framework, releases, script.file))
    proof = proof_of(flags, table, program)
    readers = [framework, *(f for f in look.frameworks if f.name in framework.builds_on)]
    glued = list(glued_values(words, flags, table, proof))
    for word, name, text in glued:
        yield finding_of(script, Fault("unknown", Given(name, word), f"--{name} {text}"), program)
    places = {word.span.start for word, _, _ in glued}
    for fault in faults([f for f in flags if f.word.span.start not in places], table, proof):
        right = now(fault.meant, readers, releases)
        yield finding_of(script, fault, program, right)
    bare = list(undashed(words, flags, table, proof))
    for name, word in bare:
        yield finding_of(script, Fault("unknown", Given(name, word), "--" + name), program)
    yield from _too_many(script, words, table, proof, {word.span for _, word in bare}, readers)
    if proof >= PROOF:
        yield Finding(MISSPELT, "passes")
    if told_whole(table, proof):
        yield Finding(SWITCH, "passes")


def _too_many(
    script: ScriptText,
    words: Sequence[Word],
    table: Table,
    proof: int,
    told: set[Span],
    readers: Sequence[Framework],
) -> Iterator[Finding]:
    """Words that no flag takes, of a path that a blank parts or any other."""
    for flag, word in second_words(words, shown=proof >= PROOF):
        told.add(word.span)
        yield parted(script, flag, word)
    for extra in extra_words(words, table, proof, readers):
        if extra.word.span not in told:
            yield too_many(script, extra)


def _of_lists(
    look: Look,
    script: ScriptText,
    launches: Sequence[Launch],
    tables: Mapping[str, Framework],
    speaks: Mapping[tuple[str, int], str],
) -> Iterator[Finding]:
    """Of the options that no launch is seen to be given, as those of the only one there is."""
    lists = loose_lists(script, launches)
    program = program_in(script) if not launches else _program(launches[0])
    if not (lists and program) or len({one.span for one in launches}) > 1:
        return
    every = tuple(word for words in lists for word in words)
    if launches:
        whole = replace(launches[0], arguments=(*launches[0].arguments, *every))
    else:
        head = Word(every[0].span, program, program)
        whole = Launch("python", (), head, every, head.span)
    framework = _framework(whole, tables, speaks, _plain(look)) or _of_trainer(whole, look, tables)
    if framework is None:
        return
    table = table_of(whole, framework, look.frameworks, tables)
    given = list(given_flags(whole.arguments))
    table = for_fork(table, fork_of(whole, given, framework, {}, script.file))
    proof = proof_of(given, table, program)
    for words in lists:
        flags = list(given_flags(words))
        known = sum(table.knows(one.name) for one in flags)
        for fault in faults(flags, table, proof) if known * 2 >= len(flags) else ():
            yield finding_of(script, fault, program)


def _of_trainer(launch: Launch, look: Look, tables: Mapping[str, Framework]) -> Framework | None:
    """The framework of TrainingArguments, where the flags show that a script parses them."""
    shown = proof_of_trainer(list(given_flags(launch.arguments)), "") >= PROOF_FOREIGN
    return (tables.get("hf-trainer") if shown else None) or _plain(look)


def _plain(look: Look) -> Framework | None:
    return next((f for f in look.frameworks if f.name == PLAIN), None)


def _framework(
    launch: Launch,
    tables: Mapping[str, Framework],
    speaks: Mapping[tuple[str, int], str],
    plain: Framework | None,
) -> Framework | None:
    """The framework that reads the flags of a launch; None for a program's own."""
    words = launch.arguments
    named = program_of(launch) or _reader(words, speaks)
    return tables.get(named) or _by_flags(words, tables, plain)


def _of_source(
    look: Look,
    script: ScriptText,
    launch: Launch,
    spec: ParserSpec,
    tables: Mapping[str, Framework],
) -> Iterator[Finding]:
    """By the program's own parser; names that one known whole lacks are told by its own probe."""
    if spec.origin != "source":
        return
    words, program = launch.arguments, _program(launch)
    flags = list(given_flags(words))
    if spec.complete:
        empty = without_value(flags, spec)
        yield from (finding_of(script, Fault("empty", one), program) for one in empty)
        return
    made = table_of_source(launch, spec, look.frameworks, tables)
    if made is None:
        return
    table, proof = made
    glued = list(glued_values(words, flags, table, proof))
    for word, name, text in glued:
        yield finding_of(script, Fault("unknown", Given(name, word), f"--{name} {text}"), program)
    places = {word.span.start for word, _, _ in glued}
    for fault in faults([f for f in flags if f.word.span.start not in places], table, proof):
        yield finding_of(script, fault, program)


def _program(launch: Launch) -> str:
    """The script's name, as much of it as is written."""
    written = launch.script.raw.strip("\"'") if launch.script is not None else ""
    return (script_parts(launch) or PurePosixPath(written).parts or ("",))[-1]


def _reader(words: Sequence[Word], speaks: Mapping[tuple[str, int], str]) -> str:
    """The framework that most of the words are read by."""
    places = (span for word in words for span in (word.span, word.literal) if span is not None)
    found = Counter(name for span in places if (name := speaks.get((span.file, span.start))))
    return found.most_common(1)[0][0] if found else ""


def _by_flags(
    words: Sequence[Word], tables: Mapping[str, Framework], plain: Framework | None
) -> Framework | None:
    """The framework that knows nearly all flags of a command which is not the one that was read."""
    names = [one.name for one in given_flags(words)]
    megatron = tables.get("megatron")
    if megatron is not None and told_by_many(names, names_of(megatron, tables).leaves):
        return megatron
    found = guess([normal(name) for name in names], tables, plain)
    return tables[found.name] if found is not None else None


PROBE = Probe(
    name="framework-flags",
    title=Text("flags of the framework", "框架的参数"),
    tells=(MISSPELT, SWITCH, VALUE, SHORT),
    run=run,
    wants=(Launches, RunConfig, Parsers, LogHits, Releases),
    files=("script",),
    seconds=0.05,
    limit_seconds=10,
)
