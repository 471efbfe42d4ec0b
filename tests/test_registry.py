"""What a wheel carries of the probes is what they declare."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from medic.case.collect import collect
from medic.index.knowledge import Index, load
from medic.lint.files import lint
from medic.probe import Probe
from medic.run_config import RunConfig
from medic.runner import registry
from medic.runner.registry import ROOMS, all_probes, imported, read, written
from medic.runner.run import with_needs

TABLE = json.loads(json.dumps(written(imported())))


@pytest.mark.parametrize("rooms", [(), ROOMS, ("memory_estimate",), ("gpu", "host")])
def test_what_is_written_is_read(rooms: tuple[str, ...]) -> None:
    def declared(probe: Probe) -> dict[str, object]:
        return {f.name: getattr(probe, f.name) for f in fields(probe) if f.name != "run"}

    table = sorted(read(TABLE, rooms), key=lambda probe: probe.name)
    assert [declared(p) for p in table] == [declared(p) for p in all_probes(rooms)]


@pytest.mark.parametrize("rooms", [(), ROOMS])
@pytest.mark.parametrize("name", ["memory-estimate", "config-checks"])
def test_a_table_gives_what_a_probe_builds_on(
    monkeypatch: pytest.MonkeyPatch, rooms: tuple[str, ...], name: str
) -> None:
    whole = with_needs([name], all_probes(rooms))
    monkeypatch.setattr(registry, "_table", lambda: TABLE)
    some = all_probes.__wrapped__(rooms, (name,))
    assert [p.name for p in some] == [p.name for p in whole]
    assert len(some) < len(all_probes(rooms))


def test_a_probe_of_the_table_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    files = {"a.yaml": "model:\n  hidden_size: 100\n  num_heads: 7\n", "b.sh": "python t.py --lr\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    paths = [str(tmp_path / name) for name in files]
    raw = load().raw  # an index keeps the probes that it was asked with
    for given in (paths, paths[:1], paths[1:]):
        plain = lint(collect(given), Index(raw), None)
        with monkeypatch.context() as one:
            one.setattr("medic.lint.files.all_probes", lambda rooms: tuple(read(TABLE, rooms)))
            late = lint(collect(given), Index(raw), None)
        assert late.findings == plain.findings
        assert late.not_checked == plain.not_checked
        assert late.passed == plain.passed


LOOKS = [probe for probe in all_probes() if probe.files]


@pytest.mark.parametrize("probe", LOOKS, ids=lambda probe: probe.name)
def test_without_files_of_its_kinds_a_probe_says_what_it_declares(
    probe: Probe, look: Callable[..., Any], tmp_path: Path
) -> None:
    """The runner says it in its place."""
    names = {"config": "a.yaml", "script": "a.sh", "python": "a.py", "log": "a.log"}
    texts = {"config": "lr: 1\n", "script": "python a.py\n", "python": "x = 1\n", "log": "hello\n"}
    others = [kind for kind in names if kind not in probe.files]
    given = look(
        {names[kind]: texts[kind] for kind in others},
        facts=[RunConfig()],
        kinds={names[kind]: kind for kind in others},
    )
    assert list(probe.run(given)) == list(probe.without)


def test_a_function_without_a_place_is_no_run() -> None:
    with pytest.raises((ValueError, AttributeError)):
        written([Probe("lambda", (), lambda look: iter(()))])


def test_a_lint_of_one_configuration_leaves_the_rest(tmp_path: Path) -> None:
    """Neither the checks that cannot be made nor what reads scripts is imported."""
    compiled = tmp_path / "compiled"
    compiled.mkdir()
    (compiled / f"{registry.TABLE}.json").write_text(json.dumps(TABLE))
    (tmp_path / "a.yaml").write_text("num_workers: 0\n")
    code = (
        "import sys, medic.knowledge, medic.runner.registry\n"
        "from medic.index.knowledge import load\n"
        "index = load()\n"
        f"medic.knowledge.__path__ = [{str(tmp_path)!r}]\n"
        "from medic.lint.files import lint\n"
        "from medic.case.collect import collect\n"
        f"print([f.name for f in lint(collect([{str(tmp_path / 'a.yaml')!r}]), index).findings])\n"
        "print(*sys.modules)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found, loaded = ran.stdout.splitlines()
    assert found == "['slow-data-loader']"
    modules = set(loaded.split())
    assert "medic.probes.config.checks.slow_data_loader" in modules
    assert "medic.probes.config.checks.batch_not_divisible" not in modules
    assert not [
        m for m in modules if m.startswith(("medic.probes.flags.script", "medic.probes.gpu"))
    ]
