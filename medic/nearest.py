"""The nearest known name to a misspelt one."""

from __future__ import annotations

from collections.abc import Iterable

from medic.i18n import Text

# Below this share a suggestion misleads more often than it helps.
MIN_SCORE = 60.0


def _normal(word: str) -> str:
    return word.lstrip("-").replace("_", "-").replace(".", "-").lower()


def nearest(word: str, names: Iterable[str], limit: int = 1) -> list[str]:
    """Up to ``limit`` of ``names`` that read like ``word``, best first; empty if none is near.

    Abbreviated words count: ``learning-rate`` is near ``lr`` (initials), ``micro-batch`` near
    ``micro-batch-size``. Ties keep the order of ``names``.
    """
    wanted = _normal(word)
    scored = [(_score(wanted, _normal(name)), -i, name) for i, name in enumerate(names)]
    good = sorted((s for s in scored if s[0] >= MIN_SCORE), reverse=True)
    return [name for _, _, name in good[:limit]]


def did_you_mean(word: str, names: Iterable[str]) -> Text:
    """The end of a message about an unknown word: the name that was meant, or nothing."""
    near = nearest(word, names)
    if not near:
        return Text("", "")
    return Text(f'; did you mean "{near[0]}"?', f"；是否想写 “{near[0]}”？")


def _score(wanted: str, name: str) -> float:
    from rapidfuzz import fuzz

    plain = fuzz.ratio(wanted, name)
    tokens = fuzz.token_sort_ratio(wanted.replace("-", " "), name.replace("-", " "))
    short = max(fuzz.ratio(_abbreviate(wanted), name), fuzz.ratio(wanted, _abbreviate(name)), 0.0)
    part = 0.0
    if len(min(wanted, name, key=len)) >= 5 and (wanted in name or name in wanted):
        part = 75.0
    return max(plain, tokens, short, part)


_SHORT = (
    ("learning-rate", "lr"),
    ("batch-size", "bs"),
    ("sequence-length", "seq-len"),
    ("weight-decay", "wd"),
    ("maximum", "max"),
    ("number", "num"),
    ("gradient", "grad"),
)


def _abbreviate(name: str) -> str:
    for long, short in _SHORT:
        name = name.replace(long, short)
    return name
