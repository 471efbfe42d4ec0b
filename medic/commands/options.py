"""Options that several commands take, and what they set up."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from medic.i18n import Text
from medic.index import Index, load
from medic.report.console import Console

if TYPE_CHECKING:
    from medic.case import Case
    from medic.errors import UsageError
    from medic.lint import LintReport

F = TypeVar("F", bound=Callable[..., Any])
MAX_PASTE = 64 * 1024 * 1024


def option(*names: str, help: Text, **more: Any) -> Callable[[F], F]:  # noqa: A002 - click's word
    return click.option(*names, help=str(help), **more)


def lang_option(function: F) -> F:
    texts = Text("language of the output (default: the locale's)", "输出语言（默认随系统区域设置）")
    return option("--lang", type=click.Choice(["en", "zh"]), help=texts, expose_value=False)(
        function
    )


def format_options(*formats: str) -> Callable[[F], F]:
    """--format and its short form --json."""

    def add(function: F) -> F:
        function = option(
            "--format",
            "form",
            type=click.Choice(["text", *formats]),
            default="text",
            help=Text("form of the result", "结果的格式"),
        )(function)
        if "json" in formats:
            function = option(
                "--json",
                "as_json",
                is_flag=True,
                help=Text("as --format json", "等同 --format json"),
            )(function)
        return function

    return add


def redact_option(function: F) -> F:
    words = Text(
        "hide hosts, users, home folders, addresses, e-mails and keys (best effort)",
        "隐去主机、用户、主目录、地址、邮箱和密钥（尽力而为）",
    )
    return option("--redact", is_flag=True, help=words)(function)


def set_option(function: F) -> F:
    words = Text(
        "a fact that no file states, e.g. --set data_parallel_size=64",
        "补充文件中没有的信息，如 --set data_parallel_size=64",
    )
    return option("--set", "given", multiple=True, metavar="FIELD=VALUE", help=words)(function)


def case_options(function: F) -> F:
    """What a diagnosis is about: paths, which run, whether this machine ran it."""
    function = option(
        "--run",
        default="",
        metavar="NAME",
        help=Text(
            "which of several runs in a folder (default: the newest)",
            "目录中有多次运行时选哪一个（默认最新）",
        ),
    )(function)
    function = option(
        "--this-host/--other-host",
        "this_host",
        default=None,
        help=Text(
            "whether this machine ran it (default: told from the log's host and age)",
            "是否就在本机运行（默认根据日志中的主机名与时间判断）",
        ),
    )(function)
    return set_option(function)


def console(*, redact: bool = False) -> Console:
    if not redact:
        return Console()
    from medic.redact import Redactor

    return Console(Redactor())


def knowledge() -> Index:
    from medic.config import extra_knowledge

    return load(extra_knowledge())


def _pasted() -> str:
    """Text from standard input. Raises UsageError if there is none: silence is no health."""
    from medic.errors import UsageError

    data = sys.stdin.buffer.read(MAX_PASTE) if sys.stdin is not None else b""
    if not data.strip():
        raise UsageError("nothing came on standard input", "标准输入没有内容")
    return data.decode("utf-8", "replace")


def case_of(
    paths: Sequence[str],
    given: Sequence[str],
    run: str = "",
    this_host: bool | None = None,
    index: Index | None = None,
) -> Case:
    """The case of the given paths; "-" reads pasted text from standard input."""
    from medic.case import collect, parse_given

    text = ""
    files = [p for p in paths if p != "-"]
    if "-" in paths:
        text = _pasted()
    settings = parse_given(given)
    return collect(files, text=text, run=run, given=settings, this_host=this_host, index=index)


def nothing_read(report: LintReport) -> UsageError:
    """What is said where no given file could be read, with the reason of the first."""
    from medic.errors import UsageError

    why = report.not_read[0] if report.not_read else None
    return UsageError(
        f"no file could be read{': ' + why.en if why else ''}",
        f"没有可读取的文件{'：' + why.zh if why else ''}",
        at=why.file if why else "",
    )
