"""A public benchmark's score that a fine-tuning lowered: so people tell that abilities were lost."""

from __future__ import annotations

from medic.text.patterns import regex

_BENCHMARK = (
    r"(?:mmlu(?:-pro)?|human-?eval\+?|gsm-?8k|c-?eval|cmmlu|bbh|arc(?:-[ce]\w*)?|hellaswag|mbpp|"
    r"ifeval|truthfulqa|"
    r"winogrande|mt-?bench|gpqa|drop|triviaqa|general (?:benchmarks?|abilit\w+|knowledge)|"
    r"通用(?:能力|评测|榜单))"
)
_NUMBER = r"(\d+(?:\.\d+)?)\s?(?:%|分|points?)?"
_DOWN = (
    r"(?:drop\w*|fell|fall\w*|declin\w*|decreas\w*|went down|goes down|degrad\w*|跌|掉|降|"
    r"下滑)"
)
_FAR, _NEAR = r"[^.;。；\n\d]{0,24}", r"[^.;。；\n\d]{0,12}"
_TO = r"\s?(?:to|->|→|到|至)\s?"
_FELL = regex(
    rf"(?ai)(?<![a-z]){_BENCHMARK}{_FAR}{_DOWN}{_NEAR}(?:from )?{_NUMBER}{_TO}{_NUMBER}|"
    rf"(?<![a-z]){_BENCHMARK}{_NEAR}(?:from|从)\s?{_NUMBER}{_NEAR}(?:to|{_DOWN}){_NEAR}{_NUMBER}"
)
_TUNED = regex(
    r"(?ai)fine-?\s?tun|\bsft\b|instruction tuning|continued? pre-?train|微调|精调|继续预训练|"
    r"全参"
)
# Another reason stands beside it: what was measured is not what was trained.
_MEASURED_ELSE = regex(
    r"(?ai)quanti|\bvllm\b|template|harness|few-?shot|merg|convert|export|gguf|awq|gptq|int[48]|"
    r"量化|模板|合并|转换|导出"
)
_SENTENCE = regex(r"\n|(?<=[.!?;])\s|[。！？；]")


def score_fell(text: str) -> str:
    """The first sentence that tells of a benchmark that fell after a fine-tuning; empty: none does."""
    if not _TUNED.search(text) or _MEASURED_ELSE.search(text):
        return ""
    return next((part.strip() for part in _SENTENCE.split(text) if _fell(part)), "")


def _fell(sentence: str) -> bool:
    for found in _FELL.finditer(sentence):
        first, last = (float(n) for n in found.groups() if n)
        if last < first:
            return True
    return False
