"""Builds the compiled knowledge into the wheel."""

from __future__ import annotations

import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))


class BuildWithKnowledge(build_py):
    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        from medic.schema import compile_knowledge, dump

        target = Path(self.build_lib) / "medic" / "knowledge" / "compiled.json"
        target.write_bytes(dump(compile_knowledge([ROOT / "knowledge"])))


setup(cmdclass={"build_py": BuildWithKnowledge})
