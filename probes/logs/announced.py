"""Lines between the steps which say that a step does more work from now on."""

from __future__ import annotations

from medic.text.patterns import regex

# "curriculum: sequence length is now 128"; a length that is stated once at the start is no change.
_LONGER = regex(
    r"(?i)(?:(?:sequence|seq|context)[ _-]?(?:length|len|window)\b[^\n]{0,40}?"
    r"(?:\bnow\b|->|=>|\u2192|\bto\b|changed?|switch\w{0,3}|increas\w{1,3}|grows?|raised)[^\d\n]{0,20}"
    r"|(?:序列|上下文)长度[^\n\d]{0,20}(?:\d+\s*)?(?:改为|变为|增至|->|\u2192|到)\s*)(\d{2,8})\b"
)
_LARGER = regex(
    r"(?i)(?:\b(?:batch[ _-]?size|\w*accumulation(?:[ _]steps)?)\b[^\n\d]{0,40}(?:\d+\s*)?"
    r"(?:is now|now|->|\u2192|\bto)\s*[:=]?\s*"
    r"|(?:批大小|累积(?:步数| step))[^\n\d]{0,20}(?:\d+\s*)?(?:改为|变为|增至|->|\u2192|到)\s*)(\d{1,8})\b"
)
_SIGNS = ("len", "window", "长度", "batch", "accumul", "批大小", "累积")


def announced(message: str, lowered: str) -> dict[str, float]:
    """The length that sequences have from this line on, or the batch (of a step, or what a step
    gathers, in whatever it is counted); empty where it says nothing of either."""
    if "loss" in lowered or not any(map(lowered.__contains__, _SIGNS)):
        return {}
    if found := _LONGER.search(message):
        return {"sequence_length": float(found[1])}
    found = _LARGER.search(message)
    return {"batch_announced": float(found[1])} if found else {}
