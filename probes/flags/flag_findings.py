"""Faults of flags as findings: what is said of each, where, and what is offered."""

from __future__ import annotations

from medic.facts import Word
from medic.i18n import Text
from medic.probe import Finding
from medic.run_config import Change

from .arguments import VALUE
from .extra_words import Extra
from .families import Given
from .forks import ELSEWHERE
from .match import boolean
from .outcome import LEFT_OUT, STOPS
from .own_flags import Fault
from .renamed import Now
from .script_text import ScriptText
from .spelling import negated

MISSPELT, SWITCH = "misspelt-flag", "boolean-flag-with-value"
# Nobody read the program: its flags are those of a parser that is known.
_RENAME = Text(
    "the parser that its flags belong to has {new}, not {old}",
    "这些选项所属的解析器有 {new}，没有 {old}",
)
_BEHIND = Text("{flag} behind {script}", "写在 {script} 之后的 {flag}")
_ITS_OWN = Text(
    "what it calls this itself (--help lists it)", "它自己的写法（见 --help），或去掉该选项"
)
_DROP = Text("a switch takes no value", "开关型选项不接受取值")
SHORT = "argument-deprecated"  # refused where it is not unique
_SHORT = Text(
    "{flag} is taken for {whole} only as its beginning: write it out",
    "{flag} 只是 {whole} 的前缀，靠缩写匹配才生效：请写全",
)
_STRANGE = Text(
    "no release of {framework} that medic knows has {flag}: unless this is a fork that adds it, the "
    "parser stops at it",
    "medic 所知的 {framework} 版本都没有 {flag}：除非所用的分支自行添加，否则解析器会报错退出",
)
_SECOND = Text(
    "{flag} takes one path: a blank makes {word} a word of its own (quotes keep both together)",
    "{flag} 只接受一个路径：空格使 {word} 成了单独的参数（加引号可合为一体）",
)
_NO_MORE = Text(
    "{flag} takes one value and has {value}: {word} is a word too many, which the parser refuses",
    "{flag} 只接受一个取值，已有 {value}：{word} 是多余的词，解析器会拒绝",
)
_ALONE = Text(
    "{flag} has the value {value}, and {word} is the only word that no flag takes: the parser refuses it "
    "if it has no argument without a flag",
    "{flag} 的取值是 {value}，而 {word} 是唯一没有对应选项的词：除非解析器有不带选项的参数，否则会报错",
)
_NONE_AT_ALL = Text(
    "{flag} is a switch: {word} is a word too many, which the parser refuses",
    "{flag} 是开关：{word} 是多余的词，解析器会拒绝",
)
_EMPTY = Text("{flag} needs a value, and none follows", "{flag} 需要取值，后面却没有")


def finding_of(script: ScriptText, fault: Fault, program: str, right: Now | None = None) -> Finding:
    flag = _written(fault.given)
    span = fault.given.word.span
    source = script.at(span)
    value = {"flag": flag, "script": program, "where": source.where(), "consequence": STOPS}
    if fault.kind == "empty":
        what = _EMPTY.fill(flag=flag)
        return Finding(VALUE, "fires", {"what": what}, source, span=span)
    if fault.kind == "short":
        what = _SHORT.fill(flag=flag, whole=fault.meant)
        change = Change(f"flag:{flag}", flag, fault.meant, what)
        return Finding(SHORT, "fires", {"what": what}, source, changes=(change,), span=span)
    if fault.kind == "strange":
        what = _STRANGE.fill(flag=flag, framework=fault.meant)
        return Finding(SHORT, "fires", {"what": what}, source, span=span)
    if fault.kind == "fork":
        values = {"what": fault.what, "then": ELSEWHERE}
        return Finding(SHORT, "fires", values, source, span=span)
    if fault.kind == "switch":
        changes = [Change(f"flag-value:{flag}", fault.value, None, _DROP)]
        off = boolean(fault.value) is False  # what is off is left out
        if off:
            changes.append(Change(f"flag:{flag}", flag, None, _DROP))
        correct = LEFT_OUT[negated(flag)] if off else flag
        value |= {"value": fault.value, "correct": correct, "flags": (flag,)}
        return Finding(SWITCH, "fires", value, source, changes=tuple(changes), span=span)
    if fault.kind == "foreign":
        value |= {"meant": _ITS_OWN, "exists": "", "flags": (flag,), "meanings": (flag,)}
        return Finding(MISSPELT, "fires", value, source, span=span)
    if fault.kind == "misplaced":
        value |= {"meant": _BEHIND.fill(flag=flag, script=fault.meant), "exists": ""}
        value |= {"flags": (flag,), "meanings": (flag,)}
        return Finding(MISSPELT, "fires", value, source, span=span)
    meant = right.flag if right is not None else fault.meant
    value |= {"meant": meant, "exists": "", "flags": (flag,), "meanings": (f"{flag} -> {meant}",)}
    if right is not None and right.either is not None:
        value["meant"] = right.either
        return Finding(MISSPELT, "fires", value, source, span=span)
    change = Change(f"flag:{flag}", flag, meant, _RENAME.fill(new=meant, old=flag))
    return Finding(MISSPELT, "fires", value, source, changes=(change,), span=span)


def parted(script: ScriptText, flag: str, word: Word) -> Finding:
    span = word.span
    source = script.at(span)
    what = _SECOND.fill(flag=flag, word=word.raw)
    return Finding(VALUE, "fires", {"what": what}, source, span=span)


def too_many(script: ScriptText, extra: Extra) -> Finding:
    span = extra.word.span
    source = script.at(span)
    said = _NO_MORE if extra.value else _NONE_AT_ALL
    said = _ALONE if extra.supposed else said
    what = said.fill(flag=extra.flag, value=extra.value, word=extra.word.raw)
    values = {"what": what, "supposed": extra.supposed}
    return Finding(VALUE, "fires", values, source, span=span, repair=extra.repair)


def _written(given: Given) -> str:
    text = given.word.text
    return text.partition("=")[0]
