"""A text as terms: words stemmed, synonyms of both languages as one term, negation kept.

A term that is denied begins with "!": "does not decrease" and 不下降 are both "!decrease".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from medic.match.compounds import COMPOUNDS
from medic.patterns import regex

# Words that every description of a broken run holds; they tell nothing apart.
_STOP_WORDS = """
a about above actually after again all also always am an and any anything are as at be because
become been before being but by can completely could do doe during each even every few for from
get give go goe going got had has have he help here how huge i if in into is issue it its itself
just keep know like make many maybe me more most much my need now of off often on one only or our
over own per please problem quite really right same say seem set should show shown since so some
somebody someone start still such sure than thank thanks that the their them then there these they
thing this those though time to too try until up use used using very want was we well were what
when where whether which while who why will with would you your
ran soon torch pytorch finetune finetuning finetuned train training trainer model run running step iteration
"""
_STOP = frozenset(_STOP_WORDS.split())


def _by_word(table: str) -> dict[str, str]:
    """Each word of lines "term: words" with its term."""
    rows = (line.split(": ") for line in table.strip().splitlines())
    return {word: term for term, words in rows for word in words.split()}


# term: words that mean it, as they stand after stemming.
_SYNONYMS = """
hang: hang hung hanging stuck stick froze freez freeze freezes freezing stall stalled deadlock
decrease: decrease drop fall fell reduce lower shrink halved improve converge learn decline degrade
increase: increase grow grew grown rise rising rose climb growing creep
spike: spike jump shoot spiky surge
diverge: diverge explode blow explosion exploding blew
oscillate: oscillate fluctuate fluctuation oscillation bounce swing
noroom: exhaust exhausted
gradient: grad gradient
nan: nan
inf: inf infinity infinite
checkpoint: checkpoint ckpt weight
resume: resume resuming restart restarting resumed restarted
kill: kill killed
corrupt: corrupt corrupted broken damaged truncated
slowing: slowing
slow: slow slower slowly
gpu: gpu card
host: machine server node nodes
allreduce: allreduce
error: error fail failure
unknown: unrecognized unrecognised unknown
argument: argument arg flag option
two: 2 two
zero: 0 zero
!match: mismatch differ different inconsistent discrepancy discrepant
!enough: insufficient
timeout: timeout
disappear: vanish disappear silent silently vanished disappeared
connect: connect connection connected reach
"""
_MEANS: dict[str, str] = _by_word(_SYNONYMS)

# Chinese words and the terms that they are; the longest is taken first.
_HAN_SYNONYMS = """
hang: 卡住不动 卡住 卡主 卡死 卡在 卡着 假死 僵住 挂起 挂住 挂死 不动 不走 没反应 没有反应 无响应 没有响应 没响应
hang: 死锁 停住 停在 没进度 没有进度 一直没动
sameoutput: 输出都一样 输出全一样 输出完全一样 输出都相同 预测都一样 预测全一样 预测结果都一样 预测结果全是同一类
sameoutput: 预测成同一类 全预测成一类 只预测一类 输出都是一样的 预测值都一样 预测全是同一类
loss: 损失函数 损失
lossscale: 损失缩放
learningrate: 学习率
gradient: 梯度
norm: 范数
gpumemory: 显存
hostmemory: 主机内存 系统内存 内存
sharedmemory: 共享内存
disk: 磁盘 硬盘
!enough: 太小
noroom: 满了 已满 爆满 用完 耗尽
overflow: 溢出 爆了 炸了 爆
diverge: 爆炸 发散
!enough: 不足 不够用 不够
!join: 接不上 衔接不上
join: 接得上 接上了
!decrease: 不往下走 不往下降 不学了 学不到 学不动 没学到 学不会 不再学
!decrease: 不下降 没有下降 不降 降不下来 降不下去 下不来 不收敛 没在学 平了 停滞
decrease: 骤降 降 下降 降低 降到 降得 降下来 变小 减小 掉到 衰减
increase: 不降反升 越训练越大 上升 升高 增长 增加 上涨 变高 变大 越来越大 涨
spike: 尖峰 尖刺 毛刺 飙升 跳升 暴涨 突刺 跳到 跳变 突变
oscillate: 震荡 波动 抖动 来回跳 忽高忽低 反复横跳
timeout: 超时
kill: 被杀掉 被杀 杀掉 杀死
slow: 变慢 很慢 太慢 慢于 缓慢 慢
slowing: 越训越慢 越来越慢 越跑越慢 逐渐变慢
error: 报错 出错 错误
port: 端口
taken: 被占用 占用 冲突
checkpoint: 检查点 断点 权重
resume: 恢复训练 断点续训 续训 恢复
corrupt: 损坏 坏了
!match: 不匹配 不一致 不相符 对不上 不符 不相等 不等于 不同步 不一样 不同
connect: 连接 连上 汇合
!connect: 连不上 不通 不可达 无法连接
key: 键名 键
shape: 形状 尺寸
unknown: 无法识别 不认识 未知
argument: 参数 选项
utilization: 利用率
dataloader: 数据加载
sharedmemory: 共享内存
gpu: 显卡 卡数 张卡 号卡
host: 节点 机器
exitcode: 退出码
nccl: 集合通信
process: 进程
divisible: 整除
warmup: 预热
disappear: 消失 静默 无声无息 莫名
quota: 配额
throughput: 吞吐量 吞吐
collective: 集合操作
"""
_HAN_MEANS: dict[str, str] = _by_word(_HAN_SYNONYMS)
_HAN_STOP = """
训练 模型 微调 程序 任务 一直 突然 开始 一开始 以后 之后 然后 最后 就是 就 了 的 是 在 我
有 个 吗 呢 怎么办 怎么 如何 什么 为什么 现在 已经 左右 时候 的时候 直接 完全 特别 非常
很 太 都 也 和 与 或 但 而且 并且 并 被 把 从 到 上 下 里 中 后 前 时 会 要 请问 任何
是不是 会不会 要不要 能不能 是否 出现 提示 发生 问题 情况 比较 这个 那个 一个 一 几 每 步 说 以 不断 持续
"""
_HAN_DENIES = frozenset(["没有", "没", "未", "不再", "没再", "不会", "无法", "难以", "不", "无"])
_HAN = regex(
    "|".join(
        sorted(
            (re.escape(w) for w in (*_HAN_MEANS, *_HAN_STOP.split(), *_HAN_DENIES)),
            key=len,
            reverse=True,
        )
    )
)
_DENIES = frozenset(["no", "not", "never", "without", "nor", "neither", "none"])
_JOINED = regex(r"(?<=[a-z])[-_]+(?=[a-z])")
_RELEASE = regex(r"(?<![\w.])v?\d+\.\d+\.\d[\w.+]*")  # 2.3.1+cu121: no quantity
_TOKEN = regex(r"(?<![\w.-])-\d+|\d+(?:\.\d+)?(?![a-z0-9])|[a-z0-9]+|[\u3400-\u9fff]+", re.ASCII)


def normal(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()


def terms_of(text: str) -> list[str]:
    """Terms in the order of the text; a denied one begins with "!"."""
    text = _JOINED.sub(" ", _RELEASE.sub(" ", normal(text)))
    for parts, pattern, term in COMPOUNDS:
        if any(part in text for part in parts):
            text = pattern.sub(term, text)
    found: list[str] = []
    denied = False
    for term in _meanings(text):
        if term == "!":
            denied = True
        elif term not in _STOP:
            found.append(_denied(term) if denied else term)
            denied = False
    return found


def _denied(term: str) -> str:
    return term[1:] if term.startswith("!") else f"!{term}"


def _meanings(text: str) -> Iterator[str]:
    """Terms, stop words and "!" for words that deny the next."""
    for token in _TOKEN.findall(text):
        if not token.isascii():
            yield from _han(token)
        elif token in _DENIES:
            yield "!"
        elif token in _STOP:
            yield token
        else:
            stem = _stem(token)
            yield _MEANS.get(token) or _MEANS.get(stem, stem)


def _stem(word: str) -> str:
    if not word.isalpha():
        return word
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            short = word[: -len(ending)]
            # "stopping" and "stops" are one word, "decreasing" and "decrease" too.
            if short in _STOP:
                return short
            if ending in ("ing", "ed") and short[-1] == short[-2] and short[-1] not in "sl":
                short = short[:-1]
            return short[:-1] if short.endswith("e") and len(short) > 3 else short
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def _han(run: str) -> Iterator[str]:
    """Known words; what lies between them in pairs of signs."""
    place = 0
    for known in _HAN.finditer(run):
        yield from _pairs(run[place : known.start()])
        word = known.group()
        if word in _HAN_DENIES:
            yield "!"
        elif word in _HAN_MEANS:
            yield _HAN_MEANS[word]
        place = known.end()
    yield from _pairs(run[place:])


def _pairs(signs: str) -> Iterator[str]:
    if len(signs) == 1:
        yield signs
    yield from (signs[n : n + 2] for n in range(len(signs) - 1))


_MEANS.update({_stem(word): term for word, term in list(_MEANS.items())})
