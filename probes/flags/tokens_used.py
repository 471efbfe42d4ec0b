"""Whether a run reads the key of a tracker or of a hub that its script sets, by what the script says."""

from __future__ import annotations

import re
from typing import Literal

from medic.i18n import Text
from medic.text.patterns import regex

from .masked import COMMENT
from .script_text import ScriptText

Use = Literal["surely", "perhaps", "never"]

PERHAPS = Text(
    "it is read only where the run reports there, or loads from or pushes to the hub",
    "只有在训练向该服务上报，或从 hub 下载、向 hub 推送时才会用到",
)
_SECRET = regex(r"KEY|TOKEN|SECRET|PASSW", re.IGNORECASE)
_TRACKER = regex(r"(WANDB|SWANLAB|COMET|NEPTUNE)_", re.IGNORECASE)
_HUB = regex(r"HUB_TOKEN|(?:HF|HUGGING_?FACE|MODELSCOPE)(?:_\w+)*_TOKEN", re.IGNORECASE)
_ON, _OFF = r"(?:[\"']?(?:true|1|yes)\b)", r"(?:[\"']?(?:false|0|no)\b)"
# transformers, ms-swift, TRL, LLaMA-Factory: --report_to; verl, OpenRLHF and NeMo by their own names.
_REPORTS = regex(r"--report[_-]to[= ]+((?:[\"']?[\w,]+[\"']?[ \t]*)+)")
_PUSHES = regex(rf"--push[_-]to[_-]hub(?:[= ]+{_ON}|\s*(?:\\?$|--|;))", re.MULTILINE)
_KEEPS = regex(rf"--push[_-]to[_-]hub[= ]+{_OFF}")
_HUB_OFF = regex(rf"\b(?:HF_HUB_OFFLINE|TRANSFORMERS_OFFLINE)=(?:{_ON})")


def use_of(name: str, script: ScriptText) -> Use:
    """How sure it is that something reads what is called ``name``; what is no secret is read."""
    if _SECRET.search(name) is None:
        return "surely"
    text = _without_comments(script)
    tracker = _TRACKER.match(name)
    if tracker is not None:
        return _reported(tracker[1].lower(), text)
    if _HUB.search(name) is None:
        return "perhaps"
    if _PUSHES.search(text):
        return "surely"
    of_flag = name.lower() == "hub_token"
    return "never" if _HUB_OFF.search(text) or (of_flag and _KEEPS.search(text)) else "perhaps"


def _reported(tracker: str, text: str) -> Use:
    own = tracker.upper()
    off = rf"\b{own}_MODE=[\"']?(?:offline|disabled|dryrun|local)\b|\b{own}_DISABLED={_ON}"
    if re.search(rf"{off}|\b{tracker} (?:offline|disabled|off)\b", text):
        return "never"
    told = [found[1] for found in _REPORTS.finditer(text)]
    if told:
        named = any(re.search(rf"\b(?:{tracker}|all)\b", one) for one in told)
        return "surely" if named else "never"
    set_up = re.search(
        rf"\b{tracker} login\b|\blogger\w*[=: ][^\n]*\b{tracker}\b|\b{own}_(?:PROJECT|ENTITY|BASE_URL)="
        rf"|--(?:use[_-])?{tracker}(?:[_-]project\b|[= ]+{_ON}|\s*(?:\\?$|--))",
        text,
        re.MULTILINE,
    )
    return "surely" if set_up else "perhaps"


def _without_comments(script: ScriptText) -> str:
    lines = zip(script.lines, script.code, strict=True)
    return "\n".join(
        line[: code.find(COMMENT)] if COMMENT in code else line for line, code in lines
    )
