"""Step lines in Chinese, put so that the names of metrics and steps are those of English lines."""

from __future__ import annotations

import re

from medic.text.patterns import regex

HINTS = ("损失", "步", "迭代", "学习率")
# Longer names before those that they begin or end with.
_NAMES = (
    ("验证集损失", "eval_loss"),
    ("验证损失", "eval_loss"),
    ("评估损失", "eval_loss"),
    ("测试损失", "eval_loss"),
    ("训练损失", "loss"),
    ("平均损失", "loss"),
    ("损失缩放", "loss_scale"),
    ("损失函数", "loss"),
    ("损失值", "loss"),
    ("损失", "loss"),
    ("学习率", "lr"),
    ("梯度范数", "grad_norm"),
    ("每步耗时", "step_time"),
    ("单步耗时", "step_time"),
    ("迭代耗时", "step_time"),
    ("数据加载耗时", "data_time"),
    ("数据等待耗时", "data_time"),
    ("取数据耗时", "data_time"),
    ("数据耗时", "data_time"),
    ("数据加载时间", "data_time"),
    ("显存占用", "mem"),
    ("显存使用", "mem"),
    ("显存", "mem"),
    ("吞吐量", "tok/s"),
    ("吞吐率", "tok/s"),
    ("吞吐", "tok/s"),
    ("总步数", "total_steps"),
    ("全局步数", "step"),
    ("当前步数", "step"),
    ("迭代次数", "step"),
    ("迭代步数", "step"),
    ("步数", "step"),
)
# 第 12/100 步, 第12步（共100步）, 第 12 次迭代
_AT = regex(
    r"第\s?(\d{1,12})(?:\s?[/／]\s?(\d{1,12}))?\s?(?:个\s?)?(?:步|次迭代|次更新|轮迭代|(?=step|iter))"
    r"(?:\s?[(（,，/]?\s?共\s?(\d{1,12})\s?步[)）]?)?"
)
_STEP = regex(r"(?:步骤|迭代|(?:全局|当前)步|(?<![\u4e00-\u9fff])步)\s?[:：=]?\s?(?=\d)")
_EPOCH = regex(r"第\s?(\d{1,6})(?:\s?[/／]\s?\d{1,6})?\s?(?:个\s?)?(?:epoch|轮次?|周期|世代)")
_MARKS = str.maketrans("，；：｜（）＝　", ",;:|()= ")
_TOUCHES = regex(r"(?<=[\u4e00-\u9fff])(?=[-+.]?\d)")


def in_english(message: str) -> str:
    """The line with Chinese names and marks put in English; other words stay."""
    text = _AT.sub(_place, message)
    text = _EPOCH.sub(r" epoch \1, ", text)
    for chinese, english in _NAMES:
        if chinese in text:
            text = text.replace(chinese, f" {english} ")
    text = _STEP.sub(" step ", text)
    text = _TOUCHES.sub(" ", text)
    return " ".join(text.translate(_MARKS).split())


def _place(match: re.Match[str]) -> str:
    total = match[2] or match[3]
    return f" step {match[1]}/{total} , " if total else f" step {match[1]} , "
