"""What a hand-over says was not checked: what would tell of the suspects comes first."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from medic.tui.looked import gap_lines

from medic.i18n import Text, plain
from medic.probe import Skip


def run(needs: str, *checks: str, tells: tuple[str, ...] = ()) -> Any:
    skips = [Skip(plain(needs), check=check) for check in checks] or [Skip(plain(needs))]
    return SimpleNamespace(skips=skips, probe=SimpleNamespace(tells=tells))


def session(shows: tuple[str, ...], links: tuple[str, ...]) -> Any:
    index = SimpleNamespace(
        causes={"hang": SimpleNamespace(shows=[SimpleNamespace(symptom=s) for s in shows])},
        links=lambda _cause: [SimpleNamespace(check=c) for c in links],
        title=plain,
    )
    runs = {
        "many": run("a value of the optimizer", "eps", "beta", "decay"),
        "others": run("a checkpoint", "whole", "named"),
        "stacks": run("stack dumps", tells=("who-waits",)),
        "node": run("a report of the node", "link", "disk"),
        "shape": run("the tokenizer", "merges"),
        "text": run("a sample", "masked"),
    }
    return SimpleNamespace(evidence=SimpleNamespace(runs=runs), index=index, unknown=[])


def told(*lines: Any) -> list[str]:
    return [str(line.text).partition(":")[0] for line in lines]


SUSPECT: Any = SimpleNamespace(name="hang", chance=0.7, title=Text("It hangs", "卡住"))


def test_what_tells_of_a_suspect_comes_first_and_the_rest_is_cut() -> None:
    case = session((), ("who-waits", "disk"))
    lines = told(*gap_lines(case, 12, [SUSPECT]))
    assert set(lines[:2]) == {"stack dumps", "a report of the node"}
    assert len(lines) == 5
    assert lines[-1] == "and 2 more"
    node = next(str(x.text) for x in gap_lines(case, 12, [SUSPECT]) if "node" in str(x.text))
    assert node.index("disk") < node.index("link")


def test_without_a_suspect_what_most_lack_comes_first() -> None:
    lines = told(*gap_lines(session((), ()), 12))
    assert lines[0] == "a value of the optimizer"
    assert len(lines) == 6
