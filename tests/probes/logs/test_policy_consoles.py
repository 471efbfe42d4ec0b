"""Consoles of reinforcement learning: dictionaries without a step or a loss, bars with metrics."""

from __future__ import annotations

from medic.probes.logs.prefix import Prefixes, message
from medic.probes.logs.steps import Step, Steps

ACTOR = "(ActorModelRayActor pid=8812) "


def read(*lines: str) -> list[Step | None]:
    steps, prefixes = Steps(), Prefixes()
    return [steps.read(message(prefixes.read(line).body)) for line in lines]


def test_dictionaries_with_a_policy_loss_are_counted() -> None:
    row = "{'policy_loss': -0.01, 'actor_lr': 5e-07, 'kl': 0.2, 'reward': 0.4}"
    first, second = read(ACTOR + row, ACTOR + row)
    assert first is not None
    assert second is not None
    assert (first.number, second.number) == (1, 2)
    assert first.values["reward"] == 0.4
    assert first.values["kl"] == 0.2


def test_a_dictionary_of_settings_is_no_step() -> None:
    assert read("{'reward': 0.4, 'kl': 0.1, 'temperature': 1.0}") == [None]


def bar(episode: int, at: int, rest: str) -> str:
    return f"{ACTOR}Episode [{episode}/2]:  10%|█  | {at}/10 [00:02<1:01:10, 121.2s/it{rest}]"


def test_the_bar_over_episodes_goes_on_in_the_next() -> None:
    found = read(*(bar(n, 3, f", policy_loss=-0.02, reward={n}.5") for n in (1, 2)))
    assert [step.number for step in found if step] == [3, 13]
    assert [step.values["reward"] for step in found if step] == [1.5, 2.5]


def test_bars_within_an_episode_begin_again_and_say_nothing() -> None:
    inner = f"{ACTOR}Train epoch [1/1]:  50%|█████     | 4/8 [00:02<00:02, 1.2it/s, kl=0.2]"
    assert read(bar(1, 3, ""), inner)[1] is None
    alone = read(inner)[0]
    assert alone is not None
    assert alone.values["kl"] == 0.2


def test_a_game_is_no_training_bar() -> None:
    assert read("Playing Episode 3: 10%|█  | 3/10 [00:02<00:10, 1.2s/it, reward=1.5]") == [None]
