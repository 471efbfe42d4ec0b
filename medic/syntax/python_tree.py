"""Python that sets values -> nodes; the code is read, never run."""

from __future__ import annotations

import ast
import warnings
from functools import cached_property

from medic.errors import BrokenProgram, Unreadable
from medic.facts import Document, Node
from medic.run_config import Span
from medic.syntax.python_loads import put_model
from medic.syntax.python_loop import loop_of
from medic.syntax.python_options import options_of
from medic.syntax.python_reader import Reader
from medic.syntax.python_spread import REPLICATED, replicated
from medic.syntax.python_trainer import put_recompute
from medic.syntax.python_values import (
    BESIDE,
    Group,
    Items,
    Known,
    Names,
    Result,
    Unknown,
    dotted,
)
from medic.syntax.source import MAX_DEPTH, SourceText
from medic.text.parserwords import in_chinese

# The raw text of a value that only the running program knows.
_UNKNOWN = "$"
TARGET = "_target_"
_TRAINER = "Trainer"
# A program longer than this is no configuration.
_MAX_BYTES = 512 * 1024


def parse_python(source: SourceText) -> Document:
    """The settings of a Python file: the largest group of them that it makes (a recipe, the
    arguments of a trainer) or else its global names. Raises Unreadable.
    """
    if len(source.body) > _MAX_BYTES:
        raise Unreadable("too long for a configuration", "过长，不像配置文件", at=source.file)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = ast.parse(source.body)
    except SyntaxError as problem:
        words = problem.msg
        raise BrokenProgram(
            f"not Python: {words}; Python stops here too: mend this line first",
            f"不是合法的 Python：{in_chinese(words)}；Python 解释器同样在此报错，请先改正这一行",
            at=source.at(problem.lineno or 1),
        ) from None
    except (ValueError, MemoryError):
        raise Unreadable("not Python", "不是 Python", at=source.file) from None
    reader = Reader(module)
    group = settings_of(reader, module)
    wraps = replicated(module)
    others = group.runs or group.made_by  # a trainer's or a recipe's arguments
    if wraps is not None and not others:
        group.settings.setdefault(REPLICATED, (wraps.func, Known(value=True, node=wraps.func)))
    return Document(source.file, "python", _Nodes(source).mapping(group, 0))


def settings_of(reader: Reader, module: ast.Module, options: Names | None = None) -> Group:
    """The largest group that the module makes when run, and of one that only defines functions
    the first whole run that one of them makes or returns; else the global names. ``options``: values of
    the program's own options, else their defaults.
    """
    groups = list(reader.groups)
    if not any(one.runs for one in groups):
        returned = [reader.call(name) for name in list(reader.functions)]
        found = [*returned, *reader.groups]
        groups += [one for one in found if isinstance(one, Group) and one.runs]
    groups = next(([one] for one in groups if one.runs), groups)
    if not any(one.runs for one in groups):
        options = options_of(module) if options is None else options
        at_start = Reader(module, options) if options else reader
        loop = loop_of(at_start, module)
        if loop is not None:
            _put_beside(loop, at_start, module)
            return loop
    best = max(groups, key=Group.size, default=None)
    own = Group(ast.Constant(None, lineno=1, col_offset=0, end_lineno=1, end_col_offset=0))
    for statement in module.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if isinstance(statement, ast.AnnAssign):
            targets = [statement.target]
        for target in targets:
            if isinstance(target, ast.Name) and target.id in reader.names:
                value = reader.names[target.id]
                made = isinstance(value, Group)
                own.settings[target.id] = (target, Unknown(value.node) if made else value)
    if best is not None and best.runs:
        _put_beside(best, reader, module)
    return _whole(best) if best and (best.runs or best.size() > own.size()) else own


def _put_beside(run: Group, reader: Reader, module: ast.Module) -> None:
    """Adapters and quantisation among the run's settings. Unknown where the module makes several
    that differ, or one that it may not come to."""
    made = [n for n in ast.walk(module) if isinstance(n, ast.Call)]
    put_model(run, reader, module, made)
    put_recompute(run, reader, module, made)
    for kind, names in BESIDE.items():
        calls = [node for node in made if dotted(node.func).rpartition(".")[2] == kind]
        reached = [one for one in reader.beside if one.made_by.rpartition(".")[2] == kind]
        sure = {one.node for one in reached} == set(calls)
        for argument, name in names.items():
            found = [value for one in reached if (value := one.get(argument)) is not None]
            same = {v.value for v in found if isinstance(v, Known)}
            alike = len(same) == 1 and all(isinstance(v, Known) for v in found)
            told = sure and (len(found) == 1 or alike)
            places = [k.value for node in calls for k in node.keywords if k.arg == argument]
            if places and name not in run.settings:
                value = found[0] if told else Unknown(places[0])
                run.settings[name] = (value.node, value)


def _whole(group: Group) -> Group:
    """The arguments of a Trainer stand under ``trainer``, as in the files that configure one."""
    if group.made_by.rpartition(".")[2] != _TRAINER:
        return group
    outer = Group(group.node)
    outer.put([_TRAINER.lower()], group.node, group)
    return outer


class _Nodes:
    """Results as nodes with their places."""

    def __init__(self, source: SourceText) -> None:
        self.source = source

    @cached_property
    def _starts(self) -> list[int]:
        """The offset of every line as Python counts lines."""
        starts = [0]
        for line in self.source.body.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        return starts

    def mapping(self, group: Group, depth: int) -> Node:
        items = [self._made_by(group)] if group.made_by else []
        for name, (place, value) in group.settings.items():
            key = Node("scalar", self._key(place, name), name, name, loader_value=name)
            items.append((key, self._node(value, depth + 1)))
        return Node("mapping", self._span(group.node), items=tuple(items))

    def _made_by(self, group: Group) -> tuple[Node, Node]:
        """``_target_``, as Hydra calls what a group is passed to."""
        span = self._span(group.node)
        key = Node("scalar", span, TARGET, TARGET, loader_value=TARGET)
        return key, Node("scalar", span, group.made_by, group.made_by, loader_value=group.made_by)

    def _node(self, value: Result, depth: int) -> Node:
        span = self._span(value.node)
        self.source.count(span)
        if depth > MAX_DEPTH:
            raise self.source.too_deep(span.line)
        if isinstance(value, Group):
            return self.mapping(value, depth)
        if isinstance(value, Items):
            return Node(
                "sequence", span, elements=tuple(self._node(v, depth) for v in value.values)
            )
        if not isinstance(value, Known):
            return Node("scalar", span, None, _UNKNOWN)
        raw = self.source.raw(span)
        quoted = isinstance(value.value, str) and raw[:1] in ("'", '"')
        return Node("scalar", span, value.value, raw, quoted, value.value)

    def _span(self, node: ast.AST) -> Span:
        start, end = self._offsets(node)
        return self.source.span(start, end)

    def _key(self, place: ast.AST, name: str) -> Span:
        """The bytes of a name: of a keyword, of an attribute's last step, or all of the node."""
        start, end = self._offsets(place)
        length = len(name.encode())
        if isinstance(place, ast.keyword):
            end = start + length
        elif isinstance(place, ast.Attribute):
            start = end - length
        return self.source.span(start, max(start, end))

    def _offsets(self, node: ast.AST) -> tuple[int, int]:
        row, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        last, end = getattr(node, "end_lineno", row), getattr(node, "end_col_offset", column)
        starts, size = self._starts, len(self.source.body)
        first = starts[min(row, len(starts)) - 1] + column
        return min(first, size), min(starts[min(last, len(starts)) - 1] + end, size)
