"""Files that a script sources: their variables, lists and functions, told where they stand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePath

import pytest

from medic.case.collect import collect
from medic.commands import main
from medic.index.knowledge import load
from medic.lint.files import lint
from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
ARGS = "--tensor-model-parallel-size 1 --micro-batch-size 2 --bf16"
SCRIPT = (
    "#!/bin/bash\n#SBATCH --nodes=1\n#SBATCH --gpus-per-node=8\n"
    "{reads}\n"
    f"torchrun --nnodes=1 --nproc_per_node=$GPUS pretrain_gpt.py {ARGS} --global-batch-size $GBS\n"
)
ENV = "GPUS=8\nGBS={gbs}\n"
BATCH = "batch-not-divisible"


def _places(found: tuple[LintFinding, ...], name: str = BATCH) -> list[tuple[str, int]]:
    return [(PurePath(f.file).name, f.line) for f in found if f.name == name]


@pytest.mark.parametrize(
    "reads",
    [
        "source env.sh",
        ". ./env.sh",
        '. "$(dirname "$0")/env.sh"',
        'source "$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"/env.sh',
        'HERE=$(cd "$(dirname "$0")" && pwd)\nsource "$HERE/env.sh"',
        "source ${SLURM_SUBMIT_DIR}/env.sh",
        "set -a; source env.sh; set +a",
        "if [ -f env.sh ]; then source env.sh; fi",
        "[ -f ./env.sh ] && . ./env.sh",
    ],
)
def test_its_variables_are_read_where_they_stand(lint_text: Lint, reads: str) -> None:
    script = SCRIPT.format(reads=reads)
    found = lint_text(script, "run.sh", {"env.sh": ENV.format(gbs=100)})
    assert _places(found) == [("env.sh", 2)]
    assert not lint_text(script, "run.sh", {"env.sh": ENV.format(gbs=128)})


def test_it_need_not_be_given(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text(SCRIPT.format(reads=". conf/env.sh"))
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf/env.sh").write_text(ENV.format(gbs=100))
    found = lint(collect([str(tmp_path / "run.sh")]), load()).findings
    assert _places(found) == [("env.sh", 2)]
    (tmp_path / "conf/env.sh").unlink()
    assert not lint(collect([str(tmp_path / "run.sh")]), load()).findings


@pytest.mark.parametrize(
    "reads", ["source /opt/site/other.sh", 'source "$SITE/env.sh"', "source $F"]
)
def test_what_is_not_there_leaves_its_variables_unknown(lint_text: Lint, reads: str) -> None:
    assert not lint_text(SCRIPT.format(reads=reads), "run.sh", {"env.sh": ENV.format(gbs=100)})


def test_a_later_line_of_the_script_wins(lint_text: Lint) -> None:
    script = SCRIPT.format(reads="source env.sh\nGBS=128")
    assert not lint_text(script, "run.sh", {"env.sh": ENV.format(gbs=100)})
    script = SCRIPT.format(reads="GBS=128\nsource env.sh")
    found = lint_text(script, "run.sh", {"env.sh": ENV.format(gbs=100)})
    assert _places(found) == [("env.sh", 2)]


COMMON = (
    "run() {{\n"
    '  torchrun --nnodes=1 --nproc_per_node={n} pretrain_gpt.py "$@"\n'
    "}}\n"
    "other() {{\n  torchrun --nnodes=1 --nproc_per_node=7 pretrain_gpt.py --micro-batch-size 3\n}}\n"
)


@pytest.mark.parametrize(("gbs", "places"), [(128, []), (100, [("run.sh", 2)])])
def test_a_function_is_a_launch_of_who_calls_it(
    lint_text: Lint, gbs: int, places: list[tuple[str, int]]
) -> None:
    script = f"source common.sh\nrun {ARGS} --global-batch-size {gbs}\n"
    found = lint_text(script, "run.sh", {"common.sh": COMMON.format(n=8)})
    assert _places(found) == places


def test_a_list_has_the_places_of_its_words(lint_text: Lint) -> None:
    more = {"args.sh": f"ARGS=(\n  {ARGS}\n  --global-batch-size 100\n)\n"}
    script = 'source args.sh\ntorchrun --nproc_per_node 8 pretrain_gpt.py "${ARGS[@]}"\n'
    assert _places(lint_text(script, "run.sh", more)) == [("args.sh", 3)]


LISTS = (
    "#!/bin/bash\nsource model.sh\nPERF_ARGS=(--bf16)\nOPT_ARGS=(--lr 1e-4)\n"
    "torchrun --nproc_per_node 8 train.py ${MODEL_ARGS[@]} ${PERF_ARGS[@]} ${OPT_ARGS[@]}\n"
)
UNSET = "unset-variable-takes-flag"


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("MODEL_ARGS=(--num-layers 2)\n", []),
        ('if [ "$SIZE" = 4B ]; then\n  MODEL_ARGS=(--num-layers 2)\nfi\n', []),
        ("MODEL_ARGZ=(--num-layers 2)\n", [("run.sh", 5)]),
    ],
)
def test_a_list_that_it_sets_is_set(
    lint_text: Lint, text: str, places: list[tuple[str, int]]
) -> None:
    assert _places(lint_text(LISTS, "run.sh", {"model.sh": text}), UNSET) == places


def test_an_inner_script_reads_it_too(lint_text: Lint) -> None:
    script = (
        "srun bash -c 'source env.sh; torchrun --nnodes=1 --nproc_per_node=$GPUS pretrain_gpt.py "
        f"{ARGS} --global-batch-size $GBS'\n"
    )
    found = lint_text(script, "run.sh", {"env.sh": ENV.format(gbs=100)})
    assert _places(found) == [("env.sh", 2)]


def test_files_that_read_each_other_end(lint_text: Lint) -> None:
    more = {"env.sh": f"source b.sh\n{ENV.format(gbs=100)}", "b.sh": "source env.sh\nsource b.sh\n"}
    found = lint_text(SCRIPT.format(reads="source env.sh"), "run.sh", more)
    assert _places(found) == [("env.sh", 3)]


WRITES = (
    "{sets}\ncat > ds.{kind} <<{end}\n{text}\nEOF\n"
    "deepspeed --num_gpus 8 train.py --deepspeed ds.{kind} --output_dir out\n"
)
JSON = (
    '{"train_micro_batch_size_per_gpu": $MBS,\n "gradient_accumulation_steps": ${GA:-2},\n'
    ' "train_batch_size": $((TOTAL)), "zero_optimization": {"stage": 2}}'
)


@pytest.mark.parametrize(
    ("sets", "end", "fires"),
    [
        ("MBS=4; TOTAL=64", "EOF", False),
        ("MBS=4; TOTAL=128", "EOF", True),
        ("MBS=4; TOTAL=128; GA=4", "EOF", False),
        ("MBS=$1; TOTAL=128", "EOF", False),  # not known
        ("MBS=4; TOTAL=$(wc -l < a)", "EOF", False),
    ],
)
def test_what_a_script_writes_is_filled_in(
    lint_text: Lint, sets: str, end: str, fires: bool
) -> None:
    text = WRITES.format(sets=sets, kind="json", end=end, text=JSON)
    found = [f for f in lint_text(text, "run.sh") if f.name == "train-batch-mismatch"]
    assert [f.line for f in found] == ([5] if fires else [])


@pytest.mark.parametrize(("heads", "fires"), [(32, False), (30, True)])
@pytest.mark.parametrize("kind", ["yaml", "quoted"])
def test_a_yaml_that_a_script_writes(lint_text: Lint, heads: int, fires: bool, kind: str) -> None:
    value = '"${HEADS}"' if kind == "quoted" else "${HEADS}"
    text = (
        f"HEADS={heads}\ncat > c.yaml <<EOF\nmodel:\n  hidden_size: 4096\n"
        f"  num_attention_heads: {value}\n  num_layers: 2\nEOF\n"
        "python train.py --config c.yaml\n"
    )
    names = [f.name for f in lint_text(text, "run.sh")]
    assert ("hidden-size-not-divisible-by-heads" in names) == fires


def test_a_flag_of_a_sourced_list_is_mended_there(lint_text: Lint) -> None:
    flags = "--num-layers 2 --hidden-size 64 --num-attention-heads 4 --lr-warmup-iterz 10"
    more = {"args.sh": f"ARGS=(\n  {ARGS}\n  {flags}\n)\n"}
    script = 'source args.sh\ntorchrun --nproc_per_node 8 pretrain_gpt.py "${ARGS[@]}"\n'
    (found,) = [f for f in lint_text(script, "run.sh", more) if f.name == "misspelt-flag"]
    assert (PurePath(found.file).name, found.line) == ("args.sh", 3)
    assert found.fix is not None
    assert found.fix.patch is not None
    assert [PurePath(edit.file).name for edit in found.fix.patch.edits] == ["args.sh"]


@pytest.mark.parametrize(
    ("condition", "fires"),
    [("-f env.sh", True), ("-f state.txt", False), ("-f absent.sh", False), ("! -f env.sh", False)],
)
def test_only_files_of_variables_are_known_to_be_there(
    lint_text: Lint, condition: str, fires: bool
) -> None:
    script = SCRIPT.format(reads=f"GPUS=8\nGBS=128\nif [ {condition} ]; then GBS=100; fi")
    more = {"env.sh": "A=1\n", "state.txt": "1\n"}
    assert bool(_places(lint_text(script, "run.sh", more))) == fires


def test_a_script_that_is_only_asked_for_is_a_launch_of_its_own(lint_text: Lint) -> None:
    inner = f"torchrun --nproc_per_node 8 pretrain_gpt.py {ARGS} --global-batch-size 100\n"
    script = "if [ -f inner.sh ]; then bash inner.sh; fi\n"
    assert _places(lint_text(script, "run.sh", {"inner.sh": inner})) == [("inner.sh", 1)]


def test_what_makes_tools_ready_is_not_read(lint_text: Lint) -> None:
    script = SCRIPT.format(reads="GPUS=8\nGBS=128\nsource venv-activate")
    assert not lint_text(script, "run.sh", {"venv-activate": "GBS=100\n"})


def test_what_was_read_beside_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run.sh").write_text(SCRIPT.format(reads=". env.sh"))
    (tmp_path / "env.sh").write_text(ENV.format(gbs=128))
    monkeypatch.chdir(tmp_path)
    assert main(["--lang", "en", "lint", "run.sh"]) == 0
    assert "also read, as a file names it: env.sh" in capsys.readouterr().err
    main(["--lang", "en", "lint", "run.sh", "env.sh"])
    assert "also read" not in capsys.readouterr().err
