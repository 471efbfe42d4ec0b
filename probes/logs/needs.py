"""What a look at the logs lacks, in words."""

from __future__ import annotations

from medic.i18n import Text

LOG = Text("a log", "日志")
OOM_SENTENCE = Text("the full out-of-memory sentence", "完整的显存报错句子")
OTHER_REQUEST = Text("a request of the size of a known tensor", "与已知张量大小一致的申请")
TRACEBACK_OR_STEPS = Text("the traceback, or the steps before it", "报错的 traceback 或此前的步数")
SEVERAL_RANKS = Text("the logs of several ranks", "多个 rank 的日志")
ALL_RANKS = Text("the logs of all ranks", "所有 rank 的日志")
WATCHDOGS = Text("the watchdog's lines of every rank", "每个 rank 的 watchdog 日志")
LONE_TIMEOUT = Text("a timeout that no earlier failure explains", "没有更早失败可解释的超时")
LINES_BEFORE = Text("the lines before the timeout", "超时之前的日志")
ADDRESS = Text("a rendezvous error that names the address", "写明地址的汇合报错")
NCCL_INFO = Text("NCCL_DEBUG=INFO lines", "NCCL_DEBUG=INFO 日志")
