"""Several words that are one thing, as one term each."""

from __future__ import annotations

from medic.match.compared import COMPARED
from medic.text.patterns import regex

# In the order of replacement; a term is tried only on a text that has one
# of the parts before "|", which is many times faster.
COMPOUNDS = tuple(
    (tuple(parts.split("|")), regex(rf"(?<![a-z0-9])(?:{pattern})(?![a-z0-9])"), f" {term} ")
    for parts, pattern, term in (
        *COMPARED,
        # As "before" and "yesterday" it says when, and nothing of what is wrong.
        ("last ", r"last (?:week|month|night|year)(?:'?s)?", ""),
        (
            "out of",
            r"(?:run |runs |running |goes )?out of (?:ram|host memory|cpu memory)",
            "hostmemory noroom",
        ),
        (
            "shared mem",
            r"(?:out of|no|not enough|insufficient) shared memory",
            "sharedmemory noroom",
        ),
        (
            "oom|out of mem",
            r"(?:cpu|host|ram|dram|system) (?:ram )?(?:ooms?|oomed|out of memory)",
            "hostmemory noroom",
        ),
        ("inf check", r"no inf checks?(?: were| was)?", "infcheck missing"),
        ("oom", r"oom[ -]?kill(?:ed|er|s)?", "hostmemory noroom kill"),
        ("-9", r"exit(?:s|ed)?(?: with)? -9|return(?:s|ed)?(?: with)? -9", "exitcode -9 kill"),
        (
            "memory|vram",
            r"(?:out of|not enough|insufficient) (?:gpu |cuda )?(?:memory|vram)",
            "oom",
        ),
        (
            "same|identical|constant|one class",
            (
                r"(?:same|identical|constant) (?:outputs?|predictions?|class|labels?|answers?|logits)"
                r"(?: (?:for|on|to|regardless of|whatever) (?:the )?(?:all|every|any|each|different)?)?|"
                r"(?:predicts?|outputs?) (?:only |always )?one class"
            ),
            "sameoutput",
        ),
        (
            "\u6ea2\u51fa|\u7206",  # 显存/内存 (就/又/会/直接/突然/...)溢出/爆
            r"\u663e\u5b58[\u5c31\u53c8\u4f1a\u4e5f\u90fd\u76f4\u63a5\u7a81\u7136\u8001\u603b\u662f\u5f88\u5feb\u4ecd]*(?:\u6ea2\u51fa|\u7206)\u4e86?",
            "oom",
        ),
        ("oom|outofmem", r"outofmemoryerror|ooms?|oomed", "oom"),
        (  # a curve that stands, no process
            "stuck|frozen|动|卡",
            (
                r"(?:loss|损失)(?:(?: (?:is|gets|got|remains|stays|was|has been|just))* (?:stuck|frozen)|"
                r"(?:从|在|一直|就|总是|始终|停|维持|是|值|左右|附近|开始| |[\d.])*(?:不动了?|卡在|卡住了?|不变))"
            ),
            "loss not decrease",
        ),
        (
            "stuck|frozen",
            r"(?:accuracy|acc)(?: (?:is|gets|got|remains|stays|was|just))* (?:stuck|frozen)",
            "accuracy not increase",
        ),
        (
            "stuck|frozen",
            r"reward(?: (?:is|gets|got|remains|stays|was|just))* (?:stuck|frozen)",
            "reward not increase",
        ),
        (
            "improv|increas",
            (
                r"(accuracy|acc|scores?|benchmarks?|rewards?|performance|metrics?|quality|"
                r"evaluations?)((?: \w+)?)"
                r" (?:(?:do|does|did|is|are)(?:n'?t| not)|not|never|no longer|stops?|stopped) (?:improv|"
                r"increas)\w*"
            ),
            r"\1\2 not increase",
        ),
        (
            "learn|decreas|improv|converg|updat|going down|dropp|fall",
            (
                r"(?:stop(?:s|ped)?|quits?|ceases?|no longer|doesn'?t|does not)(?: to)? "
                r"(?:learn(?:s|ing)?|decreas(?:es?|ing)|improv(?:es?|ing)|converg(?:es?|ing)|updat(?:es?|ing)|"
                r""
                r"going down|dropping|falling)|(?:learn(?:s|ing|ed)?|learnt) nothing|no learning"
            ),
            "not decrease",
        ),
        (
            "same|constant|unchanged|flat",
            (
                r"loss(?: value)?(?: (?:is|just|always|stays?|stayed|remains?|remained|keeps?|kept))+"
                r"(?: (?:at|exactly))? (?:the same|constant|unchanged|flat)(?! as)"
            ),
            "loss not decrease",
        ),
        (  # it rises instead of falling
            "不降|没降|没有下降|不下降",
            r"(?:不降|没降|没有下降|不下降)[，, ]?(?:反而?|而是|却|还|倒是?)(?:上?升|变大|增大|升高|涨)",
            "increase",
        ),
        ("loss|grad", r"loss[ _-]?scal(?:e|er|ing)|grad[ _]?scaler", "lossscale"),
        ("memory|vram", r"(?:gpu|cuda|device|allocated) memory|vram", "gpumemory"),
        ("ram|memory", r"(?:host|cpu|system|main) (?:memory|ram)|ram", "hostmemory"),
        ("shared|shm", r"shared memory|(?:/?dev/)?shm", "sharedmemory"),
        (
            "space|full",
            (
                r"no (?:free |more )?space left|no (?:free )?space|"
                r"(?<!nearly )(?<!almost )(?:is|are|gets|got|became|being|ran|runs|run|completely) full|"
                r"(?<=disk )full|(?<=memory )full"
            ),
            "noroom",
        ),
        ("disk|hard|storage", r"hard disk|hard drive|disk space|disk|storage", "disk"),
        ("lr|learning", r"learning rates?|lr", "learningrate"),
        ("norm", r"grads? norms?|gradient norms?", "gradient norm"),
        ("batch size", r"batch size", "batchsize"),
        ("weights only", r"weights only", "weightsonly"),
        ("not ", r"not (?:every|only|just|necessarily)", ""),  # denies no word behind it
        ("segmentation", r"segmentation (?:faults?|violations?|errors?)", "segfault"),
        ("lost in", r"lost in the middle", "lostmiddle"),
        (
            "/|per|step|iter|time|\u6b65|\u8fed\u4ee3",
            (
                r"s(?:ec(?:ond)?s?)? ?/ ?(?:it|iter|step)s?|"
                r"seconds? (?:per|an?|each) (?:step|it|iter(?:ation)?)|"
                r"(?:step|iteration|iter|batch) times?|times? (?:per|of an?|for an?|of each) (?:step|iteration|iter)|"
                r""
                r"(?:\u6bcf\u4e2a?|\u6bcf\u4e00|\u5355\u4e2a?|\u4e00\u4e2a?)? ?(?:step|iter(?:ation)?|"
                r"(?<!\u540c)\u6b65|\u8fed\u4ee3) ?\u7684? ?"
                r"(?:\u8bad\u7ec3)?(?:\u8017\u65f6|\u65f6\u95f4|\u7528\u65f6|\u65f6\u957f)"
            ),
            "steptime",
        ),
        (
            "/|per",
            (
                r"(?:tokens?|toks?|samples?|sequences?|its?|iters?|iterations?|steps?) ?"
                r"(?:/ ?s(?:ec(?:ond)?)?|per sec(?:ond)?)"
            ),
            "throughput",
        ),
        ("data set", r"data sets?", "dataset"),
        ("log", r"log[ -]?prob(?:s|abilit(?:y|ies))?", "logprob"),
        (
            "not |n't |nt ",
            r"(?:is |are |was |were )?(?:not|n'?t) (?:allowed|accepted|permitted)",
            "refuse",
        ),
        ("tun", r"fine[- ]?tun(?:e|ed|ing)", "finetune"),
        (
            "slow",
            (
                r"slower and slower|(?:progressively|gradually|increasingly) slow(?:er|ly)?|"
                r"slow(?:er|s|ing)? (?:down )?over time|more and more slow(?:ly)?"
            ),
            "slowing",
        ),
        ("state dict", r"state dicts?", "statedict"),
        ("world size", r"world size", "worldsize"),
        (  # no number
            "zero",
            r"deepspeed zero(?:[ -]?[0-3])?|zero[ -]?[1-3]|zero[ -]?(?:stage|offload|infinity)(?: ?[0-3])?",
            "zerostage",
        ),
        ("code", r"(?:exit|return|error) ?codes?", "exitcode"),
        ("out", r"time[ds]? ?out|timing out|timeouts?", "timeout"),
        ("loader", r"data ?loaders?", "dataloader"),
        ("reduce", r"all ?reduce", "allreduce"),
        ("gather", r"all ?gather", "allgather"),
        ("and", r"up and down|back and forth", "oscillate"),
        ("too small|too few", r"too (?:small|few)", "not enough"),
        (
            "takes|took|taking|too long|so long|very long|really long",
            (
                r"(?:tak(?:es?|ing)|took|needs?|lasts?)(?: (?:me|us|it|about|almost|over|more than|up to|"
                r"like))* "
                r"(?:forever|ages|(?:(?:so|too|very|really|extremely|unusually|way too|that) )?long(?:er)?|"
                r"a (?:very )?long time|(?:(?:many|several|half an) )?(?:minutes|hours?|days))|"
                r"(?:(?:so|too|very|really|extremely) )long (?:time )?(?=to |until |before )"
            ),
            "slow",
        ),
        (
            "effect|difference|applied|respect|honou|picked",
            (
                r"(?:(?:has|have|had|with|makes?|made|shows?) )?(?:no|not any|zero) "
                r"(?:effect|difference|impact|influence)|"
                r"(?:(?:do|does|did|is|are|was|were|has|have)(?:n'?t| not)|not|never)"
                r"(?: (?:be|been|being|get|gets|have|do|does|take|made?|make|any|an))* "
                r"(?:applied|respected|honou?red|picked up|effect|effective|difference)"
            ),
            "ignored",
        ),
        (
            "scratch|from the|from 0|from zero|from step|from ep|from iter",
            r"from (?:scratch|the (?:very )?(?:beginning|start)|(?:step |epoch |iteration )?(?:0|zero))(?: again)?",
            "scratch",
        ),
        (
            "only|just|只|仅",
            (
                r"only (?:one|1|a single|the first)(?: of)?(?: (?:the|my))?(?: \d+)?|"
                r"just (?:one|1|a single)|(?:只|仅)(?:有|用到?了?|能用|在|跑在)*[一1](?:张|个|块)?"
            ),
            "onlyone",
        ),
        ("down", r"(?:go|goes|going|went|come|comes|coming) down", "decrease"),
        ("up", r"(?:go|goes|going|went|climb|climbs|climbing) up", "increase"),
        (
            "not|n't|nt|unable|fail|refuse",
            (
                r"(?:is|are|was|were|do|does|did|can|could|will|would|has|have)(?: not|n'?t)|"
                r"(?:ca|wo)n'?t|cannot|unable to|fail(?:s|ed|ing)? to|refuses? to|not"
            ),
            "not",
        ),
        ("use|taken|occup", r"(?:already |be(?:en|ing)? )?(?:in use|taken|occupied)", "taken"),
    )
)
NOT_COMPARED = COMPOUNDS[len(COMPARED) :]
