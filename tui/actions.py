"""The one table of actions: keys, palette, help and /words all come from it."""

from __future__ import annotations

from medic.i18n import Text
from medic.records import dataclass


@dataclass(frozen=True)
class Action:
    """What the user can have done. ``word`` is typed as /word; ``keys`` may be empty.

    ``argument`` says what may follow the word; ``footer`` shows the key in the last row.
    """

    word: str
    title: Text
    help: Text
    keys: tuple[str, ...] = ()
    argument: Text | None = None
    footer: bool = False
    palette: bool = True


N = Text("N", "编号")

ACTIONS: tuple[Action, ...] = (
    Action(
        "help", Text("Help", "帮助"), Text("keys and words", "按键与命令一览"), ("f1",), footer=True
    ),
    Action(
        "commands",
        Text("Commands", "命令"),
        Text("search all commands", "搜索全部命令"),
        ("f2",),
        footer=True,
        palette=False,
    ),
    Action(
        "why",
        Text("Why", "依据"),
        Text(
            "why this question, why this cause, what would change it",
            "为什么问、为什么是它、什么会改变判断",
        ),
        ("f3",),
        footer=True,
    ),
    Action(
        "patch",
        Text("Patch", "修改"),
        Text("preview the change of your files", "预览对文件的修改"),
        ("f4",),
        N,
        footer=True,
    ),
    Action(
        "probes",
        Text("Probes", "探针"),
        Text("what each probe found, skipped or failed at", "各探针的发现、跳过与失败"),
        ("f5",),
        footer=True,
    ),
    Action(
        "copy",
        Text("Copy", "复制"),
        Text("copy the last remedy, block N, or all", "复制最近的处置、第 N 块，或全部（all）"),
        ("f6",),
        Text("N or all", "编号或 all"),
        footer=True,
    ),
    Action(
        "undo",
        Text("Undo", "撤销"),
        Text("take back the last change or answer", "撤销最近的修改，或撤回上一个回答"),
        ("f8",),
        footer=True,
    ),
    Action(
        "graph",
        Text("Graph", "原因图"),
        Text("the tree of suspects: live, ruled out, established", "嫌疑树：可能、已排除、已确诊"),
    ),
    Action(
        "look",
        Text("Look again", "重新查看"),
        Text("run the probes again over all files", "对全部文件重新运行探针"),
    ),
    Action(
        "add",
        Text("Add a file", "添加文件"),
        Text("add a file or folder to the case", "添加文件或目录"),
        (),
        Text("PATH", "路径"),
    ),
    Action(
        "run",
        Text("Choose a run", "选择运行"),
        Text("list the runs of the folder, or take one", "列出目录中的运行，或切换到其中一个"),
        (),
        Text("NAME", "名称"),
    ),
    Action(
        "none",
        Text("None of these", "都不是"),
        Text("none of the suspects is the cause", "以上原因都不是"),
    ),
    Action(
        "tried",
        Text("It did not help", "处置无效"),
        Text("the remedy was tried and did not help", "处置已试过，但无效"),
        (),
        N,
    ),
    Action(
        "walk",
        Text("Walk a procedure", "执行流程"),
        Text("a procedure step by step; without a name the leader's", "逐步执行排查流程"),
        (),
        Text("NAME", "名称"),
    ),
    Action(
        "theme",
        Text("Theme", "主题"),
        Text("take the next theme, or one by name", "切换主题"),
        (),
        Text("NAME", "名称"),
    ),
    Action(
        "lang",
        Text("Language", "语言"),
        Text("English or Chinese", "切换中英文"),
        (),
        Text("en or zh", "en 或 zh"),
    ),
    Action(
        "stop",
        Text("Stop", "停止"),
        Text("stop the probes that run", "停止正在运行的探针"),
        ("escape",),
    ),
    Action(
        "quit",
        Text("Quit", "退出"),
        Text("leave medic", "退出 medic"),
        ("f10", "ctrl+q"),
        footer=True,
    ),
)

BY_WORD = {action.word: action for action in ACTIONS}
# Keys that tmux, screen and terminals keep for themselves, or that many terminals cannot send.
AVOIDED = frozenset({*(f"ctrl+{c}" for c in "abhjklsop"), "ctrl+enter"})
KEY_NAMES = {"escape": "esc"}


def keys_of(action: Action) -> str:
    """The keys as they are shown."""
    return ", ".join(KEY_NAMES.get(k, k) for k in action.keys)


def usage(action: Action) -> Text:
    """The typed form, with what may follow it."""
    if action.argument is None:
        return Text(f"/{action.word}", f"/{action.word}")
    return Text(f"/{action.word} {action.argument.en}", f"/{action.word} {action.argument.zh}")
