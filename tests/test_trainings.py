"""Several trainings in one folder: which log is of which configuration, and what is looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.errors import UsageError
from medic.text.namesakes import called_alike, named_in, namesakes, words_of, writers

PT = "output_dir: out/pt\nlearning_rate: 3.0e-4\nmax_steps: 2000\ncutoff_len: 2048\n"
SFT = "output_dir: out/sft\nlearning_rate: 1.0e-5\nmax_steps: 400\ncutoff_len: 4096\n"
ROW = "{'loss': 2.1, 'learning_rate': 1e-05, 'epoch': 0.1}\n"
STAGES = {
    "by-name": {"pretrain.yaml": PT, "sft.yaml": SFT, "pt.log": ROW, "train_sft.log": ROW},
    "by-number": {"stage1.yaml": PT, "stage_2.yaml": SFT, "stage1.log": ROW, "stage2.log": ROW},
    "by-command": {
        "a.yaml": PT,
        "b.yaml": SFT,
        "first.log": "$ llamafactory-cli train a.yaml\n" + ROW,
        "second.log": "$ llamafactory-cli train b.yaml\n" + ROW,
    },
    "by-folder": {
        "run.sh": "bash all.sh\n",
        "stage1/config.yaml": PT,
        "stage1/logs/train.log": ROW,
        "stage2/config.yaml": SFT,
        "stage2/train.log": ROW,
    },
    "by-what-writes-it": {
        "all.sh": "python train.py --output_dir out/pt --max_steps 2000 2>&1 | tee logs/x.log\n"
        "python train.py --output_dir out/sft \\\n  --max_steps 400 > logs/y.log\n",
        "logs/x.log": ROW,
        "logs/y.log": ROW,
    },
    "by-the-words-of-a-command": {
        "all.sh": "python train.py --output_dir out/pt --max_steps 2000\n"
        "python train.py --init_from weights/pt --output_dir out/sft --max_steps 400\n",
        "logs/pretrain.log": ROW,
        "logs/sft.log": ROW,
    },
}


def _folder(root: Path, files: dict[str, str]) -> str:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return str(root)


def _names(case: object) -> set[str]:
    return {Path(f.path).name for f in case.files}  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", STAGES)
def test_each_training_is_looked_at_alone(tmp_path: Path, kind: str) -> None:
    root = _folder(tmp_path, STAGES[kind])
    case = collect([root])
    assert len(case.runs) == 2
    assert case.run == case.runs[0]
    logs = [[f.path for f in collect([root], run=r).files if f.kind == "log"] for r in case.runs]
    assert [len(one) for one in logs] == [1, 1]
    assert logs[0] != logs[1]
    configs = [
        [f.path for f in collect([root], run=r).files if f.kind == "config"] for r in case.runs
    ]
    assert all(len(c) == ("all.sh" not in STAGES[kind]) for c in configs)
    assert "all.sh" in STAGES[kind] or configs[0] != configs[1]
    with pytest.raises(UsageError, match="no run"):
        collect([root], run="third")


def test_what_begins_with_the_other_s_weights_is_the_last(tmp_path: Path) -> None:
    """Whenever the files were copied."""
    files = {"b.yaml": PT, "a.yaml": SFT + "model_name_or_path: ./out/pt\n"}
    files |= {"b.log": ROW, "a.log": ROW, "out/pt/trainer_state.json": '{"log_history": []}'}
    root = _folder(tmp_path, files)
    case = collect([root])
    assert case.runs == ("a", "b")
    assert _names(case) == {"a.yaml", "a.log"}
    assert _names(collect([root], run="b")) == {"b.yaml", "b.log", "trainer_state.json"}


@pytest.mark.parametrize(
    "files",
    [
        {"run1.yaml": PT, "config.yaml": PT + "resume: x\n", "train_run1.log": ROW, "run2.log": ROW},
        {"node0.sh": "torchrun --node_rank 0 t.py --output_dir a\n",
         "node1.sh": "torchrun --node_rank 1 t.py --output_dir b\n", "node0.log": ROW, "node1.log": ROW},
        {"try1.yaml": "lr: 1e-3\nsteps: 10\nbs: 1\n", "try2.yaml": "lr: 1e-4\nsteps: 10\nbs: 1\n",
         "try1.log": ROW, "try2.log": ROW},
        {"a.yaml": PT, "b.yaml": SFT + "resume_from_checkpoint: out/pt/checkpoint-9\n",
         "a.log": ROW, "b.log": ROW},
        {"ds_z2.json": '{"zero_optimization": {"stage": 2}}', "train.yaml": PT,
         "rank0.log": ROW, "rank1.log": ROW},
        {"pretrain.yaml": PT, "sft.yaml": SFT, "one.log": ROW, "two.log": ROW},
    ],
)  # fmt: skip
def test_starts_and_processes_of_one_run_stay_together(
    tmp_path: Path, files: dict[str, str]
) -> None:
    case = collect([_folder(tmp_path, files)])
    assert case.runs == ()
    assert len(case.files) == len(files)


def test_names() -> None:
    assert words_of("logs/train_stage-1.8812345.log") == words_of("stage1.yaml") == {"stage", "1"}
    assert words_of("config.yaml") == words_of("slurm-123456.out") == frozenset()
    assert namesakes(["lr1e-4.log"], ["lr1e-4.yaml", "lr3e-4.yaml"]) == {
        "lr1e-4.log": ("lr1e-4.yaml",)
    }
    assert namesakes(["train.log"], ["config.yaml"]) == {}
    assert named_in("train configs/sft.yaml", ["a/sft.yaml", "a/my_sft.yaml"]) == ("a/sft.yaml",)
    assert named_in("train configs/my-sft.yaml", ["a/sft.yaml"]) == ()
    assert [w.log for w in writers("a > x.log\n# b > y.log\n", ["x.log", "y.log"])] == ["x.log"]


@pytest.mark.parametrize(
    "script",
    [
        "python train.py --out pt\npython train.py --out rm\n",  # whose sft.log it is, nobody says
        "python train.py --init pt --out sft\npython train.py --init sft --out pt\n",
        "python train.py --out sft\npython train.py --out pt\npython eval.py --of pt\n",
        "echo pt\necho sft\n",
    ],
)
def test_commands_whose_words_tell_no_log(script: str) -> None:
    assert not called_alike(script, ["pt.log", "sft.log"])
