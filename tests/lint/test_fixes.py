"""What fixes write, in each syntax; that nothing else changes is tried in ``conftest``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from medic.commands import main
from medic.edits import changed
from medic.lint.found import LintFinding

pytestmark = pytest.mark.usefixtures("state")  # what is written is written down there

Lint = Callable[..., tuple[LintFinding, ...]]

HF = (
    "# tuning\n"
    "model_name_or_path: org/model\n"
    "per_device_train_batch_size: 4\n"
    "learning_rate: 2.0e-5\n"
    "dataloader_num_workers: 4\n"
)
ENGINE = (
    "{\n"
    '  "train_micro_batch_size_per_gpu": 4,\n'
    '  "zero_optimization": {"stage": 2},\n'
    '  "bf16": {"enabled": true}\n'
    "}\n"
)
TITAN = (
    '[model]\nname = "llama3"\nflavor = "8B"\n\n'
    "[training]\nlocal_batch_size = 1\nseq_len = 2048\nsteps = 100\n"
)
MEGATRON = (
    "torchrun --nproc_per_node 8 pretrain_gpt.py \\\n"
    "  --num-layers 4 --hidden-size 256 --num-attention-heads 4 --seq-length 512 \\\n"
    "  --max-position-embeddings 512 --micro-batch-size 2 --lr 1e-4 --bf16 \\\n"
    "  --train-iters 100\n"
)
LIGHTNING = (
    "trainer:\n  accelerator: gpu\n  gradient_clip_val: 1.0\n  max_epochs: 3\nseed_everything: 1\n"
)
AXOLOTL = (
    "base_model: org/model\ndatasets:\n  - path: some/data\n    type: alpaca\n"
    "micro_batch_size: 2\ngradient_accumulation_steps: 4\nnum_epochs: 1\nlearning_rate: 0.0002\n"
    "attn_implementation: sdpa\n"
    "warmup_ratio: 0.05\nbf16: true\n"
)
YAML, SAFE, UNSAFE = "c.yaml", True, False
# name of the file, what is clean, what replaces what in it, the same after the fix, safe
ROWS = [
    (YAML, HF, "", "evaluation_strategy: epoch  # x\n", "eval_strategy: epoch  # x\n", UNSAFE),
    (YAML, HF, "", "'evaluation_strategy': epoch\n", "'eval_strategy': epoch\n", UNSAFE),
    (YAML, HF, "", "adafactor: true\n", "optim: adafactor\n", UNSAFE),
    (YAML, HF, "", "logging_steps: 0\n", 'logging_steps: 0\nlogging_strategy: "no"\n', SAFE),
    (YAML, HF, "", "optim: adamw_torhc\n", "optim: adamw_torch\n", UNSAFE),
    (YAML, HF, "", "group_by_length: true\n", "train_sampling_strategy: group_by_length\n", UNSAFE),
    (YAML, HF, "2.0e-5", "1e-5", "1.0e-5", SAFE),
    (YAML, HF, "2.0e-5", "1E3  # x", "1.0E+3  # x", SAFE),
    (YAML, HF, "2.0e-5", "1.5e5", "1.5e+5", SAFE),
    (YAML, HF, "", "seed: 1\nseed: 1\n", "seed: 1\n", SAFE),
    (YAML, HF, "", "seed: 1  # a\n# b\nseed: 2\n", "# b\nseed: 2\n", UNSAFE),
    (YAML, HF, "", "x:\n  a: 1\n  b: 1\nx:\n  a: 1\n", "x:\n  a: 1\n", UNSAFE),
    (YAML, HF, "", "x: {a: 1, b: 2, a: 3}\n", "x: {b: 2, a: 3}\n", UNSAFE),
    (YAML, LIGHTNING, "  max", "  gpus: [0, 1]\n  max", "  devices: [0, 1]\n  max", UNSAFE),
    (YAML, LIGHTNING, "  max", "  tpu_cores: 8\n  max", "  devices: 8\n  max", UNSAFE),
    (YAML, LIGHTNING, "  max", "  weights_summary: top\n  max",
     "  enable_model_summary: true\n  max", UNSAFE),
    (YAML, LIGHTNING, "  max", "  precision: fp16\n  max", '  precision: "16-mixed"\n  max', UNSAFE),
    (YAML, LIGHTNING, "  max", "  strategy: zero_3\n  max",
     "  strategy: deepspeed_stage_3\n  max", UNSAFE),
    (YAML, AXOLOTL, "", "max_packed_sequence_len: 2048\n",
     "sequence_len: 2048\nsample_packing: true\n", UNSAFE),
    (YAML, AXOLOTL, "datasets", "datsets", "datasets", UNSAFE),
    ("ds.json", ENGINE, '  "bf16"', '  "bf16": {"enabled": true},\n  "bf16"', '  "bf16"', SAFE),
    ("ds.json", ENGINE, '"stage": 2}', '"stage": 2, "cpu_offload": true}',
     '"stage": 2, "offload_optimizer": {"device": "cpu"}}', UNSAFE),
    ("ds.json", ENGINE, "optimization", "optimisation", "optimization", UNSAFE),
    ("t.toml", TITAN, "steps = 100", 'steps = 100\ndtype = "bf16"  # x',
     'steps = 100\ndtype = "bfloat16"  # x', UNSAFE),
    ("t.toml", TITAN, "steps = 100", 'steps = 100\ndtype = "amp_bf16"',
     'steps = 100\ndtype = "bfloat16"', UNSAFE),
    ("t.toml", TITAN, "100\n", '100\n\n[activation_checkpoint]\nmode = "memory_budget"\n',
     '100\n\n[activation_checkpoint]\nmode = "memory_budget"\n\n[compile]\nenable = true\n',
     UNSAFE),
    (YAML, "ARGS:\n  --num-layers: 4\n  --train-iters: 9\n  --micro-batch-size: 1\n", "  --num",
     "  --rotary-base: 1000\n  --num",
     "  --rotary-base: 1000\n  --position-embedding-type: rope\n  --num", UNSAFE),
    ("run.sh", MEGATRON, "--bf16", "--bf16 --sequence-parallel", "--bf16", SAFE),
    ("run.sh", MEGATRON, "--micro-batch-size 2", "--batch-size 2", "--micro-batch-size 2", UNSAFE),
    ("run.sh", MEGATRON, "--bf16 \\\n", "--bf16 \\ \n", "--bf16 \\\n", SAFE),
    ("run.sh", MEGATRON, "--train-iters 100",
     "--train-iters 100 --overlap-param-gather --overlap-grad-reduce",
     "--train-iters 100 --overlap-param-gather --overlap-grad-reduce "
     "--use-distributed-optimizer", UNSAFE),
]  # fmt: skip


def after(finding: LintFinding) -> str:
    """The file once the finding's fix is written."""
    assert finding.fix is not None
    assert finding.fix.patch is not None
    return changed(finding.file, finding.fix.patch.edits, Path(finding.file).read_bytes()).decode()


@pytest.mark.parametrize(("name", "clean", "old", "broken", "fixed", "safe"), ROWS)
def test_what_is_written(
    lint_text: Lint, name: str, clean: str, old: str, broken: str, fixed: str, safe: bool
) -> None:
    assert old in clean
    text, wanted = (clean.replace(old, new) if old else clean + new for new in (broken, fixed))
    offered = [(after(f), f.fix.safe) for f in lint_text(text, name) if f.fix]
    assert (wanted, safe) in offered


@pytest.mark.parametrize(
    ("name", "clean", "old", "broken"),
    [
        (YAML, HF, "", "eval_strategy: epo\n"),  # near nothing
        (YAML, HF, "", "logging_strategy: stepchs\n"),  # steps or epoch
        ("t.toml", TITAN, "100\n", '100\n[activation_checkpoint]\nmode = "no"\n'),  # or full?
        (YAML, HF, "num_workers: 4", "prefetch_factor: 2"),
        (YAML, HF, "", "adafactor: true\noptim: adamw_torch\n"),  # which of the two?
        (YAML, LIGHTNING, "  max", "  gpus: 4\n  devices: 8\n  max"),
        (YAML, LIGHTNING, "  max", "  weights_summary: full\n  max"),
        ("run.sh", MEGATRON, "--train-iters 100", "--train-iters 100 --train-samples 1000"),
        ("run.sh", MEGATRON, "--train-iters 100", "--train-iters 100  # all\n  --bf16"),
    ],
)
def test_no_repair_is_invented(
    lint_text: Lint, name: str, clean: str, old: str, broken: str
) -> None:
    found = lint_text(clean.replace(old, broken) if old else clean + broken, name)
    offered = [f.name for f in found if f.fix and f.fix.repair]
    assert found
    assert offered == []


def test_a_key_that_belongs_elsewhere(lint_text: Lint) -> None:
    text = LIGHTNING.replace("  max", "  resume_from_checkpoint: a.ckpt\n  max")
    (found,) = lint_text(text)
    assert after(found) == LIGHTNING + "ckpt_path: a.ckpt\n"


def test_a_trainers_engine_leaves_its_values_to_the_trainer(lint_text: Lint) -> None:
    more = {"ds.json": ENGINE.replace("4,", "2,")}
    (found,) = lint_text(HF + "bf16: true\ndeepspeed: ds.json\n", YAML, more)
    assert found.fix is not None
    assert not found.fix.safe
    assert '+  "train_micro_batch_size_per_gpu": "auto",' in found.fix.diff


def test_comments_in_a_command_stand_above_it(lint_text: Lint) -> None:
    text = MEGATRON.replace("  --train", "  # --fp16 \\\n\n  # longer\n  --train")
    (found,) = [f for f in lint_text("cd x\n" + text, "run.sh") if f.fix]
    assert after(found) == "cd x\n# --fp16 \\\n# longer\n" + MEGATRON


@pytest.mark.parametrize(
    ("name", "text", "fixed"),
    [
        (YAML, HF + "seed: 1\nseed: 2\nseed: 3\n", HF + "seed: 3\n"),
        ("ds.json", ENGINE.replace('"bf16"', '"x": 1, "x": 2, "x": 3, "bf16"'),
         ENGINE.replace('"bf16"', '"x": 3, "bf16"')),
        ("run.sh", MEGATRON.rstrip("\n") + " --overlap-param-gather\n",
         MEGATRON.rstrip("\n") + " --overlap-param-gather --use-distributed-optimizer"
         " --overlap-grad-reduce\n"),
    ],
)  # fmt: skip
def test_fixes_of_one_place_are_written_together(
    tmp_path: Path, name: str, text: str, fixed: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    main(["lint", str(path), "--fix", "--unsafe-fixes"])
    assert path.read_text() == fixed


def test_windows_lines_stay(
    lint_text: Lint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (HF + "logging_steps: 0\nadamw: 1\n").replace("\n", "\r\n")
    path = tmp_path / "w.yaml"
    path.write_bytes(text.encode())
    assert main(["lint", str(path), "--fix", "--exit-zero"]) == 0
    assert path.read_bytes().decode() == text.replace("adamw", 'logging_strategy: "no"\r\nadamw')
    assert main(["undo"]) == 0
    assert path.read_bytes().decode() == text


def test_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Safe fixes are written without a word more; ``undo`` restores byte for byte."""
    monkeypatch.chdir(tmp_path)
    files = {"c.yaml": HF + "logging_steps: 0\noptim: adamw_torhc\n", "ds.json": ENGINE}
    files["ds.json"] = ENGINE.replace('"stage": 2', '"stage": 2, "stage": 2')
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    paths = [str(tmp_path / name) for name in files]
    main(["lint", *paths])
    assert "[*] fixable with --fix: 2 (with --unsafe-fixes: 1 more)" in capsys.readouterr().err
    assert main(["lint", *paths, "--diff", "--unsafe-fixes"]) == 1
    out = capsys.readouterr().out
    assert all(f"+++ {path}" in out for path in paths)
    assert "-optim: adamw_torhc" in out
    main(["lint", *paths, "--fix"])
    assert "adamw_torhc" in (tmp_path / "c.yaml").read_text()
    assert (tmp_path / "ds.json").read_text() == ENGINE
    main(["lint", *paths, "--fix", "--unsafe-fixes"])
    capsys.readouterr()
    assert (main(["lint", *paths]), capsys.readouterr().out) == (0, "")
    assert main(["undo"]) == 0
    assert main(["undo"]) == 0
    assert [(tmp_path / name).read_text() for name in files] == list(files.values())


def test_the_schedule_waits_for_the_batch(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its steps were counted in tokens of the batch that is being repaired."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "pretrain.yaml"
    path.write_text(
        "global_batch_size: 512\nmicro_batch_size: 4\ngradient_accumulation_steps: 8\n"
        "data_parallel_size: 8\nsequence_length: 4096\ntotal_tokens: 100B\ntotal_steps: 60000\n"
    )
    main(["lint", str(path), "--fix", "--unsafe-fixes"])
    assert "depend on these: run it again" in capsys.readouterr().err
    assert "gradient_accumulation_steps: 16" in path.read_text()
    assert "total_steps: 60000" in path.read_text()
    main(["lint", str(path), "--fix", "--unsafe-fixes"])
    assert f"total_steps: {100_000_000_000 // (512 * 4096)}" in path.read_text()
    capsys.readouterr()
    assert main(["lint", str(path)]) == 0


def test_what_is_left_after_the_fixes_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.sh"
    path.write_text(
        "torchrun --nproc_per_node 8 sft.py --model_name_or_path a \\\n"
        "  --per_device_train_batch_size -4 --output_dir out\n  --bf16 True\n",
        "utf-8",
    )
    assert main(["lint", str(path), "--fix", "--lang", "en"]) == 1
    shown = capsys.readouterr().out
    assert "+  --per_device_train_batch_size -4 --output_dir out \\" in shown
    assert "run.sh:2:33: impossible-value" in shown
    assert "command-cut-short" not in shown
