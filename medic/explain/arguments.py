"""What the frameworks' entries tell of an argument that no entry is of: who has it, which values it
takes, which rules speak of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from medic.i18n import Text
from medic.text.patterns import regex

if TYPE_CHECKING:
    from medic.index.knowledge import Index

_NAME = regex(r"-{0,2}([A-Za-z][\w-]*(?:\.[A-Za-z_][\w-]*)*)(?:=\S*)?")
_SHORTEST = 4
MOST_RULES, MOST_WORDS = 5, 12
_PLACES = 2
_KINDS = {
    "number": Text("a number", "数字"),
    "converted-number": Text("a number", "数字"),
    "converted-whole": Text("a whole number", "整数"),
    "switch": Text("true or false", "true 或 false"),
    "converted-switch": Text("true or false", "true 或 false"),
    "block": Text("a block of keys", "一组键"),
}
_SWITCH = Text("a switch without a value", "不带取值的开关")
_TEXT = Text("a value behind the flag", "参数后需要一个取值")
_WORDS = Text("one of: {words}", "可选：{words}")
_MORE = "..."


def argument(asked: str, index: Index) -> dict[str, Any] | None:
    """The argument as a tree of texts; None for what is no name of one."""
    from medic.explain.names import bare

    found = _NAME.fullmatch(bare(asked))
    if found is None or len(found[1]) < _SHORTEST or found[1] != found[1].lower():
        return None  # SwiGLU is what --swiglu switches on
    steps = _normal(found[1]).split(".")
    raws = index.raw["frameworks"].values()
    own = [raw for raw in raws if raw["name"] != "plain" and any(_is(steps, raw))]
    if not own:
        return None
    return {
        "kind": "argument",
        "name": found[1],
        "frameworks": [_placed(raw["title"], steps, raw) for raw in own],
        "values": _values(steps, own),
        "rules": list(_rules(steps, own)),
    }


def _normal(text: str) -> str:
    return text.lstrip("-+").removeprefix("**.").replace("-", "_").lower()


def _ends(steps: list[str], key: str) -> bool:
    """Whether a key of an entry ends in the name."""
    return _normal(key).split(".")[-len(steps) :] == steps


def _is(steps: list[str], raw: Mapping[str, Any]) -> Iterator[bool]:
    yield any(_ends(steps, key["key"]) for key in raw["keys"])
    for part in ("known", "switches", "valued", "beside"):
        yield any(_ends(steps, key) for key in raw.get(part, ()))
    for above, names in raw.get("known_below", {}).items():
        yield any(_ends(steps, f"{above}.{name}" if above else name) for name in names)


def _placed(title: str, steps: list[str], raw: Mapping[str, Any]) -> str:
    """A framework with the places where it has a key of that name, but at the top."""
    keys = (*(key["key"] for key in raw["keys"]), *raw.get("known", ()))
    below = raw.get("known_below", {}).items()
    paths = [*keys, *(f"{above}.{name}" for above, names in below for name in names if above)]
    found = {key for key in paths if "." in key.removeprefix("**.") and _ends(steps, key)}
    top = any(_normal(key) == ".".join(steps) for key in paths)
    shown = sorted(found)[:_PLACES] if found and not top else []
    return (
        f"{title} ({', '.join(shown)}{', …' if len(found) > _PLACES else ''})" if shown else title
    )


def _values(steps: list[str], own: list[Mapping[str, Any]]) -> Text | None:
    """What it takes, where the entries tell the same of it."""
    told: dict[Text, None] = {}
    for raw in own:
        for key, words in raw.get("choices", {}).items():
            if _ends(steps, key):
                shown = [str(word) for word in words if word != _MORE][:MOST_WORDS]
                more = [_MORE] if len(shown) < len(words) else []
                return _WORDS.fill(words=", ".join([*shown, *more]))
        for kind, keys in raw.get("types", {}).items():
            if kind in _KINDS and any(_ends(steps, key) for key in keys):
                told[_KINDS[kind]] = None
        if any(_ends(steps, key) for key in raw.get("switches", ())):
            told.setdefault(_SWITCH)
        if not told and any(_ends(steps, key) for key in raw.get("valued", ())):
            told[_TEXT] = None
    return next(iter(told)) if told else None


def _rules(steps: list[str], own: list[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """What a framework refuses, ignores or reads otherwise of it."""
    seen: set[str] = set()
    for raw in own:
        for rule in raw.get("rules", ()):
            named = any(_ends(steps, key) for key in rule["where"])
            if named and rule["say"]["en"] not in seen and len(seen) < MOST_RULES:
                seen.add(rule["say"]["en"])
                yield {"framework": raw["title"], "say": Text(**rule["say"])}
