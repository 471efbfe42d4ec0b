"""torchtitan cuts its local batch into micro batches of its own for the pipeline."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
NAME = "pipeline-mostly-idle"
TEXT = """[job]
dump_folder = "out"
[training]
local_batch_size = 8
seq_len = 4096
steps = 100
[parallelism]
pipeline_parallel_degree = 4
pipeline_parallel_microbatch_size = 1
"""


@pytest.mark.parametrize(
    ("old", "new", "fires"),
    [
        ("", "", False),
        ("microbatch_size = 1", "microbatch_size = 4", True),
        ("local_batch_size = 8", "local_batch_size = 2", True),
        ("pipeline_parallel_microbatch_size = 1\n", "", False),
        ("local_batch_size = 8", "batch_size = 2", False),
    ],
)
def test_micro_batches_of_the_local_batch(lint_text: Lint, old: str, new: str, fires: bool) -> None:
    found = [(f.name, f.line) for f in lint_text(TEXT.replace(old, new), "a.toml")]
    assert found == ([(NAME, 8)] if fires else [])
