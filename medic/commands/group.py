"""The group of commands: lazy loading, bilingual help, errors with the nearest name."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import click

from medic import __version__
from medic.commands.options import WORDS
from medic.errors import Exit, UsageError
from medic.i18n import Text, current
from medic.nearest import did_you_mean

COMMANDS = {
    "app": Text("talk it through in the terminal app", "在终端应用中对话式诊断"),
    "diagnose": Text(
        "the cause, the evidence and the change to make", "找出原因、证据和应做的修改"
    ),
    "explain": Text("what an error, a symptom or a name means", "解释一条报错、一个现象或名称"),
    "lint": Text(
        "what in these files will fail or silently go wrong", "检查文件中会失败或悄悄出错之处"
    ),
    "memory": Text(
        "peak GPU memory before launch, and what makes it fit", "启动前估算显存峰值及放得下的改法"
    ),
    "preflight": Text(
        "lint, and whether this node has what the launch asks for", "启动前检查：配置与本机条件"
    ),
    "attach": Text(
        "where every rank of a running job stands, from outside",
        "从外部查看运行中的任务：各 rank 停在哪里",
    ),
    "collect": Text("one redacted bundle to hand on", "打包成一个已脱敏的文件以便转交"),
    "vitals": Text("is the run all right just now: five rows", "训练现在是否正常：五项一览"),
    "probe": Text("what one probe sees", "只运行一个探针"),
    "checkpoint": Text(
        "compare two checkpoints, write a renamed copy", "比较检查点，另存改名后的副本"
    ),
    "walk": Text("a procedure step by step", "逐步执行一个排查流程"),
    "graph": Text("list, show or export the knowledge graph", "列出、查看或导出知识图谱"),
    "eval": Text("how often medic is right on labelled cases", "在带标注的案例上统计诊断的准确率"),
    "sessions": Text("the consultations that are kept", "列出已保存的会话"),
    "resume": Text("go on with a kept consultation", "继续一个已保存的会话"),
    "show": Text(
        "a kept consultation as Markdown, for a ticket", "以 Markdown 输出会话，便于贴入工单"
    ),
    "replay": Text("a kept consultation once more, step by step", "逐步重放一个已保存的会话"),
    "serve": Text("the app in a browser of this machine", "在本机浏览器中打开应用"),
    "undo": Text("take back an applied change", "撤销已应用的修改"),
    "schema": Text("the JSON schema of an output", "输出某种结果的 JSON Schema"),
    "demo": Text("a diagnosis of an embedded broken run", "诊断内置的故障运行示例"),
    "completion": Text("shell completion for bash, zsh or fish", "bash、zsh、fish 的命令补全"),
}


class Lazy(click.Group):
    """Finds commands by the table; a path in the first place opens the app on it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Options of the app may stand before its path, or alone."""
        ctx.meta[WORDS] = tuple(args)
        own = {name for param in self.get_params(ctx) for name in param.opts}
        at = 0
        while at < len(args) and args[at].partition("=")[0] in own:
            at += 1 + (args[at] == "--lang")
        if at < len(args) and args[at].startswith("--"):
            args = [*args[:at], "app", *args[at:]]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"medic.commands.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        first = args[0]
        if first in COMMANDS:
            return first, self.get_command(ctx, first), args[1:]
        if _is_path(first):
            return "app", self.get_command(ctx, "app"), args
        hint = did_you_mean(first, COMMANDS)
        raise UsageError(
            f'no command or path "{first}"{hint.en}', f"没有名为 “{first}” 的命令或路径{hint.zh}"
        )

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section(str(Text("Commands", "命令"))):
            formatter.write_dl([(name, str(text)) for name, text in COMMANDS.items()])


def _is_path(word: str) -> bool:
    try:
        return word == "-" or (bool(word) and Path(word).exists())
    except (OSError, ValueError):
        return False


HELP = Text(
    "medic stands beside a broken LLM training run, offline: it reads the logs, curves, configs, "
    "checkpoints and GPUs, and ends with the cause, the evidence line by line, and a config diff "
    "with computed numbers. With a PATH it opens the app on that run.",
    "medic 在离线环境下排查出了问题的大模型训练：读取日志、曲线、配置、检查点与 GPU 状态，给出原因、"
    "逐行证据，以及带有算好数值的配置修改。直接给出 PATH 则在应用中打开该次运行。",
)


@click.command(
    cls=Lazy,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("--lang", type=click.Choice(["en", "zh"]), help="en | zh")
@click.option("--version", is_flag=True, help=str(Text("print the version", "显示版本")))
@click.pass_context
def medic(ctx: click.Context, lang: str | None, version: bool) -> int:  # noqa: ARG001
    if version:
        click.echo(f"medic {__version__}")
        ctx.exit(0)
    if ctx.invoked_subcommand is None:
        command = import_module("medic.commands.app").command
        return int(ctx.invoke(command, paths=()) or 0)
    return 0


def run(words: Sequence[str]) -> int:
    """Runs a command line. Raises UsageError with what is wrong in the user's language."""
    medic.help = str(HELP)
    try:
        result = medic.main(args=list(words), prog_name="medic", standalone_mode=False)
    except click.exceptions.Exit as done:
        return int(done.exit_code)
    except click.Abort:
        return Exit.INTERRUPTED
    except click.ClickException as problem:
        en, zh = _translated(problem)
        raise UsageError(en, zh) from None
    return int(result or 0)


def _translated(problem: click.ClickException) -> tuple[str, str]:
    en = problem.format_message()
    if current() == "en":
        return en, en
    if isinstance(problem, click.NoSuchOption):
        near = f"；是否想写 {problem.possibilities[0]}?" if problem.possibilities else ""
        return en, f"没有选项 {problem.option_name}{near}"
    if isinstance(problem, click.MissingParameter):
        name = problem.param.human_readable_name if problem.param else ""
        return en, f"缺少参数 {name}"
    if isinstance(problem, click.BadParameter):
        name = problem.param.human_readable_name if problem.param else ""
        return en, f"参数 {name} 的取值无效：{problem.message}"
    return en, f"用法有误：{en}"
