"""What a text says of how things are: trouble, ease, or neither."""

from __future__ import annotations

from collections.abc import Iterable

from medic.match.words import terms_of
from medic.text.patterns import regex

# Words that say that something is wrong; that it is well, or would be; and which way it goes.
_TROUBLE_WORDS = """
hang nan inf oom error kill slow spike diverge oscillate noroom timeout corrupt disappear
overflow crash die died dead abort broken bad wrong weird strange garbage mismatch missing lost
invalid refuse reject denied exceed leak noisy unknown segfault exception worse stagnat plateau sameoutput
glitch gibberish nonsens trouble bug unstabl instability unexpect slowing
break lose worst incoherent collapse collapsed imbalance imbalanced uneven starve
starved unbalanced overfit overfitting forgot forget
idle empty pending forever early incorrect hacking
preempted cancelled canceled incomplete useless xid throw
\u5f02\u5e38 \u6389\u7ebf
"""
_WELL_WORDS = """
work fine ok okay normal succe pass help thank decrease increase enough match connect found load start
fit support respond finish equal
\u6b63\u5e38 \u53ef\u4ee5 \u6210\u529f \u6536\u655b \u652f\u6301
"""
# What a run should do: only its denial says anything.
_DEEDS = """
save write read available change use install import compile release stable balanced divisible
reproducible compatible initialize initialise restore print converge accept fast join
"""
_WAY_WORDS = """
zero taken kill stop high low repeat decrease increase jump exit end warn change down onlyone
nothing ineffective scratch traceback assert assertion sigterm sigkill
"""


def _terms(words: str) -> frozenset[str]:
    """The terms that a sentence has for these words: their stems, or what they mean. Chinese ones
    stand for themselves: to look them up costs the start of a command a large pattern."""
    found = (terms_of(word) if word.isascii() else [word] for word in words.split())
    return frozenset(term for terms in found for term in terms)


TROUBLE = _terms(_TROUBLE_WORDS)
WELL = _terms(_WELL_WORDS)
NOTED = TROUBLE | _terms(_WAY_WORDS)
SAYING = NOTED | WELL
# Denied, they are a complaint; stop words may be denied too.
DUE = WELL | _terms(_DEEDS) | {"start", "use"}
_ODD = frozenset(["low", "high", "zero"])  # beside a reassurance
LEAST_TERMS = 4


def says(terms: Iterable[str]) -> frozenset[str]:
    """Those of the terms that say that something is wrong or well."""
    return frozenset(t for t in terms if t.startswith("!") or t in SAYING)


def tells(sentence: str) -> bool:
    """Whether a sentence may tell of trouble: by a word for it, or by saying enough."""
    terms = {t for t in terms_of(sentence) if not t.lstrip("!").replace(".", "").isdigit()}
    return bool(says(terms)) or len(terms) >= LEAST_TERMS


MENDED = regex(
    r"(?i:\b(?:fixed(?! (?:at|to|in|seed|length|size|rate|value|number|batch|lr|learning))|"
    r"solved|resolved|went away|is gone)\b)|"
    r"\u5df2\u89e3\u51b3|\u89e3\u51b3\u4e86|\u5df2\u4fee\u590d|\u4fee\u597d\u4e86|\u641e\u5b9a\u4e86"
)
# What was cured, named after the word: "solved the mismatch".
_CURED = regex(
    r"(?i)^ (?:the|my|our|this|that|it)\b[^.;,]*?(?=[.;,]|\b(?:but|and|now|then|until)\b|$)"
)
_GONE = regex(r"(?i)gone|away")  # good only of what is bad
# A cure that is denied, or asked for.
_UNMENDED = regex(
    r"(?i)\b(?:came|comes|come|is|are) back\b|\breturn(?:s|ed)\b|\breappear|又(?:来了|出现|有了)|再次出现|"
    r"\b(?:not|never|\w+n't|how|who|when|what)\b[^.;]{0,40}\b(?:fixed|solved|resolved)\b|"
    r"(?:没|未|谁|怎么|如何|不能|无法)[^，。；]{0,6}(?:解决|修好|修复)"
)
# What comes after a cure is of today.
_SINCE = regex(r"(?i)\b(?:now|today|currently|but)\b|现在|今天|目前|如今|但|却|又|可是")
_REASSURES = regex(
    r"(?i:\b(?:no problem|all good|(?:is|are|looks?|works?|finished|runs?) fine|thanks|thank you|"
    r"safely ignore|harmless)\b)|"
    r"\u6ca1(?:\u6709)?(?:\u95ee\u9898|\u5f02\u5e38)|\u65e0\u5f02\u5e38|\u4e0d\u662f\u6545\u969c|\u4e0d\u662f\u6302|"
    r"\u4e0d\u5f71\u54cd|\u6b63\u5e38\u7ed3\u675f|\u8dd1\u5b8c|\u901a\u8fc7|\u7a33\u5b9a\u4e86|\u8c22\u8c22"
)
# What turns a sentence: its good half says nothing of the other.
_TURNS = regex(
    r"(?i)\b(?:but|however|although|though|while|except|until|instead|only|on (?:one|a single))\b|"
    # the other variant is the one that is fine
    r"\b(?:zero-?[0-3]|stage ?[0-3]|bf16|fp16|fp32|bfloat16|float(?:16|32)|cpu|ddp|fsdp|eager|sdpa|"
    r"(?:one|single|two|\d+)[- ](?:gpu|card|node|machine)s?|v?\d+\.\d[\w.]*|batch ?size \d+) "
    r"(?:is|are|works?|runs?|looks?|trains?) (?:fine|ok|okay|good|well)\b|"
    r"(?:zero-?[0-3]|bf16|fp16|fp32|cpu|ddp|fsdp|eager|sdpa)\s?(?:\u5c31|\u90fd|\u4e5f|\u662f|\u4e0b)?"
    r"(?:\u6ca1(?:\u6709)?\u95ee\u9898|\u6b63\u5e38|\u6ca1\u4e8b)|"  # (就都也是下)没问题 正常 没事
    r"\u4f46|\u5374|\u7136\u800c|\u4e0d\u8fc7|\u540e|\u53ea\u6709|"  # 但 却 然而 不过 后 只有
    # 单卡 单机 单节点 一台 其他 别的 本地
    r"\u5355\u5361|\u5355\u673a|\u5355\u8282\u70b9|\u4e00\u53f0|\u5176\u4ed6|\u522b\u7684|\u672c\u5730"
)
# Said of the whole: nothing is wrong now, whatever else the text mentions.
_WELL = regex(
    r"(?im)\ball good\b|^fixed\b(?! (?:at|to|in|seed|length))|"
    r"\bnothing is (?:wrong|truncated|broken)\b|\bturned out to be (?:harmless|fine|normal|expected)\b|"
    r"\u5df2\u89e3\u51b3|\u89e3\u51b3\u4e86|\u4e0d\u662f\u6545\u969c|\u4e0d\u662f\u6302|\u7a33\u5b9a\u4e86|\u6b63\u5e38\u7ed3\u675f"
)
# Said of a part as often as of the whole: it is ease only where nothing is complained of.
_FINE = regex(
    r"(?im)\beverything (?:else )?(?:(?:seems|looks|is) (?:to be )?(?:ok|okay|fine|good|normal|right)|works|trains)\b|"
    r"\bas expected\b|\bhelped\.|"
    r"\b(?:our|the|all) (?:runs?|training|jobs?) (?:is|are|runs?|looks?) (?:fine|ok|healthy|stable)\b|"
    r"\b(?:just|only) (?:curious|asking)\b|\bno (?:problem|issue)s?(?: so far)?[.!]|"
    r"\bturned out (?:that|to be)\b|\u901a\u8fc7\u7684|\u53ea\u662f\u60f3\u786e\u8ba4"
)
_ELSEWHERE = regex(  # in the run that is compared with
    r"(?i)\b(?:(?:with|on|using|for|in) (?:(?:just |only )?(?:one|1|a single)|single|the (?:old|other|base|original|"
    r"previous)|full|plain|v?\d+\.\d)|without|before|previously|earlier|locally|elsewhere)\b"
)
_WHY = regex(
    r"(?i)\bwhy\b|\bany ideas?\b|\bwhat (?:could|can|might|may) (?:be|cause)|\bwhat is (?:the cause|wrong)|"
    r"\bhow (?:can|do|could|should|to) (?:I |we )?(?:fix|solve|avoid|prevent|get rid)|"
    r"\bwhat (?:do|should|must|can) (?:I|we) (?:need to |have to )?(?:change|fix)\b|"
    r"\bis (?:this|that|it) (?:a bug|normal|expected)(?! to (?:use|set|train|choose|take|run))|"
    r"\breason\b|\b(?:some|any)(?:body|one) help\b|"
    r"\b(?:have you|did (?:some|any)(?:one|body)|(?:has|does) any(?:one|body)|any(?:one|body) else)\b"
    r".{0,40}\b(?:encounter|seen?|ha[dv]e?|fac|experienc|met)|\u9047\u5230\u8fc7|\u6709\u4eba\u9047\u5230|"
    r"\bhowever\b|\bbut (?:when|after|with|on|the|it|I)\b|\balthough\b|\bonly (?:uses?|used|reached|gets?)\b|"
    r"\bhow come\b|\b(?:any|some) (?:advice|suggestions?|hints?)\b|\u4e3a\u4f55|\u662f\u4e0d\u662f|"
    r"\u5374|\u5e94\u8be5\u600e\u4e48|\u4f46\u662f?(?:\u5b9e\u9645|\u53d1\u73b0|\u8bad\u7ec3|\u8dd1|\u4e00)|\u53d1\u73b0|"
    r"\u4e3a\u4ec0\u4e48|\u4e3a\u5565|\u600e\u4e48\u529e|\u600e\u4e48\u56de\u4e8b|\u5982\u4f55\u89e3\u51b3|\u600e\u4e48\u89e3\u51b3|\u600e\u6837\u89e3\u51b3|\u4ec0\u4e48\u539f\u56e0|"
    r"\u6b63\u5e38\u5417|\u6b63\u5e38\u4e48|\u662f\u5426\u6b63\u5e38|(?<!\u6ca1)(?<!\u6ca1\u6709)\u62a5\u9519"
)
# A question of usage, or of preference: its facts are how things are, no complaint.
_ASKS = regex(
    r"(?i)[?\uff1f]|\b(?:curious|wonder\w*|question|(?:want|like) to (?:know|understand|confirm))\b|"
    r"\u5417|\u5427[\uff0c\u3002,.]|\u8bf7\u95ee|\u60f3\u95ee|\u95ee\u4e0b|\u786e\u8ba4"  # 吗 吧 请问 想问 问下 确认
)
# Of another variant, time or place that it is well: this one is not.
_BUT = regex(
    r"(?i)\b(?:but|however|yet)\b|但|却|就(?:都|又)?(?:正常|没问题|没事|好了)|"
    r"(?:其[他它余]|别的|另[一外]|单卡|单机|宿主机|本地|之前|以前|第一次|上次|原来|老版本?|新[开跑])[^，。；\n]{0,12}"
    r"(?:正常|没(?:有)?问题|没事)"
)
_STAGE = regex(r"(?i)\bzero[- ]?[0-3]\b")  # a name, not the number
# The end of a sentence that asks: without it nothing is asked, however the sentence begins.
_ASKED = regex(
    r"[?\uff1f]\s*$|(?:\u5417|\u5462|\u4e48)[\u3002.\s]*$|\u8bf7\u95ee|\u60f3\u95ee"
)  # 吗 呢 么 请问 想问
_SETTING = regex(r"(?m)^\s*(?:#.*|[\w.\[\]\"'-]+\s*[:=]\s*\S+)\s*$\n?")  # a comment, a setting
# Said of what one has: it is as it should be.
_PRAISES = regex(
    r"(?i)\b(?:works?|trains?|runs?|loads?|stops?|fine|correct(?:ly)?|steady|stable) (?:fine|well|now|as)\b|"
    r"\b(?:works?|trains?|runs|loads?) (?:again\b|on\b(?=\s*(?:[.,;!)]|$|and|without|for)))|"
    r"\bno (?:complaints?|errors?|problems?|issues?|warnings?)\b"
    r"(?!(?:,| -)? (?:but|yet|however|though|just|(?:it|training) (?:just|only|simply|never))\b)|"
    r"\b(?:it|tests?|all|checks?) passed\b|"
    r"\bas (?:in the|expected|it should|intended|usual)\b|\bwas expected\b|\bsorry for the noise\b|"
    r"\b(?:is|are|so|quality) fine\b|\bnothing (?:is )?(?:broken|wrong)\b|\bruns through\b|"
    r"\beverything (?:else )?(?:looks|is) (?:fine|ok|good|normal)\b|\bno failure\b|"
    r"\b(?:training|results?|the run|loss) (?:is|are|looks?) (?:healthy|good|normal|acceptable|equal)\b|"
    r"\u6210\u529f|\u6b63\u5e38|\u6ca1(?:\u6709)?(?:\u53d1\u73b0)?\u95ee\u9898"  # 成功 正常 没(有)(发现)问题
)
_CLAUSE = regex(r",\s|[\uff0c,;\uff1b]")
_RAISED = regex(r"\u62a5(?:\u4e86|\u51fa)?\s*[A-Za-z\"'`\u201c\u300c]")  # 报 了 出, and a message
_NAMED = regex(r"\b[A-Z]\w+(?:Error|Exception)\b")  # of what a program raised
# What does not come about, in words that are too common to be terms.
_UNABLE = regex(
    r"(?i)\b(?:can(?:no|')t|won'?t|unable to|(?:does|do|did|will)(?: not|n'?t)|refuses to) "
    r"(?:even )?(?:start|train|run|load|save|resume|finish|launch|continue|go on|move|get)\b|"
    r"\u65e0\u6cd5|\u6ca1\u6cd5|\u4e2d\u65ad|\u8dd1\u4e0d|\u8d77\u4e0d|\u8bad\u4e0d"  # 无法 没法 中断 跑不 起不 训不
)
_CLAUSE_END = regex(
    r"\n|(?<=[.!?;,])\s|[\u3002\uff01\uff1f\uff1b\uff0c]|\b(?:and then|and now|then|but|until)\b"
)
_SENTENCE_END = regex(r"\n|(?<=[.!?;])\s|(?<=[\u3002\uff01\uff1f\uff1b])")


def all_well(text: str) -> bool:
    """Whether a text as a whole tells of no present fault: mended, a question, a good run."""
    said = [*_WELL.finditer(text)]
    if not said:
        return False
    before = _CLAUSE_END.split(text[: said[-1].start()])[-1]
    return not _UNMENDED.search(before + said[-1].group()) and not _goes_on(text[said[-1].end() :])


def mended(sentence: str) -> bool:
    """Whether a sentence says that what it names is mended, and of nothing else that it is wrong."""
    found = MENDED.search(sentence)
    if (
        found is not None
        and _GONE.search(found.group())
        and not _troubled(sentence[: found.start()])
    ):
        return False  # what is gone was wanted
    return found is not None and not (
        _UNMENDED.search(sentence) or _goes_on(_CURED.sub("", sentence[found.end() :]))
    )


def _troubled(text: str) -> bool:
    """Whether the words before "is gone" name a trouble, or nothing at all ("It is gone")."""
    words = terms_of(text)
    return not words or complains(text) or not NOTED.isdisjoint(words)


def _goes_on(text: str) -> bool:
    """Whether the clauses after a cure tell of another trouble."""
    return any(
        odd(part) or (_SINCE.search(part) and not (reassures(part) or praises(part)))
        for part in _CLAUSE_END.split(text)
        if not _WELL.search(part)
    )


def asks_why(text: str) -> bool:
    """Whether a text asks for the cause or the cure of something."""
    return _WHY.search(text) is not None


def asks(text: str) -> bool:
    """Whether a text holds a question of any kind."""
    return _ASKS.search(text) is not None


def reports(text: str) -> bool:
    """Whether a text only states what was seen, and calls nothing of it good: so people report
    what they do not call a fault."""
    words = _SETTING.sub("", text).strip()
    return bool(words) and not (_ASKS.search(words) or praises(words) or reassures(words))


def only_asks(text: str) -> bool:
    """Whether a text is nothing but questions, none of which names trouble or asks why."""
    words = _STAGE.sub("", _SETTING.sub("", text))
    said = [part for part in _SENTENCE_END.split(words) if part.strip()]
    if not said or not all(_ASKED.search(part) for part in said) or asks_why(text):
        return False
    return not any(t.startswith("!") or t in NOTED for part in said for t in terms_of(part))


def praises(text: str) -> bool:
    """Whether a text says that what it names works."""
    return _PRAISES.search(text) is not None


def contrasts(text: str) -> bool:
    """Whether what a text calls good is followed by its other half."""
    return _BUT.search(text) is not None


def fine(text: str) -> bool:
    """Whether a text says of the run, or a part, that it is as it should be: here, not elsewhere."""
    found = (_SENTENCE_END.split(text[: m.end()])[-1] for m in _FINE.finditer(text))
    return any(not _ELSEWHERE.search(said) for said in found)


def reassures(text: str) -> bool:
    """Whether a text says that all is well."""
    return _REASSURES.search(text) is not None


def turns(sentence: str) -> bool:
    """Whether a sentence has a second half that may say the contrary of its first."""
    return _TURNS.search(sentence) is not None


def at_ease(sentence: str) -> bool:
    """Whether a sentence says that what it names is well, and turns to nothing else."""
    if not reassures(sentence) or turns(sentence):
        return False
    parts = clauses(sentence)
    first = next((n for n, part in enumerate(parts) if reassures(part)), 0)
    if any(_RAISED.search(part) for part in parts[:first]):
        return False  # what is well is something else
    return not any(odd(part) for part in parts[first:] if not reassures(part))


def odd(clause: str) -> bool:
    """Whether a clause beside a reassurance tells of something else that is wrong."""
    return complains(clause) or not _ODD.isdisjoint(terms_of(clause))


def clauses(sentence: str) -> list[str]:
    return _CLAUSE.split(sentence)


def complains(text: str) -> bool:
    """Whether a sentence has any word for what is wrong."""
    said = (part for part in _CLAUSE_END.split(text) if not reassures(part))
    return any(_fails(part) or any(t in TROUBLE for t in terms_of(part)) for part in said)


def _fails(text: str) -> bool:
    """Whether something was raised, or does not come about."""
    if _NAMED.search(text) or _UNABLE.search(text) or _RAISED.search(text):
        return True
    return any(t.startswith("!") and t[1:] in DUE for t in terms_of(text))
