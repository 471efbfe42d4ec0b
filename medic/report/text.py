"""A diagnosis as text for a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import medic.facts
from medic.facts import SinceGood
from medic.fixes import Fix
from medic.i18n import Text
from medic.planner.verdict import NO_ANSWER
from medic.report import late_text, oom_text, open_text, timeline, verdict_text
from medic.report.bars import chance_bar
from medic.report.blocks import Blocks
from medic.report.console import Console
from medic.report.words import CHANCE, IF_IT_IS, NEAREST, OTHERS, SAFE, UNSAFE, WHAT_TO_DO
from medic.session.consultation import Session
from medic.session.diagnosis import BY_YOU, CauseView, Diagnosis, EvidenceLine, line_of
from medic.session.foreign import own_command, walk_files
from medic.session.known import known_for
from medic.session.undecided import recommends, suspects, would_show
from medic.session.unlike import rate_set_otherwise
from medic.text.safetext import one_line

CONSEQUENCES = Text("Consequences, not causes", "后果而非原因")
BAR = 10
MAX_GAPS, MAX_RUNS = 3, 4
FACT_NAMES = frozenset(medic.facts.__all__) | {"RunConfig"}


def diagnosis(console: Console, session: Session, found: Diagnosis, *, numbers: bool) -> None:
    """Prints the whole answer."""
    blocks = Blocks(console)
    if found.other_runs:
        runs = Text(
            "Run {run}, one of {n} here; --run picks another ({others}).",
            "运行 {run}（此处共 {n} 个运行；可用 --run 另选：{others}）。",
        )
        others = ", ".join(found.other_runs[:MAX_RUNS])
        more = ", …" if len(found.other_runs) > MAX_RUNS else ""
        n = len(found.other_runs) + 1
        blocks.paragraph(runs.fill(run=found.case_run, n=n, others=others + more))
    if (late := late_text.late(session)) is not None:
        blocks.paragraph(late)
    words = said_otherwise(session, found) if session.told.words else None
    verdict_text.verdict(blocks, session, found, numbers=numbers, refuted=words is not None)
    if words is not None:
        blocks.paragraph(words, indent="  ")
    if (rates := rate_set_otherwise(session, found)) is not None:
        blocks.paragraph(rates, indent="  ")
    if found.verdict in NO_ANSWER:
        seen = (*found.symptoms, *ranks_seen(session))
        _lines(blocks, Text("What was seen", "观察到的现象"), seen)
        if not found.causes:
            _lines(blocks, CONSEQUENCES, first_of_each(found))
    elif found.causes:
        _leader(blocks, session, found)
    memory = session.memory
    again = memory is not None and memory.diff and found.causes and found.verdict not in NO_ANSWER
    above = [fix.diff for fix in session.fixes(found.causes[0].name)] if again else []
    oom_text.shown(console, memory, above)
    _others(blocks, session, found, numbers)
    _also_wrong(blocks, session, found)
    _lines(blocks, Text("Not explained by this cause", "该原因无法解释的现象"), found.unexplained)
    if (fact := session.evidence.fact(SinceGood)) is not None:
        from medic.report import since_good_text

        since_good_text.table(blocks, fact)
    notes = Text("Worth knowing", "值得留意")
    _lines(blocks, notes, found.notes)
    open_text.question(blocks, session, found)
    _gaps(blocks, found)


def ranks_seen(session: Session) -> list[EvidenceLine]:
    """What the ranks of a collective that timed out did: of use where no cause is named, too."""
    index = session.index
    return [
        line_of(index, h, "")
        for h in session.found
        if h.seen.name == "collective-ranks" and not index.is_normal(h.seen.name, h.seen.outcome)
    ]


def said_otherwise(session: Session, found: Diagnosis) -> Text | None:
    from medic.session.both import both

    return both(session, found)


def _leader(blocks: Blocks, session: Session, found: Diagnosis) -> None:
    leader = found.causes[0]
    cause = session.index.causes[leader.name]
    open_text.why_open(blocks, session, found)
    blocks.paragraph(cause.why, indent="  ")
    blocks.heading(Text("Evidence", "证据"))
    blocks.evidence(leader.evidence)
    _lines(blocks, CONSEQUENCES, first_of_each(found))
    if moments := timeline.moments(session, found):
        blocks.heading(Text("In the order of time", "按时间先后"))
        for row in timeline.rows(moments, blocks.width - 4):
            blocks.console.out(f"  {row}")
    remedies(blocks, session, leader, sure=recommends(found))
    if cause.do_not:
        blocks.heading(Text("Do not", "不要"))
        for advice in cause.do_not:
            blocks.paragraph(advice.say, indent="    ", first="  x ")


def first_of_each(found: Diagnosis) -> list[EvidenceLine]:
    """The first line of every kind of consequence that is no evidence of the cause that leads."""
    own = [e for cause in found.causes[:1] for e in cause.evidence]
    told = {(e.name, e.source.file, e.source.line) for e in own}
    kinds: dict[str, EvidenceLine] = {}
    for line in found.consequences:
        if (line.name, line.source.file, line.source.line) not in told:
            kinds.setdefault(line.name, line)
    return list(kinds.values())


def _lines(blocks: Blocks, title: Text, lines: Sequence[EvidenceLine]) -> None:
    if lines:
        blocks.heading(title)
        blocks.evidence(lines)


def remedies(blocks: Blocks, session: Session, cause: CauseView, *, sure: bool = True) -> None:
    """What to do, each remedy with its numbers and its diff."""
    blocks.heading(WHAT_TO_DO if sure else IF_IT_IS)
    for i, fix in enumerate(session.fixes(cause.name), start=1):
        remedy(blocks, session, fix, i)


def remedy(blocks: Blocks, session: Session, fix: Fix, number: int) -> None:
    entry = fix.remedy
    title = Text("{title} ({name}, {safe})", "{title}（{name}，{safe}）").fill(
        title=entry.title, name=entry.name, safe=SAFE if fix.safe else UNSAFE
    )
    blocks.paragraph(title, indent="    ", first=f"  {number} ")
    if fix.filled:
        blocks.paragraph(fix.text, indent="    ")
    for known in known_for(session, entry):
        told = Text("known already: {finding}", "已知：{finding}").fill(finding=known.text)
        at = f" [{known.source.where()}]" if known.source.file else ""
        blocks.paragraph(f"{told}{at}", indent="    ")
    if fix.diff:
        blocks.diff(fix.diff)
    for note in fix.notes:
        blocks.paragraph(note, indent="    ")
    if fix.missing:
        needs = Text("To compute the numbers medic needs: {names}", "要算出数值，还需要：{names}")
        blocks.paragraph(needs.fill(names=", ".join(fix.missing)), indent="    ")
    if command := own_command(session, entry.command):
        blocks.command(command, indent="    ")
    for line in own_command(session, entry.snippet).splitlines():
        blocks.console.out("    " + line)
    if entry.procedure:
        _steps(blocks, session, entry.procedure)
    blocks.paragraph(Text("costs: {say}", "代价：{say}").fill(say=entry.costs.say), indent="    ")
    if entry.check:
        blocks.paragraph(
            Text("worked if: {check}", "有效的标志：{check}").fill(check=entry.check), indent="    "
        )


def _steps(blocks: Blocks, session: Session, name: str) -> None:
    procedure = session.index.procedures[name]
    for i, step in enumerate(procedure.steps, start=1):
        blocks.paragraph(step.do, indent="       ", first=f"    {i}) ")
        if command := own_command(session, step.command):
            blocks.command(command, indent="       ")
    walk = Text("step by step: medic walk {name}", "逐步执行：medic walk {name}")
    files = shlex.join(walk_files(session, procedure))
    blocks.paragraph(walk.fill(name=f"{name} {files}".rstrip()), indent="    ")


def _others(blocks: Blocks, session: Session, found: Diagnosis, numbers: bool) -> None:
    rest = found.causes[1:]
    unanswered = found.verdict in NO_ANSWER
    if unanswered:
        rest = suspects(found)
    rest = tuple(sorted(rest, key=lambda c: list(CHANCE).index(c.word)))  # of one word: by chance
    if rest and found.verdict != "established":
        shown = would_show(session, rest if unanswered else found.causes)
        blocks.heading(NEAREST if unanswered else OTHERS)
        for cause in rest:
            tail = f" P = {cause.chance:.3f}" if numbers else ""
            line = Text("{title} ({name}): {word}", "{title}（{name}）：{word}").fill(
                title=cause.title, name=cause.name, word=CHANCE[cause.word]
            )
            bar = chance_bar(cause.chance, cause.word, BAR)
            blocks.paragraph(f"{bar} {line}{tail}", indent="    ", first="  ")
            if found.verdict == "unclear":
                blocks.paragraph(_against(session, cause), indent="      ", first="    ")
            if cause.name in shown:
                open_text.would_show(blocks, shown[cause.name], "    ")
    # What shows nothing of this case is no wonder to be out of the question.
    out = [c for c in found.ruled_out if c.explains or (c.pruned_by and c.pruned_by.name == BY_YOU)]
    if out and found.verdict != "established":
        blocks.heading(Text("Ruled out", "已排除"))
        for cause in out[:5]:
            by = cause.pruned_by
            reason = f"{by.sentence}" if by else ""
            where = f" [{by.source.where()}]" if by and by.source.file else ""
            line = Text("{title}: {reason}", "{title}：{reason}").fill(
                title=cause.title, reason=reason
            )
            blocks.paragraph(f"{line}{where}", indent="    ", first="  - ")


def _against(session: Session, cause: CauseView) -> Text:
    """The remedy that would come first, if this is the cause."""
    index = session.index
    title = index.remedies[index.causes[cause.name].remedies[0]].title
    return Text("if it is: {remedy}", "若是：{remedy}").fill(remedy=title)


def _also_wrong(blocks: Blocks, session: Session, found: Diagnosis) -> None:
    if not found.also_wrong:
        return
    blocks.heading(Text("Also wrong, but not the cause of this", "另有问题，但并非此次故障的原因"))
    for cause in found.also_wrong:
        title = Text("{title} ({name}, {code})", "{title}（{name}，{code}）").fill(
            title=cause.title, name=cause.name, code=cause.code
        )
        blocks.paragraph(title, indent="    ", first="  ")
        blocks.evidence(cause.evidence[:2])
        for fix in session.fixes(cause.name)[:1]:
            blocks.diff(fix.diff)


def _gaps(blocks: Blocks, found: Diagnosis) -> None:
    console = blocks.console
    console.styled("")
    if not (found.read or found.not_read or found.failed):
        only = Text(
            "Only the text was read. medic diagnose PATH also reads logs, configs and checkpoints.",
            "只读了这段文字。medic diagnose PATH 还会读取日志、配置和检查点。",
        )
        blocks.paragraph(only)
        return
    read = Text("Files read: {n}", "已读取文件：{n}").fill(n=len(found.read))
    blocks.paragraph(read)
    for script in dict.fromkeys(by for _, by in found.outside):
        line = Text(
            "Outside the folder, named by {script}: {files}", "目录之外，由 {script} 指定：{files}"
        )
        files = ", ".join(one_line(file) for file, by in found.outside if by == script)
        blocks.paragraph(line.fill(script=one_line(script), files=files), indent="  ")
    for item in found.not_read:
        line = Text("Not read: {file}: {why}", "未读取：{file}：{why}")
        blocks.paragraph(
            line.fill(file=one_line(item.file), why=Text(item.en, item.zh)), indent="  "
        )
    for name, why in found.failed:
        line = Text("Failed: probe {name}: {why}", "失败：探针 {name}：{why}")
        blocks.paragraph(line.fill(name=name, why=why), indent="  ")
    gaps = by_need(found)
    for needs, names in gaps[:MAX_GAPS]:
        line = Text("Not checked, for want of {needs}: {names}", "未检查（缺少：{needs}）：{names}")
        blocks.paragraph(line.fill(needs=needs, names=", ".join(names)), indent="    ", first="  ")
    if len(gaps) > MAX_GAPS:
        more = Text("… and {n} more gaps (--json lists them)", "……另有 {n} 项（--json 可列出）")
        blocks.paragraph(more.fill(n=len(gaps) - MAX_GAPS), indent="  ")


def by_need(found: Diagnosis) -> list[tuple[str, list[str]]]:
    """What was not checked, by what it lacks; waiting for another probe's fact says nothing."""
    needs: dict[str, list[str]] = {}
    for name, need in found.not_checked:
        if not set(need.split(", ")) <= FACT_NAMES:
            needs.setdefault(need, []).append(name)
    return sorted(needs.items(), key=lambda x: (-len(x[1]), x[0]))
