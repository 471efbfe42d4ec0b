"""What a look at a curve lacks, in words."""

from __future__ import annotations

from medic.i18n import Text

METRICS = Text(
    "metrics (JSON lines, CSV, trainer_state.json) or step lines in a log",
    "指标文件（JSON lines、CSV、trainer_state.json）或日志中的步数行",
)
LOSS = Text("a logged loss", "记录的 loss")
LOSSES_BEFORE = Text("a loss of the steps before", "此前各步的 loss")
LOSSES = Text("more logged losses", "更多的 loss 记录")
SUDDEN = Text("a jump within a few rows", "几行之内的跳升")
RATE = Text("a logged learning rate", "记录的学习率")
RATE_LONGER = Text("the learning rates of {n} steps", "{n} 步的学习率记录")
ADAM = Text("an optimizer of Adam's kind", "Adam 一类的优化器")
NORMS_LONGER = Text("gradient norms of at least {n} steps", "至少 {n} 步的梯度范数")
RATE_ABOVE_ZERO = Text(
    "a learning rate above zero, logged for at least {n} steps",
    "大于零的学习率，且至少有 {n} 步的记录",
)
NORMS_AND_CLIP = Text("gradient norms and the clip threshold", "梯度范数与裁剪阈值")
UNSCALED_NORMS = Text("gradient norms without the loss scale", "不含 loss scale 的梯度范数")
NORM_THERE = Text("the gradient norm of that step", "该步的梯度范数")
OWN_NORM = Text(
    "a gradient norm that is surely of that step: this one repeats the last, or stays finite "
    "while the loss stays NaN",
    "确属该步的梯度范数：现有的与上一步相同，或在 loss 持续 NaN 时仍为有限值",
)
NORMS_BEFORE = Text("gradient norms of the steps before", "此前各步的梯度范数")
LOCAL_LOSSES = Text("the local loss of every rank", "每个 rank 的本地 loss")
MEMORY = Text("GPU memory by step", "逐步的显存记录")
MORE_MEMORY = Text("GPU memory over more steps", "更多步的显存记录")
WAITS = Text(
    "data_time by step, or a GPU series over the run", "逐步的 data_time，或训练期间的 GPU 采样"
)
LOADER_TIME = Text("the time spent in next(loader)", "next(loader) 所用的时间")
