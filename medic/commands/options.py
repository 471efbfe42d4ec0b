"""Options that several commands take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import click

from medic.i18n import Text

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

WORDS = "medic.words"  # in a context's meta: the whole command line
F = TypeVar("F", bound=Callable[..., Any])


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
        "a fact that no file states, e.g. --set data_parallel_size=64; --set help lists the fields",
        "补充文件中没有的信息，如 --set data_parallel_size=64；--set help 列出全部字段",
    )
    return option(
        "--set",
        "given",
        multiple=True,
        metavar="FIELD=VALUE",
        is_eager=True,
        callback=_listed,
        shell_complete=_fields,
        help=words,
    )(function)


def _listed(context: click.Context, _: click.Parameter, given: Sequence[str]) -> Sequence[str]:
    """``--set help`` lists the fields, whatever else is asked."""
    if "help" in given:
        from medic.commands.explaining import fields

        # Eager: what stands behind it is not read yet.
        words = context.meta.get(WORDS, ())
        form = [now for before, now in pairwise(words) if before == "--format"]
        fields(as_json="--json" in words or "--format=json" in words or "json" in form)
        context.exit(0)
    return given


def _fields(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    from medic.run_config import FIELDS

    found = [name for name in FIELDS if name.startswith(begun)]
    return [CompletionItem(f"{name}=", help=str(FIELDS[name][2])) for name in found]


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
