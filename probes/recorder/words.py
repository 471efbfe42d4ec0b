"""A recorded call in words."""

from __future__ import annotations

from medic.facts import RecordedCall
from medic.i18n import Text

ROW = Text("rank {rank}: {told}", "rank {rank}：{told}")
LINE = Text("rank {rank}, {last}", "rank {rank}，{last}")
NOT_IN = Text("not in this call", "不在这次调用中")
NO_DUMP = Text("no dump", "没有转储")
NO_LINE = Text("", "")
_CALL = Text("{call}{where}, {state}", "{call}{where}，{state}")
_AT = Text(" at {site}", "，位于 {site}")
_LAST = Text("last call: {call}", "最后一次调用：{call}")
_NO_CALL = Text("no call in this group", "在该通信组中没有调用")
_STATES = {
    "scheduled": Text("scheduled", "已排队"),
    "started": Text("started", "已开始"),
    "completed": Text("completed", "已完成"),
}


def words(call: RecordedCall) -> Text:
    """ "collective 5 all_reduce [4] Float at train.py:9, scheduled"."""
    where = _AT.fill(site=call.call_site) if call.call_site else ""
    state = _state(call)
    return _CALL.fill(call=_name(call), where=where, state=_STATES.get(state, state))


def line_of(call: RecordedCall) -> str:
    """The same in names only, as a source's line, which both languages share."""
    where = f" @ {call.call_site}" if call.call_site else ""
    return f"{_name(call)}{where}, {_state(call)}"


def last_words(call: RecordedCall | None) -> Text:
    return _LAST.fill(call=words(call)) if call else _NO_CALL


def _state(call: RecordedCall) -> str:
    return call.state if call.is_open else "completed"


def _name(call: RecordedCall) -> str:
    kind = "p2p" if call.is_p2p else "collective"
    shapes = " ".join(str(list(s)) for s in (call.sizes_in or call.sizes_out)[:2])
    parts = [kind, str(call.sequence), call.operation, shapes, "/".join(dict.fromkeys(call.dtypes))]
    return " ".join(p for p in parts if p)
