"""The probe of a framework's own rules: settings that it refuses, ignores or reads otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from medic.facts import Release, Releases
from medic.i18n import Text, plain
from medic.probe import Finding, Look, Probe, Skip, source_of
from medic.records import replace
from medic.run_config import FIELDS, MORE, Origin, RunConfig, Scalar

from ..flags.forks import Shown, forks_of
from .carriers import same
from .keys import Condition, Framework, Plain, Rule
from .mistaken import mistaken
from .pins import bounded, certain, left_out
from .several import of_each

RENAMED = "argument-renamed-in-library"
# The lint checks that frameworks' rules may be findings of.
# What an argument is that the framework, or the version in use, does not have.
UNKNOWN_KEY = "misspelt-config-key"
RULED = (
    "argument-deprecated",
    RENAMED,
    "flag-value-not-accepted",
    "option-needs-another-option",
    "option-without-effect",
    "option-reads-otherwise",
    "options-exclude-each-other",
    "two-precisions-set",
    "zero-2-gradients-wrong",
    UNKNOWN_KEY,
)
# A framework needs a version of its own of those that it builds on.
_OF_VERSION = ("argument-deprecated", RENAMED)
# What a fork may take: words and names. Older releases may call what a key needs otherwise, too.
_OF_NAMES = ("flag-value-not-accepted", UNKNOWN_KEY)
_NEEDS = "option-needs-another-option"
_MISSING = object()
_UNKNOWN = object()  # of a flag whose value only the running shell knows
_UNSEEN = object()  # of a key that may be among the flags which only the running shell knows


def run(look: Look) -> Iterator[Finding | Skip]:
    frameworks: Sequence[Framework] = look.frameworks
    releases = look.fact(Releases).packages if look.has(Releases) else {}

    def judged(config: RunConfig) -> Iterator[Finding | Skip]:
        rules = _rules([f for f in frameworks if f.name in config.frameworks], frameworks)
        forked = forks_of(frameworks, config, releases)
        rules = [(n, r) for n, r in rules if n not in forked or not _may_differ(r, forked[n])]
        for cause in RULED:
            if cause in look.checks:
                own = [(name, rule) for name, rule in rules if rule.cause == cause]
                yield from _check(cause, own, config, releases, frameworks)

    yield from of_each(look.fact(RunConfig), judged)


def _may_differ(rule: Rule, fork: Shown) -> bool:
    return rule.cause in _OF_NAMES or (rule.cause == _NEEDS and bool(fork.fork.holds_in))


def _rules(
    speaking: Sequence[Framework], frameworks: Sequence[Framework]
) -> Sequence[tuple[str, Rule]]:
    """Rules of the launch's frameworks and of those that they build on, each once."""
    found = [(framework.name, rule) for framework in speaking for rule in framework.rules]
    names = {framework.name for framework in speaking}
    for framework in speaking:
        bases = [f for f in frameworks if f.name in framework.builds_on and f.name not in names]
        names |= {base.name for base in bases}
        rules = (rule for base in bases for rule in base.rules if rule.cause not in _OF_VERSION)
        found += [(framework.name, rule) for rule in rules]
    return found


def _check(
    cause: str,
    rules: Sequence[tuple[str, Rule]],
    config: RunConfig,
    releases: Mapping[str, Release],
    frameworks: Sequence[Framework],
) -> Iterator[Finding | Skip]:
    """What fires of one check; "passes" if none of its rules does, and one could be judged."""
    lacking: dict[str, None] = {}
    fired = judged = False
    for framework, rule in rules:
        if left_out(rule, releases):
            judged = True
            continue
        values = {key: _value(config, key, framework)[0] for key in rule.where}
        met = [_meets(wanted, values[key]) for key, wanted in rule.where.items()]
        missing = [key for key, value in values.items() if value is _MISSING]
        needed = [key for key in missing if not _may_lack(rule.where[key])]
        if all(m is True for m in met):
            if meant := _mistaken(missing, config, framework, frameworks):
                lacking |= dict.fromkeys(meant)
                continue
            fired = True
            yield _fired(rule, config, framework, releases)
        elif needed and _open(met):
            lacking |= dict.fromkeys(needed)
        else:
            judged = True
    if cause == UNKNOWN_KEY:
        return  # whether the other keys are known says the probe of keys
    if judged and not fired:
        yield Finding(cause, "passes")
    elif lacking and not fired:
        yield Skip(needs=plain(", ".join(lacking)), check=cause)


def _mistaken(
    missing: Sequence[str], config: RunConfig, framework: str, frameworks: Sequence[Framework]
) -> list[str]:
    """The absent keys that a misspelt one stands for."""
    own = next((f for f in frameworks if f.name == framework), None)
    if own is None:
        return []
    return [key for key in missing if mistaken(key, config.settings, own, frameworks)]


def _open(met: Sequence[bool | None]) -> bool:
    """Whether what is known of its conditions leaves a rule undecided."""
    return False not in met and any(m is True for m in met)


def _of_any_release(rule: Rule, releases: Mapping[str, Release]) -> bool:
    """Whether what the fix writes is right in the release that runs: a name of another one is an
    error there."""
    bounded_by = rule.cause in _OF_VERSION or rule.holds_in or rule.only_in
    return not bounded_by or certain(rule, releases)


def _fired(
    rule: Rule, config: RunConfig, framework: str, releases: Mapping[str, Release]
) -> Finding:
    name = UNKNOWN_KEY if rule.cause in _OF_VERSION and certain(rule, releases) else rule.cause
    places = ((key, _value(config, key, framework)[1]) for key in rule.where)
    found = next(((key, o) for key, o in places if o is not None and o.span), None)
    values = {"what": bounded(rule.say, rule, releases), "rule": rule.name, "mild": rule.mild}
    if found is None or found[1].span is None:
        return Finding(name, "fires", values)
    at, span = found[1], found[1].span
    source = source_of(span, f"{at.key}: {_shown(config, rule, framework)}")
    from .rule_repairs import NEWER, repair_of

    repair = repair_of(rule, config, framework, found)
    if repair is not None and repair.safe and not _of_any_release(rule, releases):
        repair = replace(
            repair, safe=False, why=NEWER if rule.fix and rule.fix.rename else repair.why
        )
    renamed = rule.fix is not None and found[0] in rule.fix.rename
    of_key = renamed or rule.cause in (*_OF_VERSION, UNKNOWN_KEY)
    shown = (at.key_span or span) if of_key else span
    return Finding(name, "fires", values, source, span=shown, repair=repair)


def _shown(config: RunConfig, rule: Rule, framework: str) -> str:
    values = (_value(config, key, framework) for key in rule.where)
    first = next((value for value, origin in values if origin is not None and origin.span), "")
    return "" if first is _UNKNOWN else str(first)


def _value(config: RunConfig, key: str, framework: str) -> tuple[object, Origin | None]:
    """(value, where) of a key as written, else of the canonical field of that name."""
    setting = config.setting(key, framework)
    if setting is not None:
        hidden = setting.value is None and setting.origin.syntax in ("shell", "python")
        return (_UNKNOWN if hidden else setting.value), setting.origin
    more = config.setting(MORE, framework)
    hidden = more is not None and more.origin.framework == framework
    origin = config.origin(key) if key in FIELDS else None
    if origin is not None and config.get(key) is not None:
        assumed = hidden and origin.source == "default"
        return (_UNSEEN if assumed else config.get(key)), origin
    return (_UNSEEN if hidden else _MISSING), None


def _may_lack(wanted: Plain | Sequence[Plain] | Condition) -> bool:
    return getattr(wanted, "stated", None) is False or getattr(wanted, "given", None) is False


def _meets(wanted: Plain | Sequence[Plain] | Condition, value: object) -> bool | None:
    """Whether a value is what a rule wants; None where it is not known."""
    if value is _UNSEEN:
        return None
    unseen = value is _MISSING or value is _UNKNOWN
    if wanted is None or isinstance(wanted, (str, int, float, bool)):
        return None if unseen else _equal(value, wanted)
    if isinstance(wanted, Sequence):
        return None if unseen else any(_equal(value, one) for one in wanted)
    written = value is not _MISSING
    if wanted.stated is not None and written is not wanted.stated:
        return False
    if wanted.given is not None and (written and value is not None) is not wanted.given:
        return False
    limits = wanted.unlike or wanted.min is not None or wanted.max is not None
    return (None if unseen else _within(wanted, value)) if limits else True


def _within(wanted: Condition, value: object) -> bool | None:
    """The bounds and the values of a condition."""
    if isinstance(value, str) and "${" in value:
        return None  # filled in from elsewhere as the file is read
    if wanted.unlike:
        return value is not None and not any(_equal(value, one) for one in wanted.unlike)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    above = wanted.min is None or value >= wanted.min
    return above and (wanted.max is None or value <= wanted.max)


def _equal(value: object, wanted: Scalar) -> bool:
    if isinstance(value, str) and isinstance(wanted, str):
        return value.lower() == wanted.lower()
    if isinstance(value, str) and isinstance(wanted, bool):
        return value.lower() == str(wanted).lower()
    known = value is None or isinstance(value, (str, int, float, bool))
    return known and same(value, wanted)  # type: ignore[arg-type]


PROBE = Probe(
    name="config-rules",
    title=Text("rules of the framework", "框架自身的规则"),
    tells=RULED,
    run=run,
    needs=(RunConfig,),
    wants=(Releases,),
    seconds=0.02,
    limit_seconds=20,
)
