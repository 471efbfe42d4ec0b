"""What is said of validation beside training: the same words say both orders."""

from __future__ import annotations

_SET = r"(?:[ _-]?set|集)?(?:的| ?data)?"
_TRAINING = rf"(?:train(?:ing)?|训练){_SET}"
_VALIDATION = rf"(?:val(?:id(?:ation)?)?|eval(?:uation)?|dev|test|验证|测试|评估){_SET}"
_LOSS = r"[ _]?(?:loss(?:es)?|error|perplexity|ppl|损失|困惑度)"
_SCORE = r"[ _]?(?:acc(?:uracy)?|scores?|f1|准确率|精度)"
_FILLER = (
    r"(?: (?:is|was|are|were|stays?|lies|remains|being|always|much|slightly|far|a|bit|little|lot|"
    r"even|consistently|clearly|significantly|way|usually|so|the|my|its|that|of)|"
    r" ?(?:一直|总是|始终|明显|远|略|稍|还|反而))*"
)
_ON = r" (?:on|for|in|of)(?: the| my)? "
_LESS = r" ?(?:lower|smaller|less|below|under|低于|小于)"
_MORE = r" ?(?:higher|greater|larger|bigger|above|more|高于|大于)"
_ENDS_LESS, _ENDS_MORE = r" ?(?:要|更|还)?(?:低|小)", r" ?(?:要|更|还)?(?:高|大)"


def _than(one: str, other: str, measure: str, way: str, ending: str) -> str:
    """``one`` compared with ``other``: in the two orders of English and that of Chinese."""
    measured = f"{one}{measure}{_FILLER}"
    return "|".join(
        (
            f"{measured}{way}(?: than)?{_FILLER} ?{other}(?:{measure})?",
            f"{measure}{_FILLER}{way}{_ON}{one} than{_ON}{other}",
            f"{measured} ?比 ?{other}(?:{measure})?{ending}",
        )
    )


def _loss(less: str, more: str) -> str:
    """The loss of ``less`` is below that of ``more``."""
    return "|".join(
        (_than(less, more, _LOSS, _LESS, _ENDS_LESS), _than(more, less, _LOSS, _MORE, _ENDS_MORE))
    )


def _score(better: str, worse: str) -> str:
    """The score of ``better`` is above that of ``worse``."""
    return "|".join(
        (
            _than(better, worse, _SCORE, _MORE, _ENDS_MORE),
            _than(worse, better, _SCORE, _LESS, _ENDS_LESS),
        )
    )


_PARTS = "val|eval|test|dev|验证|测试|评估"
# Parts of which a text must have one, the pattern, and the terms that stand for it.
COMPARED = (
    (_PARTS, _loss(_VALIDATION, _TRAINING), "valbetter gapbelow validation loss"),
    (_PARTS, _loss(_TRAINING, _VALIDATION), "valworse gapabove validation loss"),
    (_PARTS, _score(_VALIDATION, _TRAINING), "valbetter gapbelow validation accuracy"),
    (_PARTS, _score(_TRAINING, _VALIDATION), "valworse gapabove validation accuracy"),
)
