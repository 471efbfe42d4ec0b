"""Options read by a plain table: a start whose words it understands loads no parser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

FLAG: tuple[str, ...] = ()  # stands alone
ANY: tuple[str, ...] = ("",)  # takes a word; other tuples are the words that it takes


def said(
    words: Sequence[str], options: Mapping[str, tuple[str, ...]]
) -> tuple[list[str], dict[str, list[str]]] | None:
    """The words that belong to no option, and each option's values in their order (a flag's are
    empty). None where a word is not as the table tells (help, a misspelt option, a missing value):
    the parser then says what is wrong."""
    others: list[str] = []
    values: dict[str, list[str]] = {}
    left = iter(words)
    for word in left:
        if word == "-" or not word.startswith("-"):
            others.append(word)
            continue
        name, equals, value = word.partition("=")
        takes = options.get(name)
        if takes is None or (takes is FLAG and equals):
            return None
        if takes is not FLAG:
            value = value if equals else next(left, "-")
            if value.startswith("-") or (takes is not ANY and value not in takes):
                return None
        values.setdefault(name, []).append(value)
    return others, values
