"""Links between entries: every name that an entry uses must exist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from medic.entries import Cause, Check, Conditions, Framework, Procedure, Remedy, Term
from medic.entries.words import TELLTALE
from medic.nearest import did_you_mean
from medic.run_config import FIELDS
from medic.schema.sayings import Defect, check_sayings

# Context facts that condition the graph; the closed list of design words.
CONTEXT = (
    "accelerator",
    "gpus",
    "nodes",
    "phase",
    "framework",
    "precision",
    "parallelism",
    "fsdp",
    "zero",
    "moe",
    "rl",
    "resumed",
    "scheduler",
)


def check_links(found: Mapping[str, Mapping[str, Any]]) -> Iterator[Defect]:
    """(kind, name, path, English, Chinese) of each name that leads nowhere."""
    codes: dict[str, str] = {}
    for name, cause in found["causes"].items():
        yield from _cause(cause, found)
        if cause.code in codes:
            other = codes[cause.code]
            yield "causes", name, ("code",), f"code also of {other}", f"编号与 {other} 重复"
        codes[cause.code] = name
    yield from _shared_names(found)
    yield from check_sayings(found)
    for remedy in found["remedies"].values():
        yield from _remedy(remedy, found)
    for check in found["checks"].values():
        yield from _check(check)
        yield from _of_symptoms(check, found["symptoms"])
    for procedure in found["procedures"].values():
        yield from _procedure(procedure, found)
    for term in found["terms"].values():
        yield from _term(term, found)
    for name, framework in found["frameworks"].items():
        for i, key in enumerate(framework.keys):
            if key.field not in FIELDS:
                yield _unknown("frameworks", name, ("keys", i, "field"), "field", key.field, FIELDS)
        yield from _rules(name, framework.rules, found["causes"])
        yield from _others(framework, found["frameworks"])


def _others(framework: Framework, every: Mapping[str, Framework]) -> Iterator[Defect]:
    """The frameworks and fields that an entry names beside its keys."""
    for part in ("builds-on", "hands-on"):
        for i, other in enumerate(getattr(framework, part.replace("-", "_"))):
            if other not in every:
                yield _unknown("frameworks", framework.name, (part, i), "framework", other, every)
    known = [key.key for key in framework.keys] + list(framework.known)
    known += [f"{above}.{one}" for above, names in framework.known_below.items() for one in names]
    for field, key in framework.nearly.items():
        if field not in FIELDS:
            yield _unknown("frameworks", framework.name, ("nearly",), "field", field, FIELDS)
        if key not in known:
            yield _unknown("frameworks", framework.name, ("nearly", field), "key", key, known)


def _of_symptoms(check: Check, symptoms: Mapping[str, Any]) -> Iterator[Defect]:
    """The symptoms that a check names: those beside it, and those that its question supposes."""
    supposed = check.ask.supposes if check.ask else ()
    named = [(("beside", i), name) for i, name in enumerate(check.beside)]
    named += [(("ask", "supposes", i), name) for i, name in enumerate(supposed)]  # type: ignore[misc]
    for path, name in named:
        if name not in symptoms:
            yield _unknown("checks", check.name, path, "symptom", name, symptoms)


def _rules(name: str, rules: Sequence[Any], causes: Mapping[str, Any]) -> Iterator[Defect]:
    linted = [cause for cause, entry in causes.items() if entry.lint is not None]
    for i, rule in enumerate(rules):
        if rule.cause not in linted:
            path = ("rules", i, "cause")
            yield _unknown("frameworks", name, path, "lint check", rule.cause, linted)
        fix = rule.fix
        for part in ("rename", "words") if fix is not None else ():
            for key in getattr(fix, part):
                if key not in rule.where:
                    where = ("rules", i, "fix", part)
                    yield _unknown("frameworks", name, where, "key of where", key, rule.where)


def _unknown(
    kind: str, name: str, path: tuple[object, ...], what: str, word: str, names: Any
) -> Defect:
    hint = did_you_mean(word, names)
    return kind, name, path, f'unknown {what} "{word}"{hint.en}', f"未知的 {what} “{word}”{hint.zh}"


def _shared_names(found: Mapping[str, Mapping[str, Any]]) -> Iterator[Defect]:
    """What is seen is kept by its name alone: a symptom, a check or a cause that lint can find."""
    linted = {name for name, cause in found["causes"].items() if cause.lint is not None}
    for name in sorted(linted & (found["symptoms"].keys() | found["checks"].keys())):
        other = "symptoms" if name in found["symptoms"] else "checks"
        en, zh = (
            f"its lint check shares the name of {other}/{name}",
            f"它的 lint 检查与 {other}/{name} 重名",
        )
        yield "causes", name, ("name",), en, zh
    for name in sorted(found["symptoms"].keys() & found["checks"].keys()):
        yield "checks", name, ("name",), f"symptoms/{name} has it", f"与 symptoms/{name} 重名"


def _cause(cause: Cause, found: Mapping[str, Mapping[str, Any]]) -> Iterator[Defect]:
    for i, shows in enumerate(cause.shows):
        if shows.symptom not in found["symptoms"]:
            path: tuple[object, ...] = ("shows", i, "symptom")
            yield _unknown("causes", cause.name, path, "symptom", shows.symptom, found["symptoms"])
    for i, link in enumerate(cause.told_by):
        yield from _told_by(cause, i, link.check, link.outcome, found)
    for i, remedy in enumerate(cause.remedies):
        if remedy not in found["remedies"]:
            path = ("remedies", i)
            yield _unknown("causes", cause.name, path, "remedy", remedy, found["remedies"])
    yield from _conditions("causes", cause.name, (), cause.applies_when)
    if not cause.remedies:
        yield "causes", cause.name, ("remedies",), "a cause has a remedy", "原因必须有处置"


def _conditions(
    kind: str, name: str, within: tuple[object, ...], conditions: Conditions
) -> Iterator[Defect]:
    for context in conditions:
        if context not in CONTEXT:
            path = (*within, "applies-when", context)
            yield _unknown(kind, name, path, "context fact", context, CONTEXT)


def _term(term: Term, found: Mapping[str, Mapping[str, Any]]) -> Iterator[Defect]:
    names = {
        n
        for kind in ("causes", "symptoms", "checks", "remedies", "procedures", "terms")
        for n in found[kind]
    }
    for i, name in enumerate(term.see):
        if name not in names:
            yield _unknown("terms", term.name, ("see", i), "entry", name, sorted(names))


def _told_by(
    cause: Cause, i: int, check: str, outcome: str, found: Mapping[str, Mapping[str, Any]]
) -> Iterator[Defect]:
    lint = found["causes"].get(check)
    if check == TELLTALE:
        names = [n for n, c in found["causes"].items() if c.telltale is not None]
        if outcome not in names:
            yield _unknown("causes", cause.name, ("told-by", i), "cause with words", outcome, names)
        return
    if check in found["checks"]:
        outcomes = list(found["checks"][check].outcomes)
    elif lint is not None and lint.lint is not None:
        outcomes = ["fires", "passes"]
    else:
        path: tuple[object, ...] = ("told-by", i, "check")
        yield _unknown("causes", cause.name, path, "check", check, found["checks"])
        return
    if outcome not in outcomes:
        path = ("told-by", i, "outcome")
        yield _unknown("causes", cause.name, path, f"outcome of {check}", outcome, outcomes)


def _first_when(remedy: Remedy, found: Mapping[str, Mapping[str, Any]]) -> Iterator[Defect]:
    for name in remedy.first_when.keys() - found["checks"].keys():
        path = ("first-when", name)
        yield _unknown("remedies", remedy.name, path, "check", name, found["checks"])
    for name, outcome in remedy.leading():
        path = ("first-when", name)
        if name in found["checks"] and outcome not in (outcomes := found["checks"][name].outcomes):
            yield _unknown("remedies", remedy.name, path, f"outcome of {name}", outcome, outcomes)


def _remedy(remedy: Remedy, found: Mapping[str, Mapping[str, Any]]) -> Iterator[Defect]:
    for field in remedy.changes:
        if field not in FIELDS and not field.startswith("flag"):
            yield _unknown("remedies", remedy.name, ("changes", field), "field", field, FIELDS)
    for i, field in enumerate(remedy.needs):
        if field not in FIELDS:
            yield _unknown("remedies", remedy.name, ("needs", i), "field", field, FIELDS)
    for i, name in enumerate(remedy.starts_from):
        if name not in found["checks"]:
            at = ("starts-from", i)
            yield _unknown("remedies", remedy.name, at, "check", name, found["checks"])
    yield from _first_when(remedy, found)
    gone = remedy.worked_if.gone
    for symptom in (gone,) if isinstance(gone, str) else gone:
        if symptom not in found["symptoms"]:
            path: tuple[object, ...] = ("worked-if", "gone")
            yield _unknown("remedies", remedy.name, path, "symptom", symptom, found["symptoms"])
    if not (gone or remedy.worked_if.passes or remedy.worked_if.after_steps):
        yield "remedies", remedy.name, ("worked-if",), "says nothing to test", "没有可检验的内容"
    if (remedy.kind == "procedure") != bool(remedy.procedure):
        yield "remedies", remedy.name, ("kind",), "procedure needs its name", "procedure 缺少名称"
    if remedy.procedure and remedy.procedure not in found["procedures"]:
        path = ("procedure",)
        names = found["procedures"]
        yield _unknown("remedies", remedy.name, path, "procedure", remedy.procedure, names)


def _check(check: Check) -> Iterator[Defect]:
    normal = [name for name, outcome in check.outcomes.items() if outcome.normal]
    if len(normal) != 1:
        yield (
            "checks",
            check.name,
            ("outcomes",),
            "exactly one outcome is normal",
            "恰有一个正常结果",
        )
    for name, outcome in check.outcomes.items():
        if not outcome.normal and outcome.otherwise is None:
            yield "checks", check.name, ("outcomes", name), "lacks otherwise", "缺少 otherwise"
        yield from _conditions("checks", check.name, ("outcomes", name), outcome.applies_when)
    if check.ask is not None:
        yield from _conditions("checks", check.name, ("ask",), check.ask.applies_when)


def _procedure(procedure: Procedure, found: Mapping[str, Mapping[str, Any]]) -> Iterator[Defect]:
    steps = {step.name for step in procedure.steps}
    for i, step in enumerate(procedure.steps):
        for outcome, target in step.outcomes.items():
            if target not in steps and target not in found["causes"] and target != "done":
                path = ("steps", i, "outcomes", outcome)
                yield _unknown("procedures", procedure.name, path, "step", target, steps)
