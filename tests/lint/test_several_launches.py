"""Several launches in one script: each is a run of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.lint.files import lint
from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
LAUNCH = """torchrun --nproc_per_node 8 {script} --model_name_or_path base \\
  --per_device_train_batch_size 4 --learning_rate {lr} \\
  --max_steps {steps} --warmup_steps {warmup} \\
  --save_strategy steps --save_steps 50 --save_total_limit 2 --logging_steps 10 \\
  --report_to none --output_dir {out}
"""
FIRST = LAUNCH.format(script="sft.py", lr="1e-5", steps=4000, warmup=40, out="a")
SECOND = LAUNCH.format(script="dpo.py", lr="1e-6", steps=100, warmup=5, out="b")


def found(lint_text: Lint, text: str) -> list[tuple[str, int]]:
    return [(f.name, f.line) for f in lint_text(text, "a.sh")]


def test_values_of_two_runs_are_not_mixed(lint_text: Lint) -> None:
    """110 warmup steps are few in the first run, and more than the second one has."""
    assert found(lint_text, FIRST + SECOND) == []
    assert found(lint_text, FIRST.replace("warmup_steps 40", "warmup_steps 110") + SECOND) == []


@pytest.mark.parametrize(
    ("old", "new", "cause", "line"),
    [
        ("--warmup_steps 5", "--warmup_steps 110", "warmup-longer-than-run", 3),
        ("--learning_rate 1e-6", "--learning_rate -1e-6", "impossible-value", 2),
        ("--save_strategy steps", "--save_strategy no", "option-without-effect", 4),
    ],
)
@pytest.mark.parametrize("order", ["behind", "before"])
def test_each_launch_is_judged(
    lint_text: Lint, old: str, new: str, cause: str, line: int, order: str
) -> None:
    wrong = SECOND.replace(old, new)
    text, at = (FIRST + wrong, 5 + line) if order == "behind" else (wrong + FIRST, line)
    assert (cause, at) in found(lint_text, text)
    assert all(where > 5 for _, where in found(lint_text, FIRST + wrong))


def test_every_launch_of_a_large_folder_is_judged(tmp_path: Path) -> None:
    for n in range(40):
        (tmp_path / f"run{n}.sh").write_text(FIRST, "utf-8")
    broken = SECOND.replace("--warmup_steps 5", "--warmup_steps 110")
    for name in ("a.sh", "z.sh"):
        (tmp_path / name).write_text(broken, "utf-8")
    report = lint(collect([str(tmp_path)]), load())
    assert [Path(f.file).name for f in report.findings] == ["a.sh", "z.sh"]
    assert report.not_read == ()


def test_launches_beyond_the_limit_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("medic.probes.config.reading.MAX_OTHERS", 2)
    for name in ("a.sh", "b.sh", "c.sh", "d.sh"):
        (tmp_path / name).write_text(SECOND, "utf-8")
    case = collect([str(tmp_path)])
    told = lint(case, load()).not_read
    assert len(told) == 1
    assert "3 are together" in told[0].en
    assert lint(case, load(), apart=True).not_read == ()
