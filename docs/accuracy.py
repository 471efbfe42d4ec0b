"""Writes the accuracy table of the README from the project's own cases.

python docs/accuracy.py
"""

from __future__ import annotations

import re
from pathlib import Path

from medic.evaluate import evaluate, read_cases
from medic.i18n import use
from medic.index.knowledge import load
from medic.report.eval_text import lines

ROOT = Path(__file__).resolve().parents[1]
_PLACE = re.compile(r"(<!-- accuracy -->\n).*?(<!-- /accuracy -->)", re.DOTALL)


def main() -> None:
    use("en")
    index = load()
    score = evaluate(read_cases(ROOT / "tests" / "cases", index), index)
    table = "\n".join(lines(score))
    readme = ROOT / "README.md"
    text = readme.read_text("utf-8")
    readme.write_text(_PLACE.sub(lambda m: f"{m[1]}{table}\n{m[2]}", text), "utf-8")


if __name__ == "__main__":
    main()
