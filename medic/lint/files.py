"""Before launch: what in the files will fail or silently go wrong, at file:line:column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from medic.case.collect import Case, NotRead
from medic.errors import MedicError
from medic.facts import GivenFile, Launches, LogHits
from medic.i18n import Text, current
from medic.index.knowledge import Index
from medic.lint import together
from medic.lint.choices import with_choices
from medic.lint.found import ORDER, LintFinding, LintReport
from medic.lint.grounds import with_sound_fixes
from medic.probe import BY_HAND, Finding, Probe
from medic.records import replace
from medic.run_config import RunConfig, Span
from medic.runner.crew import Crew
from medic.runner.evidence import Evidence
from medic.runner.registry import ROOMS, all_probes
from medic.runner.run import Waves, in_waves, observe, with_needs

if TYPE_CHECKING:
    from medic.fixes import Fix

# YAML, engine JSON, launcher YAML, model config: no launch has more files than this.
LAUNCH_CONFIGS = 8


def probes_for_lint(case: Case, index: Index) -> Waves:
    """Probes of files that may report a lint check, with the probes they build on, in waves.

    Probes of GPU reports are loaded only where such files are given. None reads what a log tells
    of a run: checks of scripts leave to it what failed, and the launch that is judged is to come.
    """
    plain = {f.kind for f in case.files} <= {"config", "model-config", "script", "python"}
    rooms = ROOMS if plain else ()
    if (name := f"probes of lint in {rooms}") not in index.kept:
        index.kept[name] = in_waves(_probes_for_lint(rooms, index))
    kept: Waves = index.kept[name]
    return kept


def _probes_for_lint(rooms: tuple[str, ...], index: Index) -> list[Probe]:
    probes = [p for p in all_probes(rooms) if LogHits not in p.gives]
    wanted = [p.name for p in probes if p.reads == "artefacts" and set(p.tells) & index.lint_names]
    return [p for p in with_needs(wanted, probes) if p.reads == "artefacts"]


def launches_of(case: Case, index: Index) -> Launches | None:
    """What the scripts of a case launch: asked for before the files are known that they name."""
    if not any(file.kind == "script" for file in case.files):
        return None
    probes = [p for p in all_probes(("flags",)) if Launches in p.gives]
    found: Launches | None = observe(case, index, probes).fact(Launches)
    return found


def lint(
    case: Case, index: Index, names: frozenset[str] | None = None, *, apart: bool = False
) -> LintReport:
    """Checks the files of one launch together; ``names`` limits the checks that report.

    More configs than one launch can have are checked one by one; with ``apart`` every file is.
    """
    with Crew() as crew:

        def judge(files: Sequence[GivenFile]) -> LintReport:
            part = replace(case, files=tuple(files))
            report = _launch(part, index, names, crew)
            return with_choices(part, report, lambda one: _launch(one, index, names, crew))

        if apart:
            return _joined([judge((file,)) for file in case.files])
        configs: list[GivenFile] = []
        rest: list[GivenFile] = []
        for file in case.files:
            (configs if file.kind == "config" and file.named else rest).append(file)
        if len(configs) <= LAUNCH_CONFIGS:
            return _together(case, judge)
        reports = [judge((file,)) for file in configs]
        return _joined([*reports, judge(rest)] if rest else reports)


def _together(case: Case, judge: Callable[[Sequence[GivenFile]], LintReport]) -> LintReport:
    """The files as one launch; apart, where they cannot be one."""
    report = judge(case.files)
    groups = together.apart(case, report.run_config)
    if not groups:
        return report
    reports = [judge(files) for files in groups]
    return replace(_joined(reports), apart=together.told(groups, report.run_config))


def unread(problem: MedicError, files: Sequence[str]) -> LintReport:
    """The report of files none of which could be read."""
    file = problem.at or " ".join(files)
    why = NotRead(file, problem.en, problem.zh)
    return LintReport((), (), (), RunConfig(), {}, {}, (why,), ())


def _joined(reports: Sequence[LintReport]) -> LintReport:
    return LintReport(
        findings=tuple(f for r in reports for f in r.findings),
        not_checked=tuple(sorted({gap for r in reports for gap in r.not_checked})),
        passed=tuple(p for r in reports for p in r.passed),
        run_config=RunConfig(),
        facts={},
        read={file: size for r in reports for file, size in r.read.items()},
        not_read=tuple(dict.fromkeys(n for r in reports for n in r.not_read)),
        failed=tuple(dict.fromkeys(f for r in reports for f in r.failed)),
        parts=tuple(reports),
    )


def _launch(case: Case, index: Index, names: frozenset[str] | None, crew: Crew) -> LintReport:
    evidence = observe(case, index, waves=probes_for_lint(case, index), crew=crew)
    config = evidence.fact(RunConfig) or RunConfig()
    findings = []
    passed = []
    for seen in evidence.observed:
        if seen.name not in index.lint_names or (names is not None and seen.name not in names):
            continue
        if seen.outcome == "fires":
            findings.append(_finding(seen.finding, index, config, evidence))
        else:
            passed.append(seen.name)
    findings.sort(key=lambda f: (f.file, f.line, f.column, ORDER[f.severity], f.name))
    return LintReport(
        findings=tuple(with_sound_fixes(findings, config)),
        not_checked=_not_checked(evidence, index),
        passed=tuple(sorted(passed)),
        run_config=config,
        facts=evidence.facts,
        read=evidence.read,
        not_read=tuple(dict.fromkeys(evidence.not_read)),
        failed=tuple(
            (r.probe.name, r.error) for r in evidence.runs.values() if r.state == "failed"
        ),
    )


def _not_checked(evidence: Evidence, index: Index) -> tuple[tuple[str, str], ...]:
    open_ = index.lint_names - {seen.name for seen in evidence.observed}  # made by another probe
    lang = current()
    skips = (s for run in evidence.runs.values() for s in run.skips if s.check in open_)
    return tuple(sorted({(skip.check, skip.needs.get(lang)) for skip in skips}))


def _finding(finding: Finding, index: Index, config: RunConfig, evidence: Evidence) -> LintFinding:
    from medic.fixes import propose
    from medic.lint.conditions import conditional
    from medic.lint.short import short
    from medic.lint.weight import consequence, severity

    cause = index.causes[finding.name]
    words = cause.lint
    if words is None:
        raise ValueError(finding.name)
    column, end = place(finding, config)
    values = {name: short(value) for name, value in finding.value.items()}
    remedy = index.remedies[cause.remedies[0]]
    fix = propose(remedy, evidence.facts, index, finding.changes, finding.repair)
    hand = finding.value.get(BY_HAND)  # the check knows that no number is what was meant
    told = LintFinding(
        name=cause.name,
        code=cause.code,
        severity=severity(words.severity, finding),
        file=finding.source.file,
        line=finding.source.line,
        column=column,
        end_column=end,
        message=words.message.fill(values),
        consequence=consequence(finding, words.then.fill(values)),
        fix=fix if fix.patch is not None and not hand else None,
        shown=() if hand else _shown(fix, config),
        by_hand=(hand,) if hand else _by_hand(fix),
        also=_also(finding),
    )
    return conditional(told, finding, config)


def _also(finding: Finding) -> tuple[tuple[str, int], ...]:
    own = (finding.source.file, finding.source.line)
    places = dict.fromkeys((one.file, one.line) for one in finding.more if one.file and one.line)
    return tuple(place for place in places if place != own)


def _by_hand(fix: Fix) -> tuple[Text, ...]:
    """Why there is no fix; the values that were computed, where no file that is edited has them."""
    if fix.patch is not None:
        return ()
    if fix.changes and fix.repair is None and fix.filled:
        return (fix.text,)
    # That it stands in the file is what was found.
    return () if fix.made else fix.notes


def _shown(fix: Fix, config: RunConfig) -> tuple[tuple[str, str, str], ...]:
    if fix.patch is None:
        return ()
    from medic.edits.shown import shown

    try:
        return shown(fix.changes, fix.patch.edits, config, lambda file: Path(file).read_bytes())
    except OSError:  # gone since it was read
        return ()


def place(finding: Finding, config: RunConfig) -> tuple[int, int]:
    """Columns of the value that a finding points at: the carrier on its line, else the word."""
    source = finding.source
    if finding.span is not None:
        return _columns(finding.span)
    flag = str(finding.value.get("flag") or "")
    if flag and flag in source.text:
        at = source.text.index(flag)
        return at + 1, at + 1 + len(flag)
    for value in config.values.values():
        for origin in value.carriers():
            span = origin.span
            if span and span.file == source.file and span.line == source.line:
                return _columns(span)
    for key in ("raw", "key", "value"):
        word = str(finding.value.get(key) or "")
        at = source.text.find(word) if word else -1
        if at >= 0:
            return at + 1, at + 1 + len(word)
    return (1, len(source.text) + 1) if source.line else (0, 0)


def _columns(span: Span) -> tuple[int, int]:
    end = span.end_column if span.end_line == span.line else span.column + 1
    return span.column, end
