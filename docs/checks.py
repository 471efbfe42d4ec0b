"""How often each lint check is judged over a set of files: ``python docs/checks.py FILE... > checks.tsv``.

Every file is linted alone. A check that is hardly ever judged has a field that files seldom state,
or one whose names are not mapped; the column ``lacks`` names what was asked for most often.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict

from medic.case.collect import collect
from medic.errors import MedicError
from medic.index.knowledge import load
from medic.lint.files import lint


def main(files: list[str]) -> None:
    index = load()
    fired: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    lacking: Counter[str] = Counter()
    lacks: dict[str, Counter[str]] = defaultdict(Counter)
    for file in files:
        try:
            report = lint(collect([file]), index)
        except MedicError:
            continue
        names = {finding.name for finding in report.findings}
        fired.update(names)
        passed.update(set(report.passed) - names)
        open_ = dict(report.not_checked)
        lacking.update(open_.keys() - names - set(report.passed))
        for name, needs in open_.items():
            lacks[name][needs] += 1
    rows: list[tuple[object, ...]] = [
        ("check", "severity", "judged", "fired", "passed", "not checked", "lacks")
    ]
    for name in sorted(index.lint_names, key=lambda n: (fired[n] + passed[n], n)):
        words = index.causes[name].lint
        most = "; ".join(needs for needs, _ in lacks[name].most_common(2))
        judged = fired[name] + passed[name]
        severity = words.severity if words is not None else ""
        rows.append((name, severity, judged, fired[name], passed[name], lacking[name], most))
    sys.stdout.write("".join("\t".join(map(str, row)) + "\n" for row in rows))


if __name__ == "__main__":
    main(sys.argv[1:])
