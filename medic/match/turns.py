"""Words that turn the meaning of a phrase: "only", "always the same", "without", "rises, then falls".

A comparison of words leaves most of them out, and a phrase of two halves has half of its words in
either. A sentence says a phrase only where it says all that turns it: each kind of such words is a
pattern of how a phrase has it, and one, wider, of how a sentence says as much.
"""

from __future__ import annotations

from collections.abc import Callable

from medic.match.words import terms_of
from medic.text.patterns import regex

MARK = "~"  # before the name of a turn, among the terms of a written phrase

_NOT = r"\b(?:no|not(?! enough)|never|cannot|nor|none|without)\b|n't\b"
_STANDS = r"(?:mov|chang|var|differ|decreas|improv|matter|help)\w*"
_WELL = (
    r"\b(?:works?|worked|working|fine(?![- ]?tun)|ok|okay|pass(?:es|ed)?|fits?|succeeds?|clean|healthy|normal(?:ly)?|"
    r"fixe[sd]|solve[sd]|cure[sd]|helps?|helped|gone|goes away|went away|disappears?|disappeared|"
    r"runs? through|no longer|trains? (?:well|again)|it trains|is fast(?:er)?)\b|"
    r"正常|没有?问题|没事|好了|就好|可以|能跑|能训|不报错|就快|消失|解决|就行|恢复|就不|通过|没毛病"
)
_UPDATES = r"(?:upgrad|updat|downgrad)(?:e[sd]?|ing)"

# name: (how a phrase has it, how else a sentence says as much)
_TURNS = {
    "well": (
        _WELL,
        (
            r"\b(?:good|well|fast|faster|quick(?:ly)?|stable|learns?|trains|runs|starts|loads|finish(?:es|ed)?|"
            r"completed?|right|correct|equal|enough|success\w*|avoids?|(?:ends?|stops?) (?:it|them|the))\b|"
            rf"{_NOT}|不(?:再|报|会|卡|挂|慢|崩|出|用)|没(?:报|事|出|错|有)|无(?:问题|异常)|"
            "[好快能对稳行降够]|成功|跑完|缓解"
        ),
    ),
    "fails": (
        (
            r"\b(?:fails?|crash\w*|hangs?|stuck|nan|oom|errors?|slow\w*|dies|breaks?|raises|out of memory)\b|"
            r"报错|[卡崩慢挂]|失败"
        ),
        (
            r"\b(?:fail\w*|hang\w*|hung|died|dead|broken?|wrong|bad|inf|killed|gone|fix\w*|help\w*|"
            r"cure\w*|solve[sd]?|ooms?|freez\w*|froze\w*|half|faster|raised?|throws?|problems?|issues?|"
            r"deadlock\w*|time[sd]? ?outs?|different|worse|garbage|disappear\w*|spik\w*|diverg\w*|goes away|"
            rf"went away)\b|{_NOT}|[爆炸死坏错停]|异常|问题|溢出|超时|好了|消失|解决|恢复|就好"
        ),
    ),
    "removed": (
        (
            r"\b(?:without|disabl\w+|remov\w+|unset\w*|turn(?:ed|ing|s)? (?:\w+ ){0,3}off|"
            r"switch\w* (?:\w+ ){0,3}off|off|drop(?:ped|ping))\b|"
            r"去掉|关掉|关闭|关了|不开|不用|删掉|删了|取消|禁用|移除|不加"
        ),
        (
            rf"{_NOT}|\b(?:instead|delet\w+|uninstall\w*|comment\w* out|deactivat\w*|t(?:ook|ake|aking) out|false)\b|"
            r"[=:]\s?(?:false|0|no|off|none|null)\b|[不没无关删去换停]"
        ),
    ),
    "only": (
        r"\bonly\b|\balone\b|\bnot? (?:others?|elsewhere)\b|只(?!是)|仅|才[能会出报慢有]",
        (
            r"\b(?:just|single|sole(?:ly)?|one|1|except|nowhere|others?|rest|but|while|whereas|unless|until|"
            r"else|elsewhere|instead|exactly|particular|certain|same|however|although|though|yet)\b|"
            rf"{_NOT}|[单一唯]|别的|其[他它余]|但|却|除|某"
        ),
    ),
    "first": (
        (
            r"\b(?:first|1st|very start|beginning|initial(?:ly)?|at the start|from the start|"
            r"step (?:0|1|zero|one))\b|第一|首|开头|一开始|第 ?[01] ?步|刚开始|开始.{0,4}就|起步"
        ),
        (
            r"\b(?:start\w*|begin\w*|began|outset|immediate\w*|instant\w*|(?:right|straight) away|at once|"
            r"once|launch\w*|init\w*|soon|before|early|always|all along|throughout|warm-?up|scratch|seconds?|"
            r"startup|fresh|untrained|[01](?:st|th)|(?:iteration|batch|epoch|step)[ =:#]*[01])\b|"
            r"开始|刚|启动|一上来|立刻|马上|[初起]|从头|全程|一直|还没|之前|[01] ?步"
        ),
    ),
    "always": (
        (
            r"\b(?:always|every|each|same|identical(?:ly)?|constant(?:ly)?|never|exactly|throughout|forever)\b|"
            r"每|总是|一直|始终|同一|一样|相同|完全|从来|从不|永远|都[是在卡挂为一]"
        ),
        (
            r"\b(?:all|any|again|reproduc\w+|determin\w+|keeps?|kept|stays?|stayed|steady|remains?|remained|"
            r"whole|entire|both|still|equal|unchanged|fixed|whenever|repeat\w*|twice|reliabl\w+|consistent\w*|"
            r"everywhere|only|regardless|whatever|per|everyone|everything)\b|"
            r"\b(?:loss|acc\w*|rewards?|metrics?|outputs?|predictions?)\b.{0,20}\b(?:stuck|frozen|flat|dead)|"
            rf"(?:{_NOT}) (?:\w+ )?{_STANDS}|[全老都再又同各平反满]|所有|固定|持续|不变|没变|没有变|不动|没动|一路"
        ),
    ),
    "rises": (
        (
            r"\b(?:ris(?:e|es|ing|en)|rose|increas\w+|gr[eo]ws?|growing|grown|climb\w*|go(?:es|ing)? up|"
            r"went up|creep\w*|crept)\b|上升|升高|上涨|增长|增加|变大|变高|涨|越来越[大高多]"
        ),
        (
            r"\b(?:up|upwards?|higher|larger|bigger|more|jump\w*|spik\w*|diverg\w*|explod\w*|blow\w*|blew|"
            r"sho(?:o?ts?)|soar\w*|doubl\w*|above|accumulat\w*|longer|leak\w*|swell\w*|balloon\w*|unbounded|"
            r"fills?|inflat\w*)\b|[升涨增爆飙冲漏翻积超]|发散|变[多长大高]|越"
        ),
    ),
    "falls": (
        (
            r"\b(?:falls?|falling|fell|fallen|drop(?:s|ped|ping)?|decreas\w+|declin\w*|shrink\w*|shrank|"
            r"go(?:es|ing)? down|went down|sinks?|sank|sinking)\b|"
            r"下降|降低|下跌|减小|减少|变小|掉到|跌|骤降|越来越[小低短]"
        ),
        (
            r"\b(?:down|lower\w*|lowest|smaller|less|fewer|shorter|collaps\w*|vanish\w*|below|reduc\w*|negative|"
            r"dip\w*|crash\w*|tank\w*|plung\w*|plummet\w*|worse|los(?:es?|ing|t)|half|halv\w*|decay\w*|learn\w*|"
            r"improv\w*|converg\w*|regress\w*|degrad\w*)\b|[降跌掉减缩崩塌]|收敛|变[小低短差]|越"
        ),
    ),
    "sudden": (
        r"\bsudden(?:ly)?\b|突然|骤|一下子|一夜",
        (
            r"\b(?:jump\w*|at once|overnight|abrupt\w*|spik\w*|from one|instant\w*|sharp\w*|all of a sudden|"
            r"drop(?:s|ped)|became|sho(?:o?ts?)|out of nowhere)\b|[跳猛陡飙尖暴忽瞬]|变成|[掉降涨]到"
        ),
    ),
    "gradual": (
        (
            r"\b(?:gradual\w*|progressiv\w*|over time|steadily|step by step|slower and slower|"
            r"keeps? (?:growing|rising|increasing|falling))\b|越来越|越.越|逐渐|慢慢|一点点"
        ),
        (
            r"\b(?:slow(?:ly|er|s|ed|ing)|creep\w*|crept|grow\w*|grew|every|each|keeps?|kept|more and more|hours?|"
            r"continu\w*|linear\w*|leak\w*|drift\w*|ris(?:es?|ing)|climb\w*|accumulat\w*|increas\w*|"
            r"decreas\w*|falls?|less and less)\b|[越渐缓涨漏]|一直|不断|持续|每"
        ),
    ),
    "updated": (
        rf"\b{_UPDATES}\b|\bnew(?:er)? (?:driver|version|kernel)\b|\breinstall\w*|升级|更新|降级|重装|换了?版本",
        (
            r"\b(?:moved|switched|migrat\w+|bumped|changed|installed|patched|pulled|since|going (?:back|from)|"
            r"went (?:back|from)|new(?:er)?|(?:from|to) v?\d[\w.]*)\b|-U\b|[升换]|降[到回]|装了|改成|新版|老版|退回"
        ),
    ),
    "before": (
        r"\b(?:before|prior to|not yet)\b|之前(?!的)|前就|还没|尚未",
        (
            r"\b(?:prior|initial\w*|until|ahead|earlier|previous\w*|preced\w*|yet|already|untrained|init\w*|"
            r"start\w*|immediately|at once|used to|step[ =:#]*0|ends? (?:with|in)|"
            r"last (?:night|week|month|year|time)|yesterday|ago)\b|"
            r"[前先刚未初没]|开始|启动|以后|之后"
        ),
    ),
    "after": (
        r"\b(?:after(?:wards)?|later|then|since)\b|之后|以后|然后|后来|(?<![最前])后(?!面)",
        (
            r"\b(?:once|when(?:ever)?|following|upon|from|at|past|until|end(?:s|ed)?|finish\w*|next|now|"
            r"as soon as|on|with|during|in|by|behind|back|comes|second|last|before|and|but|beyond|within|"
            r"again|resum\w*|restart\w*|if|reload\w*|\w+ed)\b|\d|[后再完从时就一过了又续到重]"
        ),
    ),
    "zero": (
        r"(?<![\w.:/-])0(?:\.0+)?(?![\w.%])|\bzero\b(?![ -]?(?:[0-3]|stage))|为零|是零",
        (
            r"(?<![\d.])[-+]?0(?:\.0+)?(?:e[+-]?\d+)?(?![\d.])|\b(?:zeros?|nothing|none|never|vanish\w*|empty|no)\b|"
            r"零|没有|(?<!\d)0\.0"
        ),
    ),
    "denied": (
        rf"{_NOT}|[不没无未]|非(?!常)",
        (
            r"\b(?:nothing|nobody|neither|hardly|barely|unable|fail\w*|refus\w*|missing|lack\w*|absent|"
            r"un\w{4,}|in(?:visible|correct|valid|complete|sufficient|compatible|active)|dis\w{4,}|forg[eo]t\w*|"
            r"instead|wrong|flat|ceas\w*|empty|zero(?![ -]?[0-3])|(?<!-)0|off|false|less|few\w*|"
            r"constant|same|rather|only|omitted|"
            r"lost|loses?|skip\w*|ignor\w*|too|plateau\w*|differ\w*|mis\w{3,})\b|"
            r"[缺少空失丢忘漏错差平零只拒白断否别]|忽略|太"
        ),
    ),
}
_HAD = {name: regex(f"(?i){had}") for name, (had, _) in _TURNS.items()}
_SAID = {name: regex(f"(?i){had}|{said}") for name, (had, said) in _TURNS.items()}
# What a run has one of at a time: a phrase with two of them sets one against the other.
_VARIANT = regex(
    r"(?i)\b(?:zero[- ]?[0-3]|stage ?[0-3]|bf16|fp16|fp32|bfloat16|float(?:16|32)|ddp|fsdp|cpu|"
    r"(?:single|multi|one|two|four|eight|\d+)[- ]?(?:gpu|card|node|machine)s?|v?\d+\.\d[\w.]*)(?![a-z])|"
    r"[单多双][卡机]|[单多]节点|zero[0-3]"
)
_AGAINST = regex(
    r"(?i)\b(?:but|only|while|instead|switch\w*|without|(?:back|down|up) to|others?|than|chang\w*)\b|"
    r"但|却|只|换|改|才|其他|别的|比"
)
PAIR = "pair"
_NUMBERS = regex(r"(?<![\w.-])(\d+(?:\.\d+)?)[a-zA-Z% ]{0,12}(?:-+>|→|to|到|至)\s?(\d+(?:\.\d+)?)")
# Advice to update is no update.
_ADVISED = regex(
    r"(?i)\b(?:please|should|needs? to|try(?:ing)? to|must|consider|have to|you can)\s+(?:\w+ ){0,2}"
    r"(?:up|down)(?:dat|grad)\w+|^\W*(?:up|down)(?:date|grade)\b|"
    r"(?:请|需要|建议|应该|尝试)\S{0,4}(?:升级|更新)"
)

# A number of a list is no "one", and "the first few" are not the first.
_NUMBERED = {
    "only": regex(r"^\W*\d{1,2}[.)、]"),
    "first": regex(
        r"(?i)\bat first\b|\bfirst(?:ly)?,|\bfirst of all\b|"
        r"\b(?:the )?first (?:couple|few|several|some|half|hundreds?|thousands?|\d{2,})\b"
    ),
}


def turns_of(phrase: str) -> frozenset[str]:
    """Names of what turns a phrase. A failure does where the phrase sets it against what is well."""
    found = {name for name, had in _HAD.items() if had.search(phrase)}
    if found & {"well", "denied"} and _variants(phrase) > 1:
        found.add(PAIR)
    return frozenset(found if "well" in found else found - {"fails"})


def _variants(text: str) -> int:
    return len({found.lower() for found in _VARIANT.findall(text)})


def said_in(sentence: str) -> Callable[[frozenset[str]], bool]:
    """Tells whether a sentence says all of the turns of a phrase; each is looked for once."""
    said: dict[str, bool] = {}

    def says(turns: frozenset[str]) -> bool:
        for name in turns:
            if name not in said:
                said[name] = _says(name, sentence)
            if not said[name]:
                return False
        return True

    return says


def _says(name: str, sentence: str) -> bool:
    if name == PAIR:
        return _variants(sentence) > 1 or _AGAINST.search(sentence) is not None
    if name == "updated" and _ADVISED.search(sentence):
        return False
    if name in _NUMBERED:
        sentence = _NUMBERED[name].sub(" ", sentence)
    if _SAID[name].search(sentence):
        return True
    if name == "denied":
        return any(term.startswith("!") for term in terms_of(sentence))
    return name in ("rises", "falls") and any(
        (float(b) > float(a)) == (name == "rises") for a, b in _NUMBERS.findall(sentence)
    )
