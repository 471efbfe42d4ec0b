"""Whether the settings hold a policy near its reference."""

from __future__ import annotations

from time import process_time
from typing import Any

import pytest
from medic.probes.config import kl_term

from medic.probe import Finding


@pytest.mark.parametrize(
    ("name", "text", "outcome"),
    [
        ("grpo.yaml", "num_generations: 8\nbeta: 0.0\n", "none"),
        ("grpo.yaml", "num_generations: 8\nbeta: 0.04\n", "present"),
        ("dpo.yaml", "beta: 0.1\nloss_type: sigmoid\n", None),
        ("run.sh", "python3 -m verl.trainer.main_ppo a.use_kl_loss=False \\\n  b.kl_coef=0.001\n", "none"),
        ("run.sh", "x a.use_kl_loss=False algorithm.use_kl_in_reward=True\n", "present"),
        ("run.sh", "openrlhf.cli.train_ppo_ray --init_kl_coef 0.01 --bf16\n", "present"),
        ("run.sh", "# --init_kl_coef 0\ntorchrun train.py\n", None),
    ],
)  # fmt: skip
def test_the_kl_term_as_it_is_stated(look: Any, name: str, text: str, outcome: str | None) -> None:
    seen = look({name: text})
    found = [f for f in kl_term.run(seen) if isinstance(f, Finding)]
    assert [f.outcome for f in found] == ([outcome] if outcome else [])


def test_a_value_with_many_blanks_behind_it_takes_no_time(look: Any) -> None:
    begun = process_time()
    list(kl_term.run(look({"grpo.yaml": "grpo: true\nbeta: 0.1" + 30_000 * " " + "x\n"})))
    assert process_time() - begun < 3.0
