"""Launch commands: values, lists of flags, variables, switches, names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medic.edits import edits_for
from medic.edits.sources import apply_to
from medic.facts import Launch, Launches
from medic.i18n import Text
from medic.run_config import Change, RunConfig, Span
from medic.syntax import parse

After = Callable[..., str]
WHY = Text("", "")
LINES = "torchrun --nproc_per_node 8 train.py \\\n  --micro_batch_size 8 \\\n  --lr 2e-5\necho x\n"
LIST = (
    "ARGS=(\n    --micro-batch-size 8  # per GPU\n    --lr 1e-4\n)\n"
    'python train.py "${ARGS[@]}" --save /x | tee log\n'
)
TEXT = 'OPTS=" \\\n  --micro-batch-size 8 \\\n  --lr 1e-4"\npython train.py $OPTS\n'
QUOTED = "python t.py --micro-batch-size='8'\n"
BY_NAME = "M=8\npython t.py --micro-batch-size $M\n"
PAIRS = "python -m main data.micro_batch_size=8 optim.lr=1e-6\n"


@pytest.mark.parametrize(
    ("old", "flag", "new"),
    [
        (LINES, "--micro_batch_size", LINES.replace("size 8", "size 4")),
        (LIST, "--micro-batch-size", LIST.replace("size 8", "size 4")),
        (TEXT, "--micro-batch-size", TEXT.replace("size 8", "size 4")),
        (PAIRS, "data.micro_batch_size", PAIRS.replace("size=8", "size=4")),
        (QUOTED, "--micro-batch-size", QUOTED.replace("'8'", "'4'")),
        (BY_NAME, "--micro-batch-size", BY_NAME.replace("M=8", "M=4")),
    ],
)  # fmt: skip
def test_value_is_edited_where_it_is_written(
    shop: Any, after: After, old: str, flag: str, new: str
) -> None:
    path = shop.file("run.sh", old, {"micro_batch_size": flag})
    assert after(shop.config(), path, micro_batch_size=4) == new


def test_variable_that_something_else_is_computed_from_is_refused(
    shop: Any, edit: Callable[..., Any]
) -> None:
    old = "M=8\npython t.py --micro-batch-size $M --global-batch-size $((M * 16))\n"
    shop.file("run.sh", old, {"micro_batch_size": "--micro-batch-size"})
    plan = edit(shop.config(), micro_batch_size=4)
    assert plan.edits == ()
    assert "M * 16" in plan.refused[0].en


@pytest.mark.parametrize("flag", ["--num-workers", "--global-batch-size"])
def test_variable_of_two_flags_is_refused(shop: Any, edit: Callable[..., Any], flag: str) -> None:
    old = f"N=8\npython t.py --micro-batch-size $N {flag} $N\n"
    shop.file("run.sh", old, {"micro_batch_size": "--micro-batch-size"})
    plan = edit(shop.config(), micro_batch_size=4)
    assert plan.edits == ()
    assert "other flags" in plan.refused[0].en


def test_variable_of_two_commands_is_edited(shop: Any, after: After) -> None:
    old = "N=8\npython t.py --micro-batch-size $N\npython u.py --micro-batch-size $N\n"
    path = shop.file("run.sh", old, {"micro_batch_size": "--micro-batch-size"})
    assert after(shop.config(), path, micro_batch_size=4) == old.replace("N=8", "N=4")


@pytest.mark.parametrize(
    ("old", "fields", "new"),
    [
        (
            LINES,
            {"micro_batch_size": "--micro_batch_size"},
            LINES.replace("--lr 2e-5", "--lr 2e-5 \\\n  --gradient_accumulation_steps 2"),
        ),
        (
            LIST,
            {"micro_batch_size": "--micro-batch-size"},
            LIST.replace("  # per GPU", "  # per GPU\n    --gradient-accumulation-steps 2"),
        ),
        (
            TEXT,
            {"micro_batch_size": "--micro-batch-size"},
            TEXT.replace("size 8", "size 8 \\\n  --gradient-accumulation-steps 2"),
        ),
        (
            PAIRS,
            {"micro_batch_size": "data.micro_batch_size"},
            PAIRS.replace("1e-6", "1e-6 gradient_accumulation_steps=2"),
        ),
        (
            "python t.py --micro-batch-size=8 > log 2>&1\n",
            {"micro_batch_size": "--micro-batch-size"},
            "python t.py --micro-batch-size=8 --gradient-accumulation-steps=2 > log 2>&1\n",
        ),
    ],
)
def test_flag_is_added_behind_the_last(
    shop: Any, after: After, old: str, fields: dict[str, str], new: str
) -> None:
    path = shop.file("run.sh", old, fields)
    assert after(shop.config(), path, gradient_accumulation_steps=2) == new


def test_launcher_option_is_added_before_the_script(shop: Any, after: After) -> None:
    path = shop.file("run.sh", LINES, {"gpus_per_node": "--nproc_per_node"}, "launcher")
    text = after(shop.config(), path, master_port=29501)
    assert text == LINES.replace("_node 8", "_node 8 --master_port 29501")


def test_switch_is_added_without_a_value(shop: Any, after: After) -> None:
    path = shop.file("run.sh", LINES, {"micro_batch_size": "--micro_batch_size"})
    text = after(shop.config(), path, activation_checkpointing=True)
    assert text == LINES.replace("--lr 2e-5", "--lr 2e-5 \\\n  --recompute")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("python t.py --fp16 --lr 1\n", "python t.py --bf16 --lr 1\n"),
        ("python t.py --fp16 true\n", "python t.py --bf16 true\n"),
        ("A=(\n  --fp16\n)\npython t.py ${A[@]}\n", "A=(\n  --bf16\n)\npython t.py ${A[@]}\n"),
    ],
)
def test_precision_flag_gets_the_other_name(shop: Any, after: After, old: str, new: str) -> None:
    path = shop.file("run.sh", old, {"precision": "--fp16"})
    shop.values["precision"] = [("fp16", shop.values["precision"][0][1])]
    assert after(shop.config(), path, precision="bf16") == new


# --- flags that the parser does not know ----------------------------------------------------


def rewritten(path: Path, *changes: tuple[str, str, str | None], launches: bool = True) -> str:
    data = path.read_bytes()
    found = parse(data, str(path)).commands
    span = Span(str(path), 0, len(data), 1, 1, 1, 1)
    facts = Launches(tuple(Launch("python", (), None, c.words, span) for c in found))
    plan = edits_for(
        [Change(field, old, new, WHY) for field, old, new in changes],
        RunConfig(files=(str(path),)),
        lambda file: Path(file).read_bytes(),
        launches=facts if launches else None,
    )
    if plan.refused:
        return plan.refused[0].en
    return apply_to(data, list(plan.edits)).decode()


@pytest.mark.parametrize("launches", [True, False])
@pytest.mark.parametrize(
    ("old", "changes", "new"),
    [
        ("p t.py --lrr 1 --b\n", [("flag:--lrr", "--lrr", "--lr")], "p t.py --lr 1 --b\n"),
        ("p t.py --lrr=1\n", [("flag:--lrr", "--lrr", "--lr")], "p t.py --lr=1\n"),
        (
            "p t.py \\\n  --bf16 true \\\n  --b\n",
            [("flag-value:--bf16", "true", None)],
            "p t.py \\\n  --bf16 \\\n  --b\n",
        ),
        ("p t.py --bf16=true\n", [("flag-value:--bf16", "true", None)], "p t.py --bf16\n"),
        (
            "p t.py --bf16 false\n",
            [("flag-value:--bf16", "false", "--no-bf16")],
            "p t.py --no-bf16\n",
        ),
        (
            "p t.py \\\n  --bf16 false \\\n  --b\n",
            [("flag-value:--bf16", "false", None), ("flag:--bf16", "--bf16", None)],
            "p t.py \\\n  --b\n",
        ),
        ("p t.py --a 1 --no-x\n", [("flag:--no-x", "--no-x", None)], "p t.py --a 1\n"),
        (
            "A=(\n  --a 1  # first\n  --x --b\n)\np t.py ${A[@]}\n",
            [("flag:--x", "--x", None)],
            "A=(\n  --a 1  # first\n  --b\n)\np t.py ${A[@]}\n",
        ),
        ("p t.py --a 1\n", [("flag:--x", "--x", None)], "--x: not found in the launch script"),
        (
            "p t.py --bf16 false\n",
            [("flag-value:--bf16", "true", None)],
            "--bf16: it has another value by now",
        ),
    ],
)
def test_flags(
    tmp_path: Path, old: str, changes: list[tuple[str, str, str | None]], new: str, launches: bool
) -> None:
    path = tmp_path / "run.sh"
    path.write_text(old)
    assert rewritten(path, *changes, launches=launches) == new


def test_two_flags_at_once(tmp_path: Path) -> None:
    path = tmp_path / "run.sh"
    path.write_text("p t.py --lrr 1 --bf16 true\n")
    changes = [("flag:--lrr", "--lrr", "--lr"), ("flag-value:--bf16", "true", None)]
    assert rewritten(path, *changes) == "p t.py --lr 1 --bf16\n"
