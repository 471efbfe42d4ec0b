"""Changes of canonical fields -> edits of the user's files: in all places that state a field, or
none."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property

from medic.edits.bring import bring, place_of, says_a_part, take_back
from medic.edits.keys import KeyTable, to_written
from medic.edits.places import Place, carriers, place_for
from medic.edits.replace import replace_value
from medic.edits.sources import Parse, Read, Sources
from medic.edits.verify import verify
from medic.entries import Framework
from medic.errors import EditRefused, MedicError
from medic.facts import Launches
from medic.facts.repairs import Step
from medic.i18n import Text
from medic.records import dataclass, field
from medic.run_config import NOBODYS, Change, Edit, Origin, RunConfig
from medic.syntax import parse as parse_any

KeyFor = Callable[[str], "Place | None"]


@dataclass(frozen=True)
class EditPlan:
    """``edits`` of all changes, or none and why. ``read``: each file that they change."""

    edits: tuple[Edit, ...] = ()
    refused: tuple[Text, ...] = ()
    read: Mapping[str, bytes] = field(default_factory=dict)

    @cached_property
    def hashes(self) -> dict[str, str]:
        """SHA-256 of each file as read; a diff that is only shown asks for none, nor for OpenSSL."""
        from hashlib import sha256

        return {file: sha256(data).hexdigest() for file, data in self.read.items()}


def edits_for(
    changes: Sequence[Change],
    run_config: RunConfig,
    read: Read,
    parse: Parse = parse_any,
    *,
    frameworks: Sequence[Framework] = (),
    key_for: KeyFor | None = None,
    launches: Launches | None = None,
    steps: Sequence[Step] = (),
    flags: Collection[str] = (),
) -> EditPlan:
    """The edits that write ``changes`` into the files that state the fields, and repair ``steps``.

    A field that no file states is inserted where ``key_for`` says, by default beside its relatives
    under the framework's own name. All or none: one change that cannot be written refuses all.
    ``flags`` are those that the script's own parser is known to take.
    """
    sources = Sources(read, parse)
    table = KeyTable(frameworks)

    def place(change: Change) -> Place | None:
        where = key_for(change.field) if key_for else place_for(run_config, table, change)
        if where is not None and where.syntax == "shell" and where.beside.framework in NOBODYS:
            _require(where, flags)
        return where

    refused: list[Text] = []
    of_flags = [c for c in changes if c.field.startswith(("flag:", "flag-value:"))]
    try:
        if of_flags:
            from medic.edits.flags import flag_edits

            refused += flag_edits(of_flags, run_config, launches, sources)
        if steps:
            from medic.edits.repairs import repair_edits

            refused += repair_edits(steps, table, sources)
        for change in changes:
            if change not in of_flags:
                refused += _field(change, changes, run_config, table, place, sources)
        if not refused:
            refused += verify(sources)
    except MedicError as problem:
        refused.append(Text(problem.line("en"), problem.line("zh")))
    if refused:
        return EditPlan(refused=tuple(refused))
    edits = tuple(sources.edits())
    return EditPlan(edits, (), {e.file: sources.data(e.file) for e in edits})


def _field(
    change: Change,
    changes: Sequence[Change],
    config: RunConfig,
    table: KeyTable,
    place: Callable[[Change], Place | None],
    sources: Sources,
) -> list[Text]:
    """Adds the edits of one change to ``sources``; what it returns refuses it."""
    found = carriers(config, change.field)
    parts = [origin for origin in found if says_a_part(origin, change, table)]
    whole = [origin for origin in found if origin not in parts]
    answers = [_taken_back(origin, sources) for origin in parts]
    answers += [_replaced(change, origin, table, sources, config) for origin in whole]
    if whole or any(answers):
        return [answer for answer in answers if answer is not None]
    from medic.edits.follow import follows
    from medic.edits.insert import insert

    if follows(change, changes, config, table):
        return []
    try:
        where = place(change)
    except EditRefused as problem:
        return [Text(problem.en, problem.zh)]
    if where is None:
        return [_nowhere(change, config, table)]
    try:
        written = to_written(change.field, change.new, where.key, _factor(where))
        insert(where, written, table, sources)
        bring(change, where.key, where, table, sources, config)
    except EditRefused as problem:
        return [_at(where.file, problem)]
    return []


def _taken_back(origin: Origin, sources: Sources) -> Text | None:
    try:
        take_back(origin, sources)
    except EditRefused as problem:
        return _at(origin.where(), problem)
    return None


def _replaced(
    change: Change, origin: Origin, table: KeyTable, sources: Sources, config: RunConfig
) -> Text | None:
    try:
        replace_value(change, origin, table, sources)
        key = table.key_of(origin, change.field)
        where = place_of(origin, key)
        if where is not None:
            bring(change, key, where, table, sources, config)
    except EditRefused as problem:
        return _at(origin.where(), problem)
    return None


def _require(where: Place, flags: Collection[str]) -> None:
    """Raises EditRefused for a flag that a script with a parser of its own may not have."""
    flag = where.path[-1]
    if flag not in flags:
        raise EditRefused(
            f"whether the script takes {flag} is not known: it would stop at a flag that it has not",
            f"不清楚该脚本是否支持 {flag}：脚本遇到不认识的选项会直接退出",
        )


def _factor(where: Place) -> float:
    return where.key.factor if where.key is not None else 1.0


def _at(where: str, problem: EditRefused) -> Text:
    return Text(f"{where}: {problem.en}", f"{where}：{problem.zh}")


def _nowhere(change: Change, config: RunConfig, table: KeyTable) -> Text:
    text = Text(
        "no file that medic edits states {field}; set it to {new} where the run is configured",
        "medic 可编辑的文件都没有设置 {field}；请在配置训练的地方把它设为 {new}",
    )
    if not config.nobodys and not table.names(config.framework, change.field):
        text = Text(
            "medic knows no key of {framework} for {field}: set what does the same there ({new})",
            "medic 不知道 {framework} 用哪个键表示 {field}：请设置其中作用相同的选项（{new}）",
        )
    return text.fill(framework=config.framework, field=change.field, new=change.new)
