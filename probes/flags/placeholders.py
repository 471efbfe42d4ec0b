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
    r"(?:(?<=\s)--[A-Za-z][\w.-]*[ \t=]+|^\s*(?:export\s+)?\w+=)[\"']?"
    r"((?:YOUR|your)[_-][\w-]+)(?=[\"'\s;&|]|$)"
)
_DIRECTIVE = regex(rf"^#(?:SBATCH|PBS|BSUB)\s.*?(<{_INSIDE}>)")
# What a service's key is not asked for with (wandb sdk/wandb_settings.py, huggingface_hub constants.py,
# swanlab/env.py), and what says where a run reports to.
_OFF = {
    "wandb": regex(
        r"(?i)\bWANDB_MODE=[\"']?(?:offline|disabled|dryrun)|\bWANDB_DISABLED=[\"']?(?:true|1)\b"
        r"|^\s*wandb\s+(?:offline|disabled|off)\b",
        re.MULTILINE,
    ),
    "swanlab": regex(r"(?i)\bSWANLAB_MODE=[\"']?(?:local|disabled|offline)"),
    "hf": regex(r"(?i)\b(?:HF_HUB|TRANSFORMERS)_OFFLINE=[\"']?(?:1|true|yes|on)\b"),
}
_SERVICES = {"WANDB_": "wandb", "SWANLAB_": "swanlab", "HF_": "hf", "HUGGING": "hf"}
_REPORTS = regex(r"(?i)\b(?:report_to|report-to|trainer\.logger)[\s=]+(\S+)")
_SECRET = regex(r"^\s*(?:export\s+)?([A-Z][A-Z_]*(?:KEY|TOKEN))=")
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
            (_QUOTED, text, _TAKEN),
            (_YOURS, text, _TAKEN),
        ):
            if shown is text and pattern is not _DIRECTIVE and text.lstrip().startswith("#"):
                continue
            if what is _TAKEN and _is_unasked(text, script.text):
                continue
            for found in pattern.finditer(shown):
                yield Slip(what.fill(word=found[1]), script.between(number, found.span(1)))


def _is_unasked(line: str, script: str) -> bool:
    """Whether a line only sets the key of a service that the script keeps away from the network, or
    does not report to."""
    named = _SECRET.match(line)
    service = next((s for n, s in _SERVICES.items() if named and named[1].startswith(n)), None)
    if service is None:
        return False
    said = "\n".join(one for one in script.split("\n") if not one.lstrip().startswith("#"))
    reports = [found[1].lower() for found in _REPORTS.finditer(said)]
    elsewhere = reports and not any(
        word in one for one in reports for word in (service, "all", "$")
    )
    return bool(_OFF[service].search(said)) or bool(elsewhere and service != "hf")
