"""medic probe NAME [PATH…]: what one probe sees."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import click

from medic.case.collect import Case
from medic.case.folders import NotRead
from medic.commands.given import case_of, console, knowledge
from medic.commands.options import case_options, format_options, lang_option, option, redact_option
from medic.errors import Exit, UsageError
from medic.facts import DataSets, GivenFile
from medic.i18n import Text
from medic.index.knowledge import Index
from medic.nearest import did_you_mean
from medic.probe import Probe
from medic.report.console import Console
from medic.runner.evidence import Evidence, Run
from medic.runner.registry import all_probes
from medic.runner.run import observe, with_needs
from medic.session.sentences import finding_text
from medic.text.safetext import one_line

HELP = Text(
    "Runs one probe (and those it builds on) over the paths, or over this machine. Without a name: "
    "the list of probes. Exit 1: it found something wrong, or read a file in part; 2: nothing was read.",
    "对给定路径（或本机）只运行一个探针及其依赖。不带名称则列出全部探针。发现异常或有文件未读完整时退出码为 1，"
    "什么都未能读取时为 2。",
)


@click.command(help=str(HELP))
@click.argument("name", required=False)
@click.argument("paths", nargs=-1)
@option(
    "--benchmark",
    "benchmarks",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False),
    help=Text(
        "items of a test set to look for in the training data (JSON lines, JSON or text)",
        "在训练数据中查找的评测题目文件（JSON lines、JSON 或文本）",
    ),
)
@case_options
@format_options("json")
@redact_option
@lang_option
def command(
    name: str | None,
    paths: Sequence[str],
    benchmarks: Sequence[str],
    given: Sequence[str],
    run: str,
    this_host: bool | None,
    form: str,
    as_json: bool,
    redact: bool,
) -> int:
    out = console(redact=redact)
    probes = {p.name: p for p in all_probes()}
    if name is None:
        _list(out, probes.values())
        return Exit.OK
    chosen = _group(name, probes)
    case = case_of(paths, given, run, True if this_host is None and not paths else this_host)
    out.aliases = case.aliases
    if name == "data":
        case = dataclasses.replace(case, files=tuple(_as_data(f) for f in case.files))
    if benchmarks:
        tests = [GivenFile(b, b, "benchmark", named=True) for b in benchmarks]
        case = dataclasses.replace(case, files=(*case.files, *tests))
    index = knowledge()
    evidence = observe(case, index, with_needs(chosen, list(probes.values())))
    runs = [evidence.runs[n] for n in chosen if n in evidence.runs]
    state = _worst(runs)
    if as_json or form == "json":
        _json(out, runs, state, index, evidence.not_read)
    else:
        _text(out, runs, index)
        _not_read(out, evidence.not_read)
    return _code(case, evidence, runs, index)


def _code(case: Case, evidence: Evidence, runs: Sequence[Run], index: Index) -> int:
    """What the lines with a mark say: something found, not read whole, or nothing read at all."""
    findings = [f for r in runs for f in r.findings]
    if case.files and not evidence.read and evidence.unread() and not findings:
        return Exit.USAGE
    odd = any(
        f.notes for r in runs for fact in r.facts if isinstance(fact, DataSets) for f in fact.files
    )
    abnormal = odd or any(_abnormal(index, f.name, f.outcome) for f in findings)
    failed = any(r.state == "failed" for r in runs)
    return Exit.FINDING if abnormal or failed or evidence.unread() else Exit.OK


MOST_NOT_READ = 12
FEW = 6  # looks that are all told of
_DATA = (".txt", ".json", ".jsonl", ".csv", ".tsv", ".tar", ".bin", ".idx")


def _as_data(file: GivenFile) -> GivenFile:
    """A file that was named to the data probe is data, whatever else it might be."""
    if file.named and file.name.lower().endswith(_DATA):
        return dataclasses.replace(file, kind="data")
    return file


def _group(name: str, probes: dict[str, Probe]) -> list[str]:
    """The probe of this name and its parts (gpu: gpu, gpu-count, …). Raises UsageError."""
    found = [n for n in sorted(probes) if n == name or n.startswith(name + "-")]
    if not found:
        hint = did_you_mean(name, sorted(probes))
        raise UsageError(f'no probe "{name}"{hint.en}', f"没有探针 “{name}”{hint.zh}")
    return found


def _list(out: Console, probes: Any) -> None:
    for probe in sorted(probes, key=lambda p: p.name):
        gives = ", ".join([*(k.__name__ for k in probe.gives), *probe.tells])
        out.out(f"{probe.name:<18} {probe.reads:<12} {gives}")


def _worst(runs: Sequence[Run]) -> str:
    states = [r.state for r in runs]
    for state in ("found", "failed", "absent", "skipped"):
        if state in states:
            return state
    return "skipped"


def _abnormal(index: Index, name: str, outcome: str) -> bool:
    symptom = index.symptoms.get(name)
    return not index.is_normal(name, outcome) and not (symptom and symptom.benign)


def _text(out: Console, runs: Sequence[Run], index: Index) -> None:
    from medic.report.words import STATE

    shown = _told(runs, index)
    for run in shown:
        line = f"{run.probe.name}: {STATE[run.state]}"
        out.styled(out.style(line, "bold") + (f"  {run.seconds:.2f} s" if run.seconds else ""))
        if run.error:
            out.out(f"  {run.error}")
        for skip in run.skips:
            needs = Text("not checked{check}: needs {needs}", "未检查{check}：需要 {needs}")
            if skip.needs.en.startswith("no "):  # it says what is not there
                needs = Text("not checked{check}: {needs}", "未检查{check}：{needs}")
            check = f" ({skip.check})" if skip.check else ""
            out.out("  " + str(needs.fill(check=check, needs=skip.needs)))
        for finding in run.findings:
            mark = "!" if _abnormal(index, finding.name, finding.outcome) else "."
            where = f"  [{finding.source.where()}]" if finding.source.file else ""
            text = finding_text(index, finding)
            if finding.outcome == "absent":
                text = Text("not seen: {what}", "未见：{what}").fill(what=text)
            out.out(f"  {mark} {text} ({finding.name}){where}")
            snippet = finding.value.get("snippet")
            if snippet:
                for row in str(snippet).splitlines():
                    out.out("      " + row)
        for fact in run.facts:
            _fact(out, fact, _events(runs, index))
    _folded(out, [r for r in runs if r not in shown])


def _told(runs: Sequence[Run], index: Index) -> list[Run]:
    """Of many looks those that found something wrong, failed or have facts; of none, all."""
    found = [
        r
        for r in runs
        if r.error or r.facts or any(_abnormal(index, f.name, f.outcome) for f in r.findings)
    ]
    return found if len(runs) > FEW and found else list(runs)


def _folded(out: Console, rest: Sequence[Run]) -> None:
    """The others by their number: what could not be looked at is not clean."""
    clean = sum(bool(r.findings) or not r.skips for r in rest)
    if clean:
        words = Text("{n} looks found nothing wrong", "另有 {n} 项检查未发现异常")
        one = Text("1 look found nothing wrong", "另有 1 项检查未发现异常")
        out.out(str(one if clean == 1 else words.fill(n=clean)))
    if left := len(rest) - clean:
        words = Text(
            "{n} looks lack what they need (--json, or medic probe NAME, says what)",
            "另有 {n} 项检查缺少所需数据（--json 或 medic probe NAME 会说明缺什么）",
        )
        out.out(str(words.fill(n=left)))


def _not_read(out: Console, left: Sequence[NotRead]) -> None:
    """Files of which something is not read: what was seen is not all."""
    for one in left[:MOST_NOT_READ]:
        words = Text("! not read: {file}: {why}", "! 未读取：{file}：{why}")
        out.out(str(words.fill(file=one_line(one.file), why=Text(one.en, one.zh))))
    if len(left) > MOST_NOT_READ:
        more = Text("... {n} more (--json shows all)", "……另有 {n} 个（--json 显示全部）")
        out.out(str(more.fill(n=len(left) - MOST_NOT_READ)))


def _events(runs: Sequence[Run], index: Index) -> list[tuple[int, str]]:
    """(step, what it is) of every abnormal finding that names a step: marks on a drawing."""
    found: dict[int, str] = {}
    for finding in (f for r in runs for f in r.findings):
        step = finding.value.get("step")
        if isinstance(step, int) and _abnormal(index, finding.name, finding.outcome):
            known = index.symptoms.get(finding.name) or index.checks[finding.name]
            if finding.name in index.symptoms or step not in found:
                found[step] = str(known.title)
    return sorted(found.items())


def _fact(out: Console, fact: Any, events: Sequence[tuple[int, str]]) -> None:
    """A fact in few lines: its fields, long collections by their size; curves are drawn."""
    from medic.report.facts_text import limit_of, lines

    shown, limit = lines(fact, events), limit_of(fact)
    for row in shown[:limit]:
        out.out("  " + row)
    if len(shown) > limit:
        more = Text("... {n} more (--json shows all)", "……另有 {n} 行（--json 显示全部）")
        out.out("  " + str(more.fill(n=len(shown) - limit)))


def _json(
    out: Console, runs: Sequence[Run], state: str, index: Index, left: Sequence[NotRead]
) -> None:
    from medic.report.dumps import dumps

    findings = [
        {
            "name": f.name,
            "outcome": f.outcome,
            "text": str(finding_text(index, f)),
            "value": dict(f.value),
            "source": dataclasses.asdict(f.source),
        }
        for r in runs
        for f in r.findings
    ]
    facts = {type(f).__name__: dataclasses.asdict(f) for r in runs for f in r.facts}
    data = {
        "schema": "medic.probe/1",
        "outcome": state,
        "reason": "; ".join(
            [str(s.needs) for r in runs for s in r.skips] + [r.error for r in runs if r.error]
        ),
        "findings": findings,
        "facts": facts,
        "not_read": [{"file": n.file, "why": n.en} for n in left],
    }
    out.raw(dumps(data))
