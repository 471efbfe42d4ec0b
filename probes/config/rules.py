"""The probe of a framework's own rules: settings that it refuses, ignores or reads otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import Source
from medic.i18n import plain
from medic.probe import Finding, Look, Probe, Skip
from medic.run_config import FIELDS, Origin, RunConfig, Scalar

from .carriers import same
from .keys import Condition, Framework, Plain, Rule

# The lint checks that frameworks' rules may be findings of.
RULED = (
    "flag-value-not-accepted",
    "option-needs-another-option",
    "option-without-effect",
    "option-reads-otherwise",
    "options-exclude-each-other",
    "two-precisions-set",
)
_MISSING = object()


def run(look: Look) -> Iterator[Finding | Skip]:
    config = look.fact(RunConfig)
    frameworks: Sequence[Framework] = look.frameworks
    rules = [
        (framework.name, rule)
        for framework in frameworks
        if framework.name in config.frameworks
        for rule in framework.rules
    ]
    for cause in RULED:
        if cause in look.checks:
            own = [(name, rule) for name, rule in rules if rule.cause == cause]
            yield from _check(cause, own, config)


def _check(
    cause: str, rules: Sequence[tuple[str, Rule]], config: RunConfig
) -> Iterator[Finding | Skip]:
    """What fires of one check; "passes" if none of its rules does, and one could be judged."""
    lacking: dict[str, None] = {}
    fired = judged = False
    for framework, rule in rules:
        missing = [key for key in rule.where if _value(config, key, framework)[0] is _MISSING]
        needed = [key for key in missing if not _may_lack(rule.where[key])]
        if holds(rule, config, framework):
            fired = True
            yield _fired(rule, config, framework)
        elif needed and _open(rule, config, framework):
            lacking |= dict.fromkeys(needed)
        else:
            judged = True
    if judged and not fired:
        yield Finding(cause, "passes")
    elif lacking and not fired:
        yield Skip(needs=plain(", ".join(lacking)), check=cause)


def holds(rule: Rule, config: RunConfig, framework: str = "") -> bool:
    """Whether every condition of the rule is known to be met."""
    return all(
        _meets(wanted, _value(config, key, framework)[0]) is True
        for key, wanted in rule.where.items()
    )


def _open(rule: Rule, config: RunConfig, framework: str) -> bool:
    """Whether what is known leaves the rule undecided."""
    met = [_meets(w, _value(config, k, framework)[0]) for k, w in rule.where.items()]
    return False not in met and any(m is True for m in met)


def _fired(rule: Rule, config: RunConfig, framework: str) -> Finding:
    origins = [_value(config, key, framework)[1] for key in rule.where]
    at = next((o for o in origins if o is not None and o.span), None)
    values = {"what": rule.say, "rule": rule.name}
    if at is None or at.span is None:
        return Finding(rule.cause, "fires", values)
    text = f"{at.key}: {_shown(config, rule, framework)}"
    source = Source(at.span.file, at.span.line, text=text)
    return Finding(rule.cause, "fires", values, source, span=at.span)


def _shown(config: RunConfig, rule: Rule, framework: str) -> str:
    values = (_value(config, key, framework) for key in rule.where)
    return next((str(value) for value, origin in values if origin is not None and origin.span), "")


def _value(config: RunConfig, key: str, framework: str) -> tuple[object, Origin | None]:
    """(value, where) of a key as written, else of the canonical field of that name."""
    setting = config.setting(key, framework)
    if setting is not None:
        return setting.value, setting.origin
    if key in FIELDS and config.get(key) is not None:
        return config.get(key), config.origin(key)
    return _MISSING, None


def _may_lack(wanted: Plain | Sequence[Plain] | Condition) -> bool:
    return getattr(wanted, "stated", None) is False


def _meets(wanted: Plain | Sequence[Plain] | Condition, value: object) -> bool | None:
    """Whether a value is what a rule wants; None where it is not known."""
    if wanted is None or isinstance(wanted, (str, int, float, bool)):
        return None if value is _MISSING else _equal(value, wanted)
    if isinstance(wanted, Sequence):
        return None if value is _MISSING else any(_equal(value, one) for one in wanted)
    if wanted.stated is not None:
        return (value is not _MISSING) is wanted.stated
    if value is _MISSING:
        return None
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
    tells=RULED,
    run=run,
    needs=(RunConfig,),
    seconds=0.02,
    limit_seconds=5,
)
