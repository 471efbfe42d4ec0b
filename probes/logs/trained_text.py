"""The text of one sample, and below it the part that is trained, as programs print both.

``example: '<|user|>2 + 2?<|assistant|>4</s>'`` and ``trained on: '4'``: no end token is trained;
``trained on: '<|user|>2 + 2?<|assistant|>'``: the mask is the wrong way round.
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from medic.facts import Hit, Source
from medic.text.patterns import regex

from . import windows

if TYPE_CHECKING:
    from .view import View

CHECK = "counted-labels"
NEAR = 3  # lines from the sample to what is trained of it
_WHOLE = regex(
    r"(?i)(?:^|[\s\]])(?:example|sample|(?:full |input |whole )?text|inputs?|decoded)\s*[:=]\s*(['\"].+)$"
)
_PART = regex(
    r"(?i)(?:^|[\s\]])(?:trained[ _]on|(?:decoded )?(?:labels?|targets?)|supervised|loss on)\s*[:=]\s*"
    r"(['\"].+)$"
)
_END = regex(
    r"(?:<\|(?:endoftext|eot_id|im_end|end|end_of_text|endofturn)\|>|</s>|<eos>|<end_of_turn>)\s*$"
)
# What stands before an answer: behind it the part that is to be trained begins.
_BEGINS = regex(r"(?i)(?:assistant|response|answer|bot|model|\[/INST\])\W*$")

_LIMIT = regex(r"max_new_tokens['\"]?\s*[=:]\s*(\d{1,6})\b")
_LENGTH = regex(
    r"(?:gen_len|new_tokens_mean|mean_(?:new_tokens|length)|(?:response|completion)_length(?:/mean)?)"
    r"['\"]?\s*[=:]\s*(\d{1,6}(?:\.\d+)?)"
)


def trained_text(view: View, head: Iterable[windows.Numbered | None]) -> Iterator[Hit]:
    """A hit for the first such pair of lines whose second is less than it should be."""
    whole: tuple[int, str] | None = None
    lines = list(filter(None, head))
    for number, text in lines:
        if (found := _WHOLE.search(text)) and (words := _quoted(found[1])):
            whole = number, words
        elif whole and number - whole[0] <= NEAR and (found := _PART.search(text)):
            outcome = _outcome(whole[1], _quoted(found[1]))
            if outcome == "end-token-not-shown" and _never_ends([text for _, text in lines]):
                outcome = (
                    "no-end-token"  # a print may leave out special tokens; this it does not make
                )
            if outcome:
                source = Source(view.given.name, number, text=text[:200])
                yield Hit(
                    signature=f"printed-text-{outcome}",
                    symptom="",
                    role="context",
                    source=source,
                    captures={},
                    order=view.order(number),
                    check=CHECK,
                    outcome=outcome,
                )
            return


def _never_ends(lines: list[str]) -> bool:
    """Whether all mean lengths of written answers that are told are the limit itself."""
    limits = {float(m[1]) for text in lines for m in _LIMIT.finditer(text)}
    lengths = {float(m[1]) for text in lines for m in _LENGTH.finditer(text)}
    return len(limits) == 1 and lengths == limits


def _quoted(text: str) -> str:
    """The text in quotes, as Python writes it; "" where it is cut or something else."""
    try:
        value = literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return ""
    return value if isinstance(value, str) else ""


def _outcome(whole: str, part: str) -> str:
    """What the trained part of a sample lacks; "" where it is as it should be, or cannot be told."""
    if not part.strip() or part == whole:
        return ""
    end = _END.search(whole)
    answer = whole[: end.start()] if end else whole
    if end and not _END.search(part) and answer.rstrip().endswith(part.rstrip()):
        return "end-token-not-shown"
    behind = answer[len(part) :] if answer.startswith(part) else ""
    return "prompts-only" if behind.strip() and _BEGINS.search(part) else ""
