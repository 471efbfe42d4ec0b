"""Environment variables that nothing reads, that do not take their value, or are misspelt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from medic.entries import Term
from medic.facts import Variable
from medic.i18n import Text
from medic.preflight.result import Result, Scene, not_ok, not_seen, ok
from medic.text.patterns import regex
from medic.text.slips import meant_variable

NAME = "variable"
_UNKNOWN = regex(r"[$`]")


def variables(scene: Scene) -> Iterator[Result]:
    looked = Text("the launch's variables and this shell's", "启动脚本与当前 shell 的环境变量")
    if scene.machine is None:
        yield not_seen(NAME, scene.reason("machine"), looked)
        return
    terms = known(scene)
    found = [r for v in scene.machine.variables if (r := _judge(v, terms)) is not None]
    yield from found
    if not found:
        count = sum(v.name in terms for v in scene.machine.variables)
        en = f"{count} known variables are set, each takes its value and is read"
        if count == 1:
            en = "1 known variable is set, takes its value and is read"
        zh = f"设置了 {count} 个已知变量，取值有效且会被读取"
        if not count:
            en, zh = "none is set that medic knows", "没有设置 medic 已知的变量"
        yield ok(NAME, en, zh, looked)


def known(scene: Scene) -> Mapping[str, Term]:
    """The variables that the knowledge has, by the name that is exported."""
    raw = scene.index.raw["terms"]
    names = [name for name, term in raw.items() if term["kind"] == "variable"]
    return {says: scene.index.terms[n] for n in names for says in raw[n]["says"]}


def _judge(variable: Variable, terms: Mapping[str, Term]) -> Result | None:
    told = f"{variable.name}={variable.value}"[:120]
    term = terms.get(variable.name)
    if term is None:
        return _misspelt(variable, terms)
    looked = Text("`medic explain {n}`", "`medic explain {n}`").fill(n=term.name)
    if not term.read_by and term.myth is not None:
        en, zh = f"{told}: nothing reads it", f"{told}：没有程序读取它"
        return not_ok(
            NAME, f"{en}. {term.myth.en}", f"{zh}。{term.myth.zh}", looked, variable.source
        )
    if not term.accepts or _UNKNOWN.search(variable.value):
        return None
    if re.fullmatch(term.accepts, variable.value):
        return None
    readers = ", ".join(term.read_by)
    meant = variable.value.replace("=", ":")
    is_meant = meant != variable.value and re.fullmatch(term.accepts, meant) is not None
    en = f"{told}: {readers} does not take this value{f'; {meant} is meant' if is_meant else ''}. "
    zh = f"{told}：{readers} 不接受这个取值{f'，应为 {meant}' if is_meant else ''}。"
    en, zh = en + term.what.en, zh + term.what.zh
    return not_ok(NAME, en, zh, looked, variable.source)


def _misspelt(variable: Variable, terms: Mapping[str, Term]) -> Result | None:
    """A name that is a slip away from one that is read; see ``meant_variable``."""
    name = variable.name
    meant = meant_variable(name, [known for known, term in terms.items() if term.read_by])
    if meant is None:
        return None
    en, zh = (
        f"{name}: nothing reads it; did you mean {meant}?",
        f"{name}：没有程序读取它；是否想写 {meant}？",
    )
    looked = Text("variables that medic knows", "medic 已知的环境变量")
    return not_ok(NAME, en, zh, looked, variable.source)
