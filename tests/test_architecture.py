"""The import rules of the house, read from the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "medic"

# Lower tiers never import higher ones; within a tier imports are free where acyclic.
TIERS = [
    {"errors"},
    {
        "codepoints",
        "encodings",
        "i18n",
        "intact",
        "nearest",
        "parserwords",
        "patterns",
        "records",
        "safetext",
        "slips",
    },
    {
        "config",
        "entries",
        "run_config",
        "decode",
        "levels",
        "fact_words",
        "learning_rates",
        "versions",
    },
    {"syntax", "facts"},
    {"schema", "links", "probe", "stored", "ties"},
    {"index"},
    {
        "match",
        "building",
        "cached",
        "beliefs",
        "columns",
        "likelihoods",
        "conditions",
        "memory",
        "edits",
        "redact",
        "secretwords",
        "usernames",
    },
    {"changes", "graph"},
    {
        "case",
        "filekind",
        "folders",
        "hostkind",
        "datakind",
        "planner",
        "looks",
        "evidence",
        "logsymptoms",
        "registry",
        "runner",
        "look",
        "context",
        "verdict",
    },
    {
        "lint",
        "selection",
        "ignores",
        "figures",
        "sizing",
        "contradictions",
        "oom",
        "preflight",
        "explain",
        "session",
        "conclude",
        "revisit",
        "given",
        "saved",
        "recheck",
        "fixes",
        "diagnosis",
        "experiments",
        "walk",
        "told",
        "absent",
        "asked",
        "field_words",
        "model_words",
        "stated",
        "said",
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
    ("index", "schema"),
    ("index", "match"),
    ("index", "cached"),
    ("graph", "registry"),
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
    "codepoints",
    "encodings",
    "errors",
    "i18n",
    "parserwords",
    "patterns",
    "records",
    "run_config",
    "facts",
    "probe",
    "safetext",
    "slips",
    "learning_rates",
    "versions",
}


def room(file: Path) -> str:
    return file.relative_to(CORE).parts[0].removesuffix(".py")


def imports(file: Path) -> Iterator[tuple[str, int]]:
    """(dotted name, relative level) of every import, wherever it stands."""
    tree = ast.parse(file.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, 0
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if module == "medic":
                for alias in node.names:
                    yield f"medic.{alias.name}", 0
            else:
                yield module, node.level


CORE_FILES = sorted(f for f in CORE.rglob("*.py") if f.name != "__init__.py" or f.parent != CORE)


@pytest.mark.parametrize("file", CORE_FILES, ids=lambda f: str(f.relative_to(ROOT)))
def test_core_imports_go_down(file: Path) -> None:
    own = room(file)
    for name, level in imports(file):
        assert level == 0, f"{file}: the core uses absolute imports"
        top = name.split(".")[0]
        assert top not in NEVER, f"{own} imports {top}"
        if top in OWNERS:
            assert own in OWNERS[top], f"{own} imports {top}, which belongs to {OWNERS[top]}"
        parts = name.split(".")
        if top != "medic" or len(parts) < 2 or parts[1] in ("__version__", own):
            continue
        target = parts[1]
        assert target in TIER, f"{own} imports medic.{target}, which has no tier"
        if (own, target) not in LATE:
            assert TIER[target] <= TIER[own], f"{own} imports medic.{target} from a higher tier"


@pytest.mark.parametrize("file", sorted((ROOT / "probes").rglob("*.py")), ids=lambda f: f.stem)
def test_probes_know_only_the_contract(file: Path) -> None:
    for name, level in imports(file):
        if level == 0 and name.split(".")[0] == "medic":
            assert name.split(".")[1] in PROBE_MAY, f"{file} imports {name}"
        assert name.split(".")[0] not in {"textual", "rich", "yaml", "re2", "click", "torch"}


@pytest.mark.parametrize("file", sorted((ROOT / "tui").rglob("*.py")), ids=lambda f: f.stem)
def test_the_app_speaks_to_the_core_only(file: Path) -> None:
    for name, level in imports(file):
        if level == 0 and name.split(".")[0] in ("probes", "tui", "knowledge"):
            raise AssertionError(f"{file} imports {name}")
        assert not name.startswith(("medic.commands", "medic.probes")), f"{file} imports {name}"


def test_every_core_room_has_a_tier() -> None:
    rooms = {room(f) for f in CORE_FILES} - {"__init__"}
    assert rooms == set(TIER)


def python_files() -> list[Path]:
    return [f for d in ("medic", "probes", "tui") for f in sorted((ROOT / d).rglob("*.py"))]


@pytest.mark.parametrize("file", python_files(), ids=lambda f: str(f.relative_to(ROOT)))
def test_files_stay_small(file: Path) -> None:
    assert len(file.read_text("utf-8").splitlines()) <= 300


def test_only_the_console_prints() -> None:
    for file in python_files():
        if file.name == "console.py":
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id != "print", f"{file}:{node.lineno} prints"


def test_nothing_executes_or_unpickles_what_a_user_hands_in() -> None:
    forbidden = {"eval", "exec", "compile", "__import__"}
    for file in python_files():
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in forbidden, f"{file}:{node.lineno}"
        for name, _ in imports(file):
            assert name not in ("pickle", "marshal", "shelve", "dill"), f"{file} imports {name}"
