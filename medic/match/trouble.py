"""Lines that may tell of trouble, in any words: what is cut from a long log is none of them."""

from __future__ import annotations

from functools import cache
from typing import Any

_TROUBLE = (
    rb"(?i)error|exception|traceback|^\S*\s*file \"|fatal|abort|kill|signal|fail|warn|\bnan\b|\binf\b|"
    rb"overflow|time[d ]*out|watchdog|out of memory|\boom|assert|terminat|exit|panic|corrupt|refused|"
    rb"reset by peer|no space|quota|denied|\bxid|\becc|hang|hung|stuck|resum|restor|checkpoint|"
    rb"\bsav(?:e|ed|ing)\b|restart|preempt|drain|cancel|not found|missing|invalid|illegal|unable|"
    rb"can(?:no|')t|could not|unexpected|mismatch|interrupt|core dump|segmentation|world.?size|launch|"
    + "错误|失败|异常|警告|中断".encode()
)


@cache
def _compiled() -> Any:
    import re2

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    return re2.compile(_TROUBLE, options)


def speaks_of_trouble(line: bytes) -> bool:
    """Far wider than the signatures: about the start, a save and a resume, too."""
    return _compiled().search(line) is not None
