"""Builds the compiled knowledge into the wheel."""

from __future__ import annotations

import shutil
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
        from medic.building import build
        from medic.stored import store

        target = Path(self.build_lib) / "medic" / "knowledge" / "compiled"
        shutil.rmtree(target, ignore_errors=True)
        store(build([ROOT / "knowledge"]), target)


setup(cmdclass={"build_py": BuildWithKnowledge})
