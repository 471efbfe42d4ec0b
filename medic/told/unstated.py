"""What a description says and does not state of the run: advice, questions to its reader, rules, what
somebody expects, supposes or has not tried. It has the words of a finding and is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from medic.text.patterns import regex

_SENTENCE = regex(r"(\n|(?<=[.!?;])\s+|(?<=[。！？；]))")
_CLAUSE = regex(r"(,\s|[，；;]|\s(?:and|but|so|which)\s|\s[-–—]\s|\()")
_ITEM = regex(r"^\s*(?:[-*+•]|\(?\d{1,2}[.)、])\s*")
_TICKED = regex(r"^\s*[-*+]\s+\[[ xX]\]")  # a line of a form

# Said to somebody else: what he can do, has, did, sees.
_TO_YOU = regex(
    r"(?i)\b(?:you|u) (?:can|could|should|may|might|must|need|have to|will|would|want|are|get|see|use|set|"
    r"do)\b|"
    r"^\W*(?:did|have|do|are|were|is|was|can|could|would|will) (?:you|your|u)\b|\b(?:make sure|try|if|"
    r"when(?:ever)?|"
    r"once|suppose|let) you\b|\byour?\b(?! (?:help|time|work|advice|code|repo\w*|support|effort))|"
    r"(?:你|您)(?:们)?(?:可以|要|得|应该|看|试|把|的(?!回复|帮助|时间|工作|解答)|需要|用|是)",
)
_OWN = regex(r"(?i)\b(?:i|i'\w+|my|me|we|we'\w+|our|us)\b|我|咱|本人")
_THINKS = regex(
    r"(?i)\b(?:i|we)(?:'d| would| do)? (?:think|believe|guess|suppose|assume|recommend|suggest|mean)\b|"
    r"\blet (?:me|"
    r"us)\b|我(?:觉得|认为|猜)"
)
# An order, which what complains does not begin with: "Use of bf16 breaks it", "Try to resume, but".
_ORDER = regex(
    r"(?i)^\W*(?:so |then |also |just |maybe |perhaps |please |pls |simply |first(?:ly)?,? )*(?:please|"
    r"pls|try|"
    r"make sure|"
    r"ensure|consider|check|verify|avoid|reduce|decrease|lower|increase|raise|add|remove|change|switch|"
    r"enable|"
    r"disable|upgrade|downgrade|update|install|set|use|print|inspect|look at|look into|mess around|"
    r"play with|note|"
    r"remember|keep in mind|let me know|don't|do not|load|stop|start)\b(?!\s+(?:in|of|on|failed|fails|"
    r"error)\b)|"
    r"^\W*(?:请(?!问|教)|建议|试试|试一下|可以(?:先|把|试|尝试|考虑|看|用|设)|不妨|最好|检查(?:一下|下)?|看(?:一)?下|"
    r"尝试|降低|增大|减小|增加|调大|调小|改用|换成)",
)
_ADVICE = regex(
    r"(?i)\b(?:i|we)(?:'d| would) (?:suggest|recommend|advise|try)|\b(?:i|we) (?:suggest|recommend|advise)|"
    r"\b(?:my|initial|our) (?:initial |first )?(?:recommendations?|suggestions?|advice)\b|"
    r"\b(?:it'?s|is) (?:recommended|advised|best|better) to\b|\bworth (?:trying|checking)\b|"
    r"\b(?:should|ought to|must|has to|needs to) be (?:set|chosen|lowered|raised|reduced|increased|"
    r"between|around|"
    r"at least)\b|"
    r"(?:建议|不妨|最好|试试|试一下|可以尝试|应当|推荐)|看(?:一)?下[^，。]{0,16}还是|"
    r"(?:如果|要是|若)[^，。]{0,24}[，,]?[^，。]{0,6}(?:可以|建议|应该|需要)|可以.{0,16}(?:试|看看)(?!了|过)|需要(?:启用|开启|设置|安装|升级|改)|"
    r"(?:解决|排查)(?:方案|办法|方法|思路)",
)
_RESULT = regex(
    r"(?i)\b(?:but|still|however|yet|nothing|same|now|again|and (?:it|the|then|got|get|now|still)|then|"
    r"makes?|made|"
    r"gives?|gave|got|breaks?|broke|fails?|failed|hangs?|crashe[sd]|helps?|helped|works?|worked)\b|->|→|"
    r"但|还是|仍|依然|依旧|就|却|没用|无效|之后|后(?![续面])",
)
# What holds of any run, or would.
_RULE = regex(
    r"(?i)^\W*as (?:the |your )?(?!training|the run|runs?|time|steps?|epochs?|iterations?|it|soon|long|"
    r"far|well|you|"
    r"i)"
    r"[a-z]+(?: [a-z]+)? (?:increas|decreas|grow|ris|fall|get|becom|drop)\w*\b|"
    r"\b(?:can|may|might|could) (?:also |sometimes |easily |often |just )*(?:show up|happen|occur|appear|"
    r"lead to|"
    r"cause|"
    r"result (?:in|from)|come from|be|help|hurt|mean)\b|"
    r"\b(?:usually|often|typically|generally|normally) (?:happens?|means?|indicates?|comes?|caused|due)\b|"
    r"\b(?:it is|it's|that is|that's) (?:ok|okay|fine|normal|common|usual|natural) (?:for|to|that|when|if)\b|"
    r"通常(?:是|会|意味)|一般(?:是|都|来说|而言|这种|情况)|往往(?:是|会)",
)
# A case that may be.
_IF = regex(r"(?i)^\W*(?:but|so|and|then|also|because|since|or)?,? ?if (?!i\b|we\b)")
_LED = regex(r"(?i)^\W*(?:however|but|so|also|and|though),? +")
_EXPECTED = regex(
    r"(?i)\b(?:i|we)(?:'d| would| had| have)? (?:have )?expect(?:ed)?\b|\bexpected behaviou?r\b|\bi (?:was|"
    r"am) expecting\b|"
    r"\bwould like to (?:see|have|know whether)\b|希望(?:能|可以|是)?|期望|期待|理想情况",
)
_TURNED = regex(r"(?i)\b(?:but|instead|however|yet|while|though)\b|但|却|结果|实际")
# Neither seen nor tried; or seen, and no more.
_UNTRIED = regex(
    r"(?i)\b(?:have|has|had|did|do)(?: not|n'?t)(?: yet| really| actually)? (?:test|tested|try|tried|"
    r"check|checked|"
    r"verif\w+)\b|"
    r"\b(?:no longer|not any ?more) (?:encounter|see|get|hav|fac|hit|experienc|observ)\w*|"
    r"\b(?:was|were) (?:getting|seeing|hitting|having|facing)\b[^.;]{0,60},? so (?:i|we) \w+|"
    r"(?:没有?|还没|未)(?:测试|试|尝试|验证|测)过?|\bwould(?: not|n'?t) (?:fit|work|run|help)\b|"
    r"\b(?:i|we)(?:'m|'re| am| are) (?:trying|going|planning) to (?:increase|decrease|lower|reduce|raise|"
    r"change|"
    r"avoid|fix|test)\b",
)
_WHERE_CONTRASTED = regex(r"(?i)\b(?:but|only|now)\b|但|现在")
_HYPOTHESIS = regex(
    r"(?i)\b(?:one|another|a|my|our|the other) (?:possible |potential |other |working )?(?:hypothes[ie]s|"
    r"guess|"
    r"theory|suspicion|"
    r"explanation|possibility|potential issue|(?:potential|possible) (?:cause|reason|"
    r"issue))\b(?: \([^)]*\))? (?:is|"
    r"was|for)\b|"
    r"^\W*another (?:one )?is\b|\bin (?:theory|principle)\b",
)
# What others say or write, to the end of the sentence.
_REPORTED = regex(
    r"(?i)\b(?:docs?|documentation|readme|faqs?|paper|wiki|article|tutorial|guide|others|people|somebody|"
    r"someone)\b"
    r"[^.;,\n]{0,20}\b(?:says?|said|mention\w*|suggest\w*|recommend\w*|claims?|states?|writes?)\b[^.;\n]*|"
    r"(?:文档|常见问题|论文|issue|别人|有人|网上)[^，。；\n]{0,8}(?:说|提到|建议|指出)[^。；\n]*"
)
# What is asked or guessed at.
_GUESS = regex(
    r"(?i)^\W*(?:(?:but|and|so|or|also),? )?(?:maybe|perhaps|possibly|probably|presumably|i (?:guess|"
    r"suspect|assume|"
    r"suppose|wonder|doubt|bet|believe))\b|"
    r"\b(?:i|we)(?:'m| am| are)? (?:suspect|assum|guess|suppos|wonder|conjectur|doubt)\w*\b|"
    r"^\W*(?:could|can|might|may|is|does|would) (?:it|this|that) (?:just |also |maybe )?(?:be|because|due|"
    r"related|"
    r"caused|possible|mean)\b|"
    r"\b(?:might|may|could) (?:well |just |also )?be (?:due|because|related|caused|that|too|(?:a|the|"
    r"one) (?:reason|"
    r"cause|"
    r"culprit|problem|issue|explanation))\b|"
    r"^\W*(?:is|are) there (?:an? |any )?(?:possib\w+|chance|way)\b|\bwhether\b|\b(?:or not|right|correct)\?|"
    r"\b(?:can'?t|cannot|can not) (?:guarantee|confirm|exclude|rule out)\b|\bnot sure (?:if|whether|that|"
    r"about|it)\b|"
    r"\bif i (?:understand|remember|recall)\b|\b(?:i|we) do(?: not|n'?t) (?:think|believe)\b|"
    r"(?:这|那)(?:就|不)?(?:是|算)(?:不是)?(?:所谓的?)?[^，。？]{1,20}吗|"
    r"如何(?:确定|判断|知道)|怀疑|猜测|估计(?:是|因为)|可能是|也许|或许|会不会|该不会|难道|是不是(?:因为|由于|我)?.{0,30}(?:太|不够|导致|引起|原因|的问题)|"
    r"应该是(?:因为|由于)?.{0,24}(?:导致|引起|原因|的问题|太)",
)
# Of what a list below it tells: what was or can be tried, done, checked.
_OF_TRIES = regex(
    r"(?i)\b(?:tri(?:ed|es)|try(?:ing)?|solutions?|options?|suggest\w*|recommend\w*|things|workarounds?|"
    r"fix(?:es)?|"
    r"checks?|ideas?|steps to)\b|试过|尝试|方案|办法|方法|建议|思路|排查|"
    r"\b(?:following|these) (?:\w+ )?(?:commands?|settings|changes|lines)\b|\bsolved (?:it )?(?:by|using|"
    r"with)\b",
)
_HEADING = regex(r"^\s{0,3}(?:#{1,6}\s|\*\*[^*]{1,40}\*\*\s*:?\s*$)")
_HOPED = regex(r"(?i)\bexpected\b|期望|预期")
_LEADS = regex(r"(?i)(?:[:：]|\blike|如下)\s*$")


FEW_WORDS = 200  # characters of a text that is told of, though it only asks or guesses


def without_unstated(text: str) -> str:
    """The text without what it states nothing with; a short one whole where nothing else is left."""
    told = _kept(_REPORTED.sub(" ", text), _is_unstated)
    lines = ("".join(map(_without_guess, _SENTENCE.split(n))) for n in told.split("\n"))
    return _or_whole("\n".join(lines), told)


def _kept(text: str, is_out: Callable[[str], bool]) -> str:
    lines = []
    below = False  # of a line that announces what was tried, or what one may try
    hoped = False  # in the part of a form that tells what should be
    for line in text.split("\n"):
        if _HEADING.match(line):
            hoped = _HOPED.search(line) is not None
        elif hoped and not _tells_result(line):
            lines.append("")
            continue
        item = _ITEM.match(line) is not None
        if (below and item and not _tells_result(line)) or _TICKED.match(line):
            lines.append("")
            continue
        if line.strip() and not item:
            below = _LEADS.search(line) is not None and _OF_TRIES.search(line) is not None
        lines.append("".join(_parts(line, is_out)))
    return _or_whole("\n".join(lines), text)


def _parts(line: str, is_out: Callable[[str], bool]) -> Iterator[str]:
    for part in _SENTENCE.split(line):
        if part and not (any(map(str.isalnum, part)) and is_out(part)):
            yield part


def _or_whole(rest: str, text: str) -> str:
    said = any(map(str.isalnum, rest)) or len(text) > FEW_WORDS
    return rest if said else text


def _tells_result(words: str) -> bool:
    from medic.match import complains

    return _RESULT.search(words) is not None or complains(words)


def _is_unstated(sentence: str) -> bool:
    bare = _LED.sub("", _ITEM.sub("", sentence))
    own = _OWN.search(_THINKS.sub(" ", bare)) is not None
    if not own and (_TO_YOU.search(bare) or _IF.search(bare)):
        return True
    if not own and _ORDER.search(bare) and not _RESULT.search(bare):
        return True
    if _ADVICE.search(bare) or _HYPOTHESIS.search(bare) or (_RULE.search(bare) and not own):
        return _TURNED.search(bare) is None
    if _EXPECTED.search(bare) and not _TURNED.search(bare):
        return True
    return _UNTRIED.search(bare) is not None and not _WHERE_CONTRASTED.search(bare)


def _without_guess(sentence: str) -> str:
    parts = _CLAUSE.split(sentence)
    kept = [p for p in parts if not _GUESS.search(p)]
    return sentence if len(kept) == len(parts) else "".join(kept)
