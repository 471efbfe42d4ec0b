"""Places of a script that are still to be filled in: ``--pretrain=<PATH>``, ``MODEL=your_model``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from medic.facts import Document
from medic.i18n import Text
from medic.text.patterns import regex

from .masked import numbered
from .script_text import ScriptText
from .slip import Slip
from .tokens_used import PERHAPS, use_of

_INSIDE = r"[^\W\d](?:[^<>|&;$`=\"'\n]*[^<>|&;$`=\"'\s])?"
# Behind a flag, a = or what takes one path or name; < and > of redirections have blanks between.
_BARE = regex(
    rf"(?:(?<=\s)--?[A-Za-z][\w.-]*[ \t]+|=|(?:^|[;&|(]\s*)(?:cd|source|\.|ssh)[ \t]+)(<{_INSIDE}>)"
)
_TELLS = (
    r"(?i:your?\b|path|folder|director(?:y|ies)|_dir\b|account|partition|replace|insert|fill|"
    r"my[ _-]|你|您|填|路径|替换)"
)
# A token of a vocabulary stands in quotes as well (<pad>, <|user|>): only what speaks of a place.
_QUOTED = regex(
    rf"(?:(?<=\s)--?[A-Za-z][\w.-]*[ \t=]+|=)[\"'](<(?=[^<>]*{_TELLS}){_INSIDE}>)[\w./-]*[\"']"
)
_YOURS = regex(
    r"(?:(?<=\s)--(?P<flag>[A-Za-z][\w.-]*)[ \t=]+|^\s*(?:export\s+)?(?P<set>\w+)=)[\"']?"
    r"(?P<word>(?:YOUR|your)[_-][\w-]+)(?=[\"'\s;&|]|$)"
)
_DIRECTIVE = regex(rf"^#(?:SBATCH|PBS|BSUB)\s.*?(<{_INSIDE}>)")
# A template's own names have no blank: {partition}.
_IN_BRACES = regex(r"^#(?:SBATCH|PBS|BSUB)\s.*?(\{[A-Za-z]\w*(?: \w+)+\})")
_ADDRESS = regex(
    r"(?:(?<=\s)--?[A-Za-z][\w.-]*[ \t=]+|=)[\"']?(x{1,3}(?:\.x{1,3}){3})(?=[\"':\s;&|]|$)",
    re.IGNORECASE,
)
_PASTED = regex(r"<(?:pasted )?command\d*>$")
_READS = Text(
    "{word} is a placeholder that is still to be filled in: the shell reads < as input from a file",
    "{word} 是还没有填写的占位符：shell 会把 < 读作从文件输入",
)
_TAKEN = Text(
    "{word} is a placeholder that is still to be filled in: it is taken as it stands",
    "{word} 是还没有填写的占位符：它会被原样使用",
)


def placeholders(script: ScriptText, document: Document) -> Iterator[Slip]:
    """Not of a command that was pasted with a text: there it stands for what its author leaves out."""
    if _PASTED.search(script.name):
        return
    for number, line in numbered(script, document):
        if number in script.documents:
            continue
        text = script.line_text(number)
        for pattern, shown, what in (
            (_BARE, line, _READS),
            (_DIRECTIVE, text, _TAKEN),
            (_IN_BRACES, text, _TAKEN),
            (_ADDRESS, text, _TAKEN),
            (_QUOTED, text, _TAKEN),
            (_YOURS, text, _TAKEN),
        ):
            if (
                shown is text
                and pattern not in (_DIRECTIVE, _IN_BRACES)
                and text.lstrip().startswith("#")
            ):
                continue
            for found in pattern.finditer(shown):
                if pattern is _YOURS:
                    yield from _of_yours(found, script, number)
                    continue
                yield Slip(what.fill(word=found[1]), script.between(number, found.span(1)))


def _of_yours(found: re.Match[str], script: ScriptText, number: int) -> Iterator[Slip]:
    """A key that nothing reads stands there as one that was left out of a published script."""
    use = use_of((found["flag"] or found["set"]).replace("-", "_"), script)
    if use != "never":
        place = script.between(number, found.span("word"))
        mild = PERHAPS if use == "perhaps" else None
        yield Slip(_TAKEN.fill(word=found["word"]), place, mild=mild)
