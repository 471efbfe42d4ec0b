"""Builds the compiled knowledge into the wheel."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent


class BuildWithKnowledge(build_py):
    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        built = Path(self.build_lib).resolve()
        # The probes are found where the wheel has them, and leave no bytecode beside it.
        sys.path.insert(0, str(built))
        sys.dont_write_bytecode = True
        from medic.index.building import build
        from medic.index.stored import store
        from medic.runner.registry import TABLE, imported, written

        target = built / "medic" / "knowledge" / "compiled"
        shutil.rmtree(target, ignore_errors=True)
        store({**build([ROOT / "knowledge"]), TABLE: written(imported())}, target)


setup(cmdclass={"build_py": BuildWithKnowledge})
