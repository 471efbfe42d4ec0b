"""What the wheel must carry."""

from __future__ import annotations

import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = {
    "medic": "medic",
    "medic.knowledge": "knowledge",
    "medic.probes": "probes",
    "medic.tui": "tui",
}


def settings() -> dict[str, dict[str, object]]:
    data: dict[str, dict[str, object]] = tomllib.loads(
        (ROOT / "pyproject.toml").read_text("utf-8")
    )["tool"]
    return data


def test_every_package_is_listed() -> None:
    listed = set(settings()["setuptools"]["packages"])  # type: ignore[call-overload]
    found = set()
    for package, folder in FOLDERS.items():
        for init in (ROOT / folder).rglob("__init__.py"):
            parts = init.parent.relative_to(ROOT / folder).parts
            found.add(".".join((package, *parts)))
    assert found == listed


def test_every_folder_with_code_is_a_package() -> None:
    for folder in FOLDERS.values():
        for file in (ROOT / folder).rglob("*.py"):
            assert (file.parent / "__init__.py").exists(), file


def test_no_module_hides_a_mapped_package() -> None:
    for name in ("knowledge", "probes", "tui"):
        assert not (ROOT / "medic" / f"{name}.py").exists()
        assert not (ROOT / "medic" / name).exists()
