"""A step of a procedure as text, and where a walk has ended."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from medic.experiments import Made
from medic.i18n import Text
from medic.index.knowledge import Index
from medic.report.blocks import Blocks
from medic.report.console import Console
from medic.session.foreign import own
from medic.session.walk import Walk, outcome_title


def stand(out: Console, walk: Walk, index: Index, framework: str = "") -> None:
    """The step to do now with its outcomes numbered, or the end; of its commands those that are of
    the run's framework, where that is known."""
    blocks = Blocks(out)
    title = out.style(str(walk.procedure.title), "bold")
    out.styled(title + "  " + out.style(walk.procedure.name, "dim"))
    for name, outcome in walk.trail:
        step = next(s for s in walk.procedure.steps if s.name == name)
        blocks.paragraph(f"{name}: {outcome_title(step, outcome)}", "    ", "  x ")
    if walk.step is None:
        _end(blocks, walk, index)
        return
    minutes = Text("{n} min", "{n} 分钟").fill(n=f"{walk.step.minutes:g}")
    blocks.paragraph(f"{walk.step.do} ({minutes})", "    ", "  > ")
    for text in (walk.step.command, walk.step.snippet):
        for line in own(index, framework, text).splitlines():
            out.out("      " + line)
    blocks.heading(Text("What came out?", "结果是？"))
    for number, (outcome, target) in enumerate(walk.step.outcomes.items(), start=1):
        leads = index.title(target) if target in index.raw["causes"] else target
        text = f"{outcome_title(walk.step, outcome)} ({outcome} -> {leads})"
        blocks.paragraph(text, "     ", f"  {number}  ")


def _end(blocks: Blocks, walk: Walk, index: Index) -> None:
    if not walk.cause:
        blocks.paragraph(Text("Done.", "完成。"))
        return
    found = Text("It is: {title} ({name})", "结论：{title}（{name}）")
    blocks.paragraph(found.fill(title=index.title(walk.cause), name=walk.cause))
    more = Text("What to do: medic explain {name}", "处理方法：medic explain {name}")
    blocks.paragraph(more.fill(name=walk.cause), "  ")


def trials(out: Console, made: Sequence[Made], written: Sequence[Path]) -> None:
    """The diffs of an experiment, and where its files are."""
    for trial in made:
        out.styled(out.style(trial.name, "bold"))
        for line in trial.diff.splitlines():
            out.out(line)
        if trial.left_out:
            names = ", ".join(f"{c.field}={c.new}" for c in trial.left_out)
            rest = Text("not written, set by hand: {names}", "未写入，请手工设置：{names}")
            out.talk(rest.fill(names=names))
        for copy in trial.unnamed:
            warned = Text(
                "{t}: no script names {f}: it would train with the values of another file; point "
                "the command at {c}",
                "{t}：脚本没有引用 {f}，训练仍会使用别的文件里的取值；请把命令改为指向 {c}",
            )
            out.talk(warned.fill(t=trial.name, f=copy.name, c=copy))
    if not written:
        out.talk(
            Text(
                "nothing is written; with --out FOLDER the files are, and the scripts name the copies",
                "尚未写入；加 --out 目录 即可生成文件，脚本也会改为引用这些副本",
            )
        )
    for path in written:
        out.talk(Text("written: {path}", "已写入：{path}").fill(path=path))
