"""The one table of actions: keys, palette, help and /words all come from it."""

from __future__ import annotations

from itertools import takewhile

from medic.i18n import Text
from medic.records import dataclass


@dataclass(frozen=True)
class Action:
    """What the user can have done. ``word`` is typed as /word; ``keys`` may be empty.

    ``argument`` says what may follow the word; ``footer`` shows the key in the last row;
    ``needs`` names what must be there for it to do anything (see ``Ready``).
    """

    word: str
    title: Text
    help: Text
    keys: tuple[str, ...] = ()
    argument: Text | None = None
    footer: bool = False
    palette: bool = True
    needs: str = ""


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
        needs="found",
    ),
    Action(
        "patch",
        Text("Patch", "修改"),
        Text("preview the change of your files", "预览对文件的修改"),
        ("f4",),
        N,
        footer=True,
        needs="found",
    ),
    Action(
        "probes",
        Text("Probes", "探针"),
        Text("what each probe found, skipped or failed at", "各探针的发现、跳过与失败"),
        ("f5",),
        Text("all", "all"),
        needs="looked",
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
        "graph",
        Text("Graph", "因果图"),
        Text(
            "suspects from symptom to remedy: live, ruled out and by what",
            "从现象到处置的嫌疑图：可能、已排除及依据",
        ),
        ("f7",),
        footer=True,
        needs="looked",
    ),
    Action(
        "undo",
        Text("Undo", "撤销"),
        Text(
            "take back the last answer; files return after asking",
            "撤回上一个回答；恢复文件前会先询问",
        ),
        ("f8",),
        footer=True,
        needs="moves",
    ),
    Action(
        "change",
        Text("Change an answer", "更改回答"),
        Text(
            "what you said as medic took it; change or take out one",
            "查看、更改或去掉你说过的内容",
        ),
        (),
        N,
        needs="looked",
    ),
    Action(
        "compare",
        Text("Compare", "比较"),
        Text("two causes side by side, and what would part them", "并列比较两个原因及区分办法"),
        (),
        Text("A B", "甲 乙"),
        needs="found",
    ),
    Action(
        "curve",
        Text("Curve", "曲线"),
        Text("draw the loss or another metric", "绘制 loss 或其他指标"),
        (),
        Text("NAME", "名称"),
        needs="looked",
    ),
    Action(
        "look",
        Text("Look again", "重新查看"),
        Text("read the files again, after a change the new log", "重新读取文件；修改后读取新日志"),
        needs="looked",
    ),
    Action(
        "files",
        Text("Files", "文件"),
        Text("all that was given, and what it was read as", "全部材料及识别结果"),
    ),
    Action(
        "add",
        Text("Add a file", "添加文件"),
        Text("add a file or folder to the case", "添加文件或目录"),
        (),
        Text("PATH", "路径"),
    ),
    Action(
        "drop",
        Text("Leave a file out", "排除文件"),
        Text("leave out a file of /files", "排除 /files 中的一个文件"),
        (),
        N,
        needs="files",
    ),
    Action(
        "run",
        Text("Choose a run", "选择运行"),
        Text("list the runs of the folder, or take one", "列出目录中的运行，或切换到其中一个"),
        (),
        Text("NAME", "名称"),
        needs="runs",
    ),
    Action(
        "none",
        Text("None of these", "都不是"),
        Text("none of the suspects is the cause", "以上原因都不是"),
        needs="found",
    ),
    Action(
        "ruleout",
        Text("Rule a cause out", "排除一个原因"),
        Text("it is not this cause; /change takes it back", "不是这个原因；/change 可收回"),
        (),
        Text("N or NAME", "编号或名称"),
        needs="found",
    ),
    Action(
        "tried",
        Text("It did not help", "处置无效"),
        Text("the remedy was tried and did not help", "处置已试过，但无效"),
        (),
        N,
        needs="found",
    ),
    Action(
        "walk",
        Text("Walk a procedure", "执行流程"),
        Text("a procedure step by step; without a name the leader's", "逐步执行排查流程"),
        (),
        Text("NAME", "名称"),
    ),
    Action(
        "report",
        Text("Hand over", "交接"),
        Text("what was seen, ruled out, asked and is open", "已见、已排除、问过和未查的内容"),
        needs="looked",
    ),
    Action(
        "new",
        Text("Start afresh", "重新开始"),
        Text(
            "a fresh consultation, here or over another path; this one is kept",
            "在此处或另一路径重新开始；当前会话会保存",
        ),
        (),
        Text("PATH", "路径"),
    ),
    Action(
        "sessions",
        Text("Sessions", "会话"),
        Text("the sessions that are kept", "已保存的会话"),
    ),
    Action(
        "resume",
        Text("Resume", "继续会话"),
        Text("go on with a kept session", "继续一个已保存的会话"),
        (),
        Text("ID", "编号"),
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
        Text("en, zh or auto", "en、zh 或 auto"),
    ),
    Action(
        "stop",
        Text("Stop", "停止"),
        Text("stop the probes that run", "停止正在运行的探针"),
        ("escape",),
        needs="running",
    ),
    Action(
        "quit",
        Text("Quit", "退出"),
        Text("leave medic; the session is kept", "退出 medic，会话会保存"),
        ("f10", "ctrl+q"),
        footer=True,
    ),
)

BY_WORD = {action.word: action for action in ACTIONS}


def completed(typed: str) -> str:
    """What begins a /word as far as it is plain; the whole word with room for what must follow."""
    begun = typed.removeprefix("/")
    fits = [word for word in BY_WORD if word.startswith(begun)] if typed.startswith("/") else []
    if not fits or not begun:
        return typed
    if len(fits) > 1:
        same = takewhile(lambda letters: len(set(letters)) == 1, zip(*fits, strict=False))
        return "/" + "".join(letters[0] for letters in same)
    return f"/{fits[0]}{' ' if BY_WORD[fits[0]].argument is not None else ''}"


# Keys that tmux, screen and terminals keep for themselves, or that many terminals cannot send.
AVOIDED = frozenset({*(f"ctrl+{c}" for c in "abhjklsop"), "ctrl+enter"})
KEY_NAMES = {"escape": "esc"}
_remapped: dict[str, tuple[str, ...]] = {}


def remap(keys: dict[str, tuple[str, ...]]) -> None:
    """Other keys for some actions, by word; they are shown in place of the usual ones."""
    _remapped.clear()
    _remapped.update(keys)


def bound(action: Action) -> tuple[str, ...]:
    """The keys that an action has now."""
    return _remapped.get(action.word, action.keys)


def keys_of(action: Action) -> str:
    """The keys as they are shown."""
    return ", ".join(KEY_NAMES.get(k, k) for k in bound(action))


def shown_key(action: Action) -> str:
    """The first of its keys as it is shown, the word where it has none."""
    return keys_of(action).split(", ")[0] or f"/{action.word}"


def remapped() -> bool:
    """Whether the user has given any action other keys."""
    return bool(_remapped)


def usage(action: Action) -> Text:
    """The typed form, with what may follow it."""
    if action.argument is None:
        return Text(f"/{action.word}", f"/{action.word}")
    return Text(f"/{action.word} {action.argument.en}", f"/{action.word} {action.argument.zh}")
