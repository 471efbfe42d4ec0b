"""Releases of libraries that do not work beside each other are told before the launch."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from medic.facts import Machine, Release, Source
from medic.index.knowledge import load
from medic.preflight.result import Result, Scene
from medic.preflight.software import software

INDEX = load()


def told(installed: Mapping[str, str], **pinned: str) -> list[Result]:
    """The results on releases of a machine with these packages, and of files that pin these."""
    releases = {
        name: Release(version, version, Source(file="requirements.txt", line=number))
        for number, (name, version) in enumerate(pinned.items(), start=1)
    }
    scene = Scene(INDEX, machine=Machine(packages=installed, python="3.11"), releases=releases)
    return [result for result in software(scene) if result.name == "releases"]


def test_a_pair_that_does_not_work_is_named_in_both_languages() -> None:
    (found,) = told({"torch": "2.8.0", "peft": "0.17.1", "transformers": "5.5.0"})
    assert found.state == "not-ok"
    assert found.text.en.startswith("peft 0.17.1, transformers 5.5.0: This peft imports")
    assert found.text.zh.startswith("peft 0.17.1、transformers 5.5.0：该版本 peft")


def test_a_version_that_a_file_pins_is_told_at_its_line() -> None:
    (found,) = told({"torch": "2.4.1+cu121"}, deepspeed="0.14.0")
    assert found.state == "not-ok"
    assert (found.source.file, found.source.line) == ("requirements.txt", 1)


@pytest.mark.parametrize(
    "installed",
    [
        {"torch": "2.8.0", "peft": "0.18.1", "transformers": "5.5.0"},
        {"torch": "2.8.0", "peft": "0.17.1"},  # of a pair only one is there
        {"torch": "2.8.0", "transformers": "4.57.3"},  # a fault that only some runs meet
    ],
)
def test_nothing_is_said_of_what_works_or_is_not_known(installed: Mapping[str, str]) -> None:
    assert [result.state for result in told(installed)] == ["ok"]


def test_what_is_installed_counts_before_what_is_pinned() -> None:
    found = told({"torch": "2.4.1", "deepspeed": "0.15.4"}, deepspeed="0.14.0")
    assert [result.state for result in found] == ["ok"]
