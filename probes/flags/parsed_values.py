"""Values that the script's own parser does not convert, and options that it asks for in vain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import Launch, Option, ParserSpec, Word
from medic.i18n import Text
from medic.text.patterns import regex

from .arguments import VALUE, Fault
from .match import Known, Unknown, classify, match
from .suspects import script_parts

_MAX_LISTED = 6
# A variable, alone or in a text, that is not called as one of further flags.
_ONE_VALUE = regex(
    r"(?i)\"?(?:[\w./:=-]|\$(?!\w*(?:arg|opt|flag|extra|more|cmd))[A-Za-z_]\w*"
    r"|\$\{(?!\w*(?:arg|opt|flag|extra|more|cmd))[A-Za-z_]\w*\})+\"?$"
)
_KINDS = {"int": Text("a whole number", "整数"), "float": Text("a number", "数字")}
_NO_NUMBER = Text(
    "{flag} takes {kind} ({script}), not {value}", "{flag} 需要{kind}（{script}），而不是 {value}"
)
_LACKS = Text(
    "{script} asks for {flags}, which this command does not give",
    "{script} 要求给出 {flags}，而该命令没有给",
)


def not_converted(launch: Launch, spec: ParserSpec | None) -> Iterator[Fault]:
    """argparse: invalid int value, invalid float value."""
    if spec is None or spec.origin != "source" or not (spec.complete or spec.lent):
        return
    for flag, option, word, value in _values(launch.arguments, spec):
        if option.number and not _is_number(value, option.number):
            script = spec.script.rsplit("/", maxsplit=1)[-1]
            kind = _KINDS[option.number]
            what = _NO_NUMBER.fill(flag=flag, kind=kind, script=script, value=value)
            yield Fault(VALUE, what, word.literal or word.span, flag)


def _values(words: Sequence[Word], spec: ParserSpec) -> Iterator[tuple[str, Option, Word, str]]:
    """(flag, its option, the word of a value, the value) of what is known before the shell runs."""
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        known = classify(word.value, spec) if word.value is not None else None
        if not isinstance(known, Known):
            continue
        flag = (word.value or "").partition("=")[0]
        if known.explicit is not None:
            yield flag, known.option, word, known.explicit
            continue
        most = {"none": 0, "many": len(words)}.get(known.option.takes, 1)
        while most and at < len(words):
            value = words[at].value
            if value is None or isinstance(classify(value, spec), (Known, Unknown)):
                break
            yield flag, known.option, words[at], value
            at, most = at + 1, most - 1


def _is_number(text: str, kind: str) -> bool:
    try:
        int(text) if kind == "int" else float(text)
    except ValueError:
        return False
    return True


def lacking(launch: Launch, spec: ParserSpec | None) -> Iterator[Fault]:
    """argparse: the following arguments are required. Not where a word may hold further flags."""
    if spec is None or spec.origin != "source" or not spec.complete or launch.script is None:
        return
    wanted = [o for o in spec.options if o.required]
    found = match(launch.arguments, spec)
    if not wanted or found.unread or found.unknown or _opened(launch.arguments, spec):
        return
    absent = [o.names[0] for o in wanted if found.used.isdisjoint(o.names)]
    if absent:
        script = script_parts(launch)[-1:] or (spec.script,)
        what = _LACKS.fill(script=script[0], flags=", ".join(absent[:_MAX_LISTED]))
        yield Fault(VALUE, what, launch.script.span, "")


def _is_value(words: Sequence[Word], at: int, spec: ParserSpec) -> bool:
    """Whether a word of unknown text is the value of the option before it, and may be no more."""
    before = words[at - 1].value if at else None
    known = classify(before, spec) if before is not None else None
    alone = isinstance(known, Known) and known.explicit is None and known.option.takes == "value"
    return alone and _ONE_VALUE.match(words[at].raw) is not None


def _opened(words: Sequence[Word], spec: ParserSpec) -> bool:
    """A file of settings in place of flags, help, or a word that only the shell knows, but for the
    one value of an option: ``--lr $lr``.
    """
    texts = [word.value for word in words]
    unknown = [i for i, text in enumerate(texts) if text is None]
    return any(not _is_value(words, i, spec) for i in unknown) or any(
        t in ("-h", "--help") or t.startswith("@") or (i == 0 and not t.startswith("-"))
        for i, t in enumerate(texts)
        if t is not None
    )
