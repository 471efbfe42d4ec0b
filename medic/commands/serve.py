"""medic serve [PATH]: the app in a browser of this machine."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from importlib import import_module

import click

from medic.commands.given import console
from medic.commands.options import lang_option, option
from medic.errors import Exit
from medic.i18n import Text, current

HELP = Text(
    "Opens the app in a browser: prints an address of this machine with a token, and serves until "
    "ctrl+c. Nothing listens on any other interface; from afar: ssh -L PORT:127.0.0.1:PORT HOST.",
    "在浏览器中打开应用：输出带令牌的本机地址，按 ctrl+c 结束。只监听本机回环接口；"
    "远程使用：ssh -L 端口:127.0.0.1:端口 主机。",
)
OPEN = Text("Open in a browser: {url}", "请在浏览器中打开：{url}")
FROM_AFAR = Text(
    "From another machine first, there: ssh -L {port}:127.0.0.1:{port} {host}",
    "若在另一台机器上打开，请先在那里执行：ssh -L {port}:127.0.0.1:{port} {host}",
)


@click.command(help=str(HELP))
@click.argument("paths", nargs=-1)
@option(
    "--port", type=int, default=0, help=Text("a port (default: a free one)", "端口（默认任选）")
)
@option("--run", default="", help=Text("which of several runs", "多个运行时选哪一个"))
@lang_option
def command(paths: Sequence[str], port: int, run: str) -> int:
    out = console()
    arguments = [*paths, "--lang", current(), *(["--run", run] if run else [])]
    serve = import_module("medic.tui.serving").serve

    def say(url: str, port: int) -> None:
        out.out(OPEN.fill(url=url))
        out.talk(FROM_AFAR.fill(port=port, host=socket.gethostname()))

    serve(arguments, port, say)
    return Exit.OK
