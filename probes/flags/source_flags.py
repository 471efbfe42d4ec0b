"""What is known of the flags of a program whose source is at hand, but not whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from medic.facts import Launch, Option, ParserSpec
from medic.records import replace
from medic.run_config import PLAIN

from .families import PROOF, PROOF_FOREIGN, Given
from .flag_tables import Framework, Table, table_of
from .key_names import USERS_OWN, normal


def table_of_source(
    launch: Launch,
    spec: ParserSpec,
    every: Sequence[Framework],
    tables: Mapping[str, Framework],
) -> tuple[Table, int] | None:
    """(the flags of a program by its own source, how sure they are all); None if nothing is known.

    A parser that lacks the fields of library classes alone has those of their framework besides.
    Of one of which parts are not at hand, a flag is judged by the options that are: nothing but a
    slip of one of them is told.
    """
    lender = _lender(spec.lent, every)
    framework = lender or next((f for f in every if f.name == PLAIN), None)
    if framework is None or not spec.options:
        return None
    table = table_of(launch, framework, every, tables)
    flags = {normal(n): o for o in spec.options for n in _names(o)}
    own = frozenset(flags)
    valued = frozenset(n for n, o in flags.items() if o.takes == "value")
    switches = frozenset(n for n, o in flags.items() if o.takes == "none")
    if lender is None:
        names = table.names.having(own, {})
        table = replace(table, names=names, foreign={}, meanings={}, choices={})
        listed: frozenset[str] = frozenset()
    else:
        stated = {normal(k.key) for k in framework.keys if not k.key.startswith("**.")}
        known = stated | {normal(n) for n in framework.known}
        names = table.names.having((table.names.leaves - (USERS_OWN - known)) | own)
        table = replace(table, names=names)
        listed = table.kinds - frozenset(normal(n) for n in framework.beside)
    made = replace(
        table,
        closed=lender is not None,
        own=own,
        valued=valued | ((table.valued & listed) - own),
        switches=switches | (table.switches - own),
        kinds=listed | own,
        shared=(table.shared - own) | valued,
    )
    return made, PROOF if lender is None else PROOF_FOREIGN


def without_value(flags: Sequence[Given], spec: ParserSpec) -> Iterator[Given]:
    """Flags that stand alone and that the program's parser, known whole, takes a value for."""
    valued = {normal(n) for o in spec.options if o.takes == "value" for n in _names(o)}
    yield from (one for one in flags if one.alone and normal(one.name) in valued)


def _lender(lent: Sequence[str], every: Sequence[Framework]) -> Framework | None:
    """The framework whose classes are all that a parser lacks; the one that builds on another."""
    found = [f for f in every if not _outer(f.dataclasses).isdisjoint(_outer(lent))]
    known = {one for f in found for one in _outer(f.dataclasses)}
    if not lent or not known.issuperset(_outer(lent)):
        return None
    bases = {name for f in found for name in f.builds_on}
    return next((f for f in found if f.name not in bases), None)


def _outer(names: Sequence[str]) -> set[tuple[str, str]]:
    """(package, class) of dotted names: a library's modules move, and its package hands them on."""
    return {(name.partition(".")[0], name.rpartition(".")[2]) for name in names}


def _names(option: Option) -> list[str]:
    every = (*option.names, option.negative)
    return [name.removeprefix("--") for name in every if name.startswith("--")]
