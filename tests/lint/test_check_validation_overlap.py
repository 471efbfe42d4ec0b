"""Validation that reads what the training reads."""

from __future__ import annotations

from collections.abc import Callable

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
NEOX = (
    '{\n  "num-layers": 12,\n  "hidden-size": 768,\n  "num-attention-heads": 12,\n'
    '  "seq-length": 2048,\n  "max-position-embeddings": 2048,\n'
    '  "train_micro_batch_size_per_gpu": 4,\n  "train-iters": 1000,\n  "lr-decay-iters": 1000,\n'
    '  "train-data-paths": ["/job/a"],\n  "valid-data-paths": ["/job/b"],\n'
    '  "test-data-paths": ["/job/c"]\n}\n'
)


def test_the_same_path_is_told(lint_text: Lint) -> None:
    def told(text: str) -> list[int]:
        return [
            f.line for f in lint_text(text, "a.yml") if f.name == "validation-overlaps-training"
        ]

    assert told(NEOX) == []
    assert told(NEOX.replace('["/job/b"]', '["/job/a"]')) == [11]


def test_files_of_tokens(lint_text: Lint) -> None:
    """nanoGPT's kind of data: the ending says that it is samples."""
    text = "block_size: 256\ntrain_bin: /data/small.bin\nval_bin: /data/{}.bin\nmax_iters: 100\n"
    for name, lines in (("small", [3]), ("val", [])):
        found = lint_text(text.format(name), "config.yaml")
        assert [f.line for f in found if f.name == "validation-overlaps-training"] == lines


def test_data_that_names_no_side(lint_text: Lint) -> None:
    """--data-path beside --valid-data-path is what is trained on, unless a split parts the two."""
    text = (
        "python pretrain.py --train-iters 200 --data-path /d/code/train.bin {}"
        "--valid-data-path /d/code/{}.bin\n"
    )
    for more, name, count in (("", "train", 1), ("", "val", 0), ("--split 95,5 ", "train", 0)):
        found = lint_text(text.format(more, name), "run.sh")
        assert sum(f.name == "validation-overlaps-training" for f in found) == count
