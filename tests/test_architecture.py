"""The import rules of the house, read from the source."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "medic"

# Lower tiers never import higher ones; within a tier imports are free where acyclic.
TIERS = [
    {"errors"},
    {"i18n", "nearest", "records", "text"},
    {"config", "entries", "run_config", "learning_rates", "versions"},
    {"syntax", "facts"},
    {"schema", "probe"},
    {"index"},
    {"match", "beliefs", "memory", "edits", "redact"},
    {"changes", "graph"},
    {"case", "planner", "runner"},
    {
        "lint",
        "sizing",
        "oom",
        "preflight",
        "explain",
        "session",
        "fixes",
        "experiments",
        "told",
        "vitals",
        "attach",
        "bundle",
        "baseline",
    },
    {"evaluate"},
    {"report"},
    {"commands", "__main__"},
]
TIER = {name: i for i, tier in enumerate(TIERS) for name in tier}
# Reached inside a function, where the tier rule would forbid the import at the top.
LATE = {
    ("index", "match"),
    ("graph", "runner"),
}
OWNERS = {
    "re2": {"match"},
    "yaml": {"syntax", "schema"},
    "tree_sitter": {"syntax"},
    "tree_sitter_bash": {"syntax"},
    "tree_sitter_json": {"syntax"},
    "tree_sitter_toml": {"syntax"},
    "rapidfuzz": {"nearest"},
    "networkx": {"graph"},
    "pydantic": {"schema"},
    "click": {"commands"},
    "platformdirs": {"config"},
    "packaging": {"versions"},
}
NEVER = {"textual", "rich", "torch", "pynvml", "psutil", "numpy"}
PROBE_MAY = {
    "errors",
    "facts",
    "i18n",
    "learning_rates",
    "probe",
    "records",
    "run_config",
    "text",
    "versions",
}


def room(file: Path) -> str:
    return file.relative_to(CORE).parts[0].removesuffix(".py")


@dataclass
class Source:
    """What a file imports, as (dotted name, relative level) wherever it stands, and what it calls
    by a bare name, as (name, line)."""

    imports: list[tuple[str, int]]
    calls: list[tuple[str, int]]
    lines: int


@cache
def source(file: Path) -> Source:
    text = file.read_text("utf-8")
    found = Source([], [], len(text.splitlines()))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found.calls.append((node.func.id, node.lineno))
        elif isinstance(node, ast.Import):
            found.imports += [(alias.name, 0) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            if node.module == "medic":
                found.imports += [(f"medic.{alias.name}", 0) for alias in node.names]
            else:
                found.imports.append((node.module or "", node.level))
    return found


CORE_FILES = sorted(f for f in CORE.rglob("*.py") if f.name != "__init__.py" or f.parent != CORE)
PROBES = sorted((ROOT / "probes").rglob("*.py"))
APP = sorted((ROOT / "tui").rglob("*.py"))
FILES = [*sorted(CORE.rglob("*.py")), *PROBES, *APP]


def faults(files: list[Path], wrong: Callable[[Path, str, int], str]) -> list[str]:
    """What is wrong with each import of the files, with the file's place."""
    told = [
        (file, wrong(file, name, level)) for file in files for name, level in source(file).imports
    ]
    return [f"{file.relative_to(ROOT)} {what}" for file, what in told if what]


def wrong_in_core(file: Path, name: str, level: int) -> str:
    own = room(file)
    if level:
        return "imports relatively: the core uses absolute imports"
    top = name.split(".", maxsplit=1)[0]
    if top in NEVER:
        return f"imports {top}"
    if own not in OWNERS.get(top, {own}):
        return f"imports {top}, which belongs to {OWNERS[top]}"
    parts = name.split(".")
    if top != "medic" or len(parts) < 2 or parts[1] in ("__version__", own):
        return ""
    target = parts[1]
    if target not in TIER:
        return f"imports medic.{target}, which has no tier"
    up = (own, target) not in LATE and TIER[target] > TIER[own]
    return f"imports medic.{target} from a higher tier" if up else ""


def wrong_in_probe(file: Path, name: str, level: int) -> str:
    top, _, rest = name.partition(".")
    core = level == 0 and top == "medic" and rest.split(".")[0] not in PROBE_MAY
    foreign = top in {"textual", "rich", "yaml", "re2", "click", "torch"}
    return f"imports {name}" if core or foreign else ""


def wrong_in_app(file: Path, name: str, level: int) -> str:
    unmapped = level == 0 and name.split(".", maxsplit=1)[0] in ("probes", "tui", "knowledge")
    return (
        f"imports {name}" if unmapped or name.startswith(("medic.commands", "medic.probes")) else ""
    )


def test_files_are_found() -> None:
    assert min(len(CORE_FILES), len(PROBES), len(APP)) > 50


def test_core_imports_go_down() -> None:
    assert faults(CORE_FILES, wrong_in_core) == []


def test_probes_know_only_the_contract() -> None:
    assert faults(PROBES, wrong_in_probe) == []


def test_the_app_speaks_to_the_core_only() -> None:
    assert faults(APP, wrong_in_app) == []


@pytest.mark.parametrize(
    ("wrong", "file", "name"),
    [
        (wrong_in_core, "medic/errors.py", "medic.index.knowledge"),
        (wrong_in_core, "medic/errors.py", "medic.nowhere"),
        (wrong_in_core, "medic/errors.py", "yaml"),
        (wrong_in_core, "medic/errors.py", "torch.nn"),
        (wrong_in_probe, "probes/packages.py", "medic.index.knowledge"),
        (wrong_in_probe, "probes/packages.py", "yaml"),
        (wrong_in_app, "tui/app.py", "medic.probes.logs"),
        (wrong_in_app, "tui/app.py", "tui.prompt"),
    ],
)
def test_what_is_forbidden_is_told(
    wrong: Callable[[Path, str, int], str], file: str, name: str
) -> None:
    assert wrong(ROOT / file, name, 0)


def test_every_core_room_has_a_tier() -> None:
    rooms = {room(f) for f in CORE_FILES} - {"__init__"}
    assert rooms == set(TIER)


def test_files_stay_small() -> None:
    assert [str(f.relative_to(ROOT)) for f in FILES if source(f).lines > 300] == []


def test_only_the_console_prints() -> None:
    assert calls({"print"}, [f for f in FILES if f.name != "console.py"]) == []


def test_nothing_executes_or_unpickles_what_a_user_hands_in() -> None:
    assert calls({"eval", "exec", "compile", "__import__"}, FILES) == []
    unpickles = {"pickle", "marshal", "shelve", "dill"}
    assert faults(FILES, lambda f, name, n: f"imports {name}" if name in unpickles else "") == []


def calls(names: set[str], files: list[Path]) -> list[str]:
    """Where these are called."""
    return [
        f"{file.relative_to(ROOT)}:{line} calls {name}"
        for file in files
        for name, line in source(file).calls
        if name in names
    ]
