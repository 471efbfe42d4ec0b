"""Names of sayings: every one that is used stands in the vocabulary, and each but once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from medic.nearest import did_you_mean

Defect = tuple[str, str, tuple[object, ...], str, str]
# Of a symptom, an outcome, a check or a remedy; of a telltale; of what is usual; of a cause.
ASKED = ("meant_when", "not_when", "denied_when", "said_by", "when", "words", "speaks_of")


def check_sayings(found: Mapping[str, Mapping[str, Any]]) -> Iterator[Defect]:
    """(kind, name, path, English, Chinese) of each saying that is unknown, or of no use there."""
    known: dict[str, Any] = {}
    for subject, entry in found["vocabulary"].items():
        for name, one in entry.sayings.items():
            if name in known:
                path: tuple[object, ...] = ("sayings", name)
                yield "vocabulary", subject, path, "said by another subject", "与另一主题重名"
            known[name] = one
    for subject, entry in found["vocabulary"].items():
        for name, one in entry.sayings.items():
            yield from _of_saying(subject, name, one, known)
            yield from _of_guess(subject, name, one, found["causes"])
    for kind, name, where, holder in _holders(found):
        for field in ASKED:
            for i, used in enumerate(getattr(holder, field, None) or ()):
                if used not in known:
                    yield _unknown(kind, name, (*where, field.replace("_", "-"), i), used, known)


def _holders(
    found: Mapping[str, Mapping[str, Any]],
) -> Iterator[tuple[str, str, tuple[object, ...], Any]]:
    """What may name sayings: (kind, name, path, record)."""
    for kind in ("symptoms", "checks", "remedies", "usual"):
        for name, entry in found[kind].items():
            yield kind, name, (), entry
    for name, check in found["checks"].items():
        for outcome, one in check.outcomes.items():
            yield "checks", name, ("outcomes", outcome), one
    for name, cause in found["causes"].items():
        yield "causes", name, (), cause
        yield "causes", name, ("telltale",), cause.telltale


def _of_saying(subject: str, name: str, one: Any, known: Mapping[str, Any]) -> Iterator[Defect]:
    for i, used in enumerate(one.needs):
        path: tuple[object, ...] = ("sayings", name, "needs", i)
        yield from _of_word(subject, path, used, known)
    for part in ("claims", "unless"):
        for i, claim in enumerate(getattr(one, part)):
            for field in ("says", "denies", "of", "not_of", "apart_from"):
                for used in getattr(claim, field):
                    path = ("sayings", name, part, i, field.replace("_", "-"))
                    yield from _of_word(subject, path, used, known)


def _of_guess(subject: str, name: str, one: Any, causes: Mapping[str, Any]) -> Iterator[Defect]:
    """The causes that a saying names."""
    for i, used in enumerate(one.causes):
        if used not in causes:
            hint, path = did_you_mean(used, causes), ("sayings", name, "causes", i)
            en, zh = f'unknown cause "{used}"{hint.en}', f"未知的原因 “{used}”{hint.zh}"
            yield "vocabulary", subject, path, en, zh


def _of_word(
    subject: str, path: tuple[object, ...], used: str, known: Mapping[str, Any]
) -> Iterator[Defect]:
    """Sayings are made of words, not of other sayings: none can be part of itself."""
    if used not in known:
        yield _unknown("vocabulary", subject, path, used, known)
    elif not known[used].patterns:
        yield "vocabulary", subject, path, f"{used} has no patterns", f"{used} 没有 patterns"


def _unknown(
    kind: str, name: str, path: tuple[object, ...], word: str, names: Mapping[str, Any]
) -> Defect:
    hint = did_you_mean(word, names)
    return kind, name, path, f'unknown saying "{word}"{hint.en}', f"未知的说法 “{word}”{hint.zh}"
