"""What the commands make of their arguments: the case, the knowledge, where the result goes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from medic.errors import UsageError
from medic.index.knowledge import Index, load
from medic.report.console import Console

if TYPE_CHECKING:
    from medic.case.collect import Case
    from medic.lint.found import LintReport

MAX_PASTE = 64 * 1024 * 1024


def console(*, redact: bool = False) -> Console:
    if not redact:
        return Console()
    from medic.redact.hide import Redactor

    return Console(Redactor().as_read)


def knowledge() -> Index:
    from medic.config import extra_knowledge

    return load(extra_knowledge(), _reading)


def knowledge_of_the_app() -> Index:
    """The same where the screen is the app's: a line on it would stay there."""
    from medic.config import extra_knowledge

    return load(extra_knowledge())


def _reading() -> None:
    from medic.i18n import Text

    en = "reading the entries of the knowledge: half a minute, once after each change of them ..."
    console().talk(Text(en, "正在读取知识条目：约需半分钟，条目改动后才会重新读取……"))


def _pasted() -> str:
    """Text from standard input. Raises UsageError if there is none: silence is no health."""
    from medic.text.encodings import utf8

    data = sys.stdin.buffer.read(MAX_PASTE) if sys.stdin is not None else b""
    if not data.strip():
        raise UsageError("nothing came on standard input", "标准输入没有内容")
    return utf8(data).decode("utf-8", "replace")


def case_of(
    paths: Sequence[str],
    given: Sequence[str],
    run: str = "",
    this_host: bool | None = None,
    index: Index | None = None,
) -> Case:
    """The case of the given paths; "-" reads pasted text from standard input."""
    from medic.case.collect import collect
    from medic.told.given import parse_given

    text = ""
    files = [p for p in paths if p != "-"]
    if "-" in paths:
        text = _pasted()
    settings = parse_given(given)
    if not any(f.endswith((".tar.gz", ".tgz", ".tar")) for f in files):
        return collect(files, text=text, run=run, given=settings, this_host=this_host, index=index)
    from medic.bundle.opened import named, opened

    found = opened(files)
    try:
        case = collect(
            found.paths, text=text, run=run, given=settings, this_host=this_host, index=index
        )
    except UsageError as none:
        raise UsageError(found.told(none.en), found.told(none.zh), at=none.at) from None
    return named(case, found)


def nothing_read(report: LintReport) -> UsageError:
    """What is said where no given file could be read, with the reason of the first."""

    why = report.not_read[0] if report.not_read else None
    return UsageError(
        f"no file could be read{': ' + why.en if why else ''}",
        f"没有可读取的文件{'：' + why.zh if why else ''}",
        at=why.file if why else "",
    )
