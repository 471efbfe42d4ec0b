"""A key that a fix adds is written as its neighbours are, and each place that changes is told."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
NEOX = """{
  Qpipe_parallel_sizeQ: 1,
  Qmodel_parallel_sizeQ: 1,
  Qnum_layersQ: 6,
  Qhidden_sizeQ: 512,
  Qnum_attention_headsQ: 8,
  Qseq_lengthQ: 2048,
  Qmax_position_embeddingsQ: 2048,
  QoptimizerQ: {QtypeQ: QAdamQ, QparamsQ: {QlrQ: 0.001}},
  Qtrain_micro_batch_size_per_gpuQ: 4,
  Qfp16Q: {QenabledQ: true, Qloss_scaleQ: 0},
  Qtrain_itersQ: 143000,
  Qwall_clock_breakdownQ: true,
}
"""


@pytest.mark.parametrize("quote", ['"', "'"])
def test_a_key_is_quoted_as_its_neighbours(lint_text: Lint, quote: str) -> None:
    found = lint_text(NEOX.replace("Q", quote), "19M.yml")
    [told] = [f for f in found if f.name == "fp16-overflow"]
    assert told.fix is not None
    assert told.fix.patch is not None
    added = f"{quote}bf16{quote}: {{{quote}enabled{quote}: true}}"
    assert f"\n+  {added},\n" in told.fix.patch.diff
    assert told.shown == (("fp16.enabled", "true", "false"), ("", "", added))
