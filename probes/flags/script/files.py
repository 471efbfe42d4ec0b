"""The given Python files: which one an import means, and their syntax trees."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence
from pathlib import PurePosixPath

from medic.errors import Unreadable
from medic.facts import GivenFile
from medic.probe import Look
from medic.text.parserwords import in_chinese

MAX_SOURCE = 2 * 1024 * 1024  # bytes of one Python file
MAX_TREES = 60  # files that one script may pull in

# Packages that are never meant by a lone file of the same name beside the script.
_INSTALLED = frozenset(
    """
    torch transformers trl accelerate datasets peft deepspeed megatron lightning pytorch_lightning
    numpy argparse dataclasses typing os sys click tyro fire timm diffusers evaluate
    """.split()  # noqa: SIM905
)


class SourceFiles:
    """Finds and parses given Python files; nothing is imported."""

    def __init__(self, look: Look, given: Sequence[GivenFile]) -> None:
        self._look = look
        self.given = {str(PurePosixPath(f.path)): f for f in given}
        self._trees: dict[str, ast.Module | Unreadable] = {}

    def name(self, path: str) -> str:
        return self.given[path].name

    def tree(self, path: str) -> ast.Module:
        """The syntax tree of a file. Raises Unreadable: too large, no Python 3, too deep."""
        if path not in self._trees:
            if len(self._trees) >= MAX_TREES:
                raise Unreadable("too many Python files", "Python 文件过多", at=self.name(path))
            self._trees[path] = self._parse(path)
        found = self._trees[path]
        if isinstance(found, Unreadable):
            raise found
        return found

    def _parse(self, path: str) -> ast.Module | Unreadable:
        name = self.name(path)
        try:
            with self._look.open(path, MAX_SOURCE) as file:
                source = file.read(MAX_SOURCE + 1)
        except Unreadable as problem:
            return Unreadable(problem.en, problem.zh, at=name)
        if len(source) > MAX_SOURCE:
            return Unreadable("larger than 2 MB", "超过 2 MB", at=name)
        if b"\0" in source:
            return Unreadable("not text", "不是文本", at=name)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of the user's file, not medic's
                return ast.parse(source)
        except SyntaxError as problem:
            return _no_python(problem, name)
        except (ValueError, RecursionError, MemoryError):
            return Unreadable("cannot be parsed", "无法解析", at=name)

    # --- imports ----------------------------------------------------------------------------

    def resolve(self, dotted: str, importer: str) -> str | None:
        """The path of the given file that ``import dotted`` in ``importer`` means, if any."""
        parts = dotted.split(".")
        tails = ("/".join(parts) + ".py", "/".join(parts) + "/__init__.py")
        folder = PurePosixPath(importer).parent
        for base in (folder, *folder.parents):
            for tail in tails:
                path = str(base / tail)
                if path in self.given:
                    return path
        found = [p for p in self.given if p.endswith(tuple("/" + t for t in tails))]
        if len(found) == 1 and len(parts) > 1:
            return found[0]
        flat = str(folder / (parts[-1] + ".py"))
        lone = len(parts) > 1 and parts[0] not in _INSTALLED and flat in self.given
        return flat if lone and flat != importer else None


def _no_python(problem: SyntaxError, name: str) -> Unreadable:
    at = f"{name}:{problem.lineno}" if problem.lineno else name
    if "Missing parentheses in call to 'print'" in (problem.msg or ""):
        return Unreadable("Python 2 source", "Python 2 源码", at=at)
    reason = (problem.msg or "invalid syntax")[:120]
    return Unreadable(
        f"not Python 3: {reason}", f"不是合法的 Python 3 源码：{in_chinese(reason)}", at=at
    )
