"""A shell script -> its commands with their words expanded, as far as that can be known.

Statements are followed in order. A variable that branches set differently is unknown after them;
one that is set only where it was unset (``[ -z "$X" ] && X=8``) has that value. Here-documents are
not read, nothing is executed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePath
from typing import TYPE_CHECKING

from medic.facts import Command, Document, Problem, Word
from medic.syntax.shell_words import MAX_PARTS, UNKNOWN, Atom, Expander, Variable
from medic.syntax.source import MAX_DEPTH, SourceText
from medic.syntax.treesitter import first_error, tree_of

if TYPE_CHECKING:
    import tree_sitter

MAX_STATEMENTS = 20_000
_MAX_CALLS = 5
_UNSET_TEST = re.compile(r"""-z\s+["']?\$\{?(\w+)|!\s*-v\s+(\w+)""")
_SET_TEST = re.compile(r"""-n\s+["']?\$\{?(\w+)|(?<!!)\s-v\s+(\w+)""")
_SLURM = re.compile(
    rb"^#SBATCH[ \t]+(?:--([a-z-]+)(?:=|[ \t]+)|-([Nn])[ \t]*)([\w.:]*?)(\d+)[ \t]*(?:#.*)?$",
    re.MULTILINE,
)
_SLURM_NAMES = {
    b"nodes": ("SLURM_NNODES", "SLURM_JOB_NUM_NODES"),
    b"N": ("SLURM_NNODES", "SLURM_JOB_NUM_NODES"),
    b"ntasks": ("SLURM_NTASKS", "SLURM_NPROCS"),
    b"n": ("SLURM_NTASKS", "SLURM_NPROCS"),
    b"ntasks-per-node": ("SLURM_NTASKS_PER_NODE",),
    b"gpus-per-node": ("SLURM_GPUS_PER_NODE", "SLURM_GPUS_ON_NODE"),
    b"gres": ("SLURM_GPUS_ON_NODE",),
    b"cpus-per-task": ("SLURM_CPUS_PER_TASK",),
}
_LOOPS = ("for_statement", "while_statement", "c_style_for_statement")

Variables = dict[str, Variable]


class _Script:
    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.variables: Variables = {}
        self.words = Expander(source, self.variables)
        self.functions: dict[str, tree_sitter.Node] = {}
        self.called: set[str] = set()
        self.commands: list[Command] = []
        self.statements = 0
        self.depth = 0
        self.calls = 0

    # --- statements -------------------------------------------------------------------------

    def run(self, node: tree_sitter.Node) -> None:
        self.statements += 1
        if self.depth > MAX_DEPTH or self.statements > MAX_STATEMENTS:
            return
        self.depth += 1
        handler = _HANDLERS.get(node.type)
        if handler is not None:
            handler(self, node)
        self.depth -= 1

    def _children(self, node: tree_sitter.Node) -> None:
        for child in node.named_children:
            self.run(child)

    def _compound(self, node: tree_sitter.Node) -> None:
        if node.children and node.children[0].type == "((":
            self._forget(node)
        else:
            self._children(node)

    def _declaration(self, node: tree_sitter.Node) -> None:
        for child in node.named_children:
            if child.type == "variable_assignment":
                self._assign(child)

    def _unset(self, node: tree_sitter.Node) -> None:
        for child in node.named_children:
            self.variables.pop(self._text(child), None)

    def _define(self, node: tree_sitter.Node) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is not None and body is not None:
            self.functions[self._text(name)] = body

    def finish(self) -> None:
        """Functions that nothing here calls are read once: a script may be sourced."""
        for name, body in list(self.functions.items()):
            if name not in self.called:
                self.run(body)

    def _aside(self, node: tree_sitter.Node) -> None:
        before = dict(self.variables)
        self._children(node)
        self._restore(before)

    def _branches(self, node: tree_sitter.Node) -> None:
        conditions = node.children_by_field_name("condition")
        for condition in conditions:
            self.run(condition)
        before = dict(self.variables)
        clauses = [c for c in node.named_children if c.type.endswith(("_clause", "case_item"))]
        if node.type == "if_statement":
            skipped = {c.id for c in (*conditions, *clauses)}
            bodies = [[c for c in node.named_children if c.id not in skipped]]
        else:
            bodies = []
        ends: list[Variables] = []
        for body in [*bodies, *([clause] for clause in clauses)]:
            self._restore(before)
            for child in body:
                self.run(child)
            ends.append(dict(self.variables))
        if not any(c.type == "else_clause" for c in clauses):
            ends.append(before)
        self._merge(ends, self._guarded(" ".join(self._text(c) for c in conditions)))

    def _list(self, node: tree_sitter.Node) -> None:
        left, right = node.children[0], node.children[-1]
        if len(node.children) < 3 or self._text(node.children[1]) not in ("&&", "||"):
            self._children(node)
            return
        self.run(left)
        before = dict(self.variables)
        self.run(right)
        pattern = _UNSET_TEST if self._text(node.children[1]) == "&&" else _SET_TEST
        self._merge([dict(self.variables), before], self._guarded(self._text(left), pattern))

    def _loop(self, node: tree_sitter.Node) -> None:
        before = dict(self.variables)
        body = node.child_by_field_name("body")
        self._forget(node)
        variable = node.child_by_field_name("variable")
        values = node.children_by_field_name("value")
        if variable is not None and len(values) == 1:
            words = self.words.fields(values[0])
            if len(words) == 1 and words[0].value is not None:
                atoms = tuple(self.words.atoms(values[0], quoted=True))
                self.variables[self._text(variable)] = Variable(atoms)
        if body is not None:
            self.run(body)
        self._merge([dict(self.variables), before], set())

    def _forget(self, node: tree_sitter.Node) -> None:
        """Variables that are set anywhere below are unknown from here on."""
        todo = [node]
        arithmetic = node.children[0].type == "(("
        while todo:
            here = todo.pop()
            parent = here.parent.type if here.parent else ""
            is_set = arithmetic or parent in ("variable_assignment", *_LOOPS)
            if here.type == "variable_name" and is_set:
                self.variables[self._text(here)] = UNKNOWN
            todo += here.named_children

    def _merge(self, ends: list[Variables], guarded: set[str]) -> None:
        merged: Variables = {}
        for name in {name for end in ends for name in end}:
            values = {end.get(name) for end in ends}
            if name in guarded:
                values.discard(None)
            only = values.pop() if len(values) == 1 else None
            merged[name] = only or UNKNOWN
        self._restore(merged)

    def _guarded(self, condition: str, pattern: re.Pattern[str] = _UNSET_TEST) -> set[str]:
        return {name for pair in pattern.findall(condition) for name in pair if name}

    def _restore(self, variables: Variables) -> None:
        self.variables.clear()
        self.variables.update(variables)

    # --- assignments and commands -----------------------------------------------------------

    def _assign(self, node: tree_sitter.Node) -> None:
        target, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if target is None:
            return
        if target.type == "subscript":
            self._forget(node)
            return
        name = self._text(target)
        new = self._value(value)
        old = self.variables.get(name)
        if any(child.type == "+=" for child in node.children) and old is not None:
            if old.elements is not None and new.elements is not None:
                new = Variable(elements=(*old.elements, *new.elements))
            elif old.elements is None and new.elements is None:
                new = Variable((*old.atoms, *new.atoms))
            else:
                new = UNKNOWN
        size = len(new.atoms) + len(new.elements or ())
        self.variables[name] = UNKNOWN if size >= MAX_PARTS else new

    def _value(self, node: tree_sitter.Node | None) -> Variable:
        if node is None:
            return Variable()
        if node.type != "array":
            return Variable(tuple(self.words.atoms(node, quoted=True)))
        elements: list[Word] = []
        for child in node.named_children:
            if child.type != "comment":
                elements += self.words.fields(child)
        return Variable(elements=tuple(elements))

    def _command(self, node: tree_sitter.Node) -> None:
        assignments: dict[str, str] = {}
        words: list[Word] = []
        shell = False
        for i, child in enumerate(node.children):
            if child.type == "variable_assignment":
                target = child.child_by_field_name("name")
                value = self._value(child.child_by_field_name("value")).value
                if target is not None and value is not None:
                    assignments[self._text(target)] = value
            if node.field_name_for_child(i) in ("name", "argument"):
                last = words[-1].value if words else None
                again = (words and words[0].value == "eval") or (shell and last in ("-c", "-lc"))
                words += self.words.fields(child, resplit=bool(again))
                shell = shell or _is_shell(words)
        span = self.source.span(node.start_byte, node.end_byte)
        self.commands.append(Command(span, tuple(words), assignments))
        if words and words[0].value is not None:
            self._effects(words[0].value, words[1:])

    def _effects(self, name: str, arguments: list[Word]) -> None:
        if name in ("read", "getopts", "mapfile", "readarray"):
            for word in arguments:
                if word.value and word.value.isidentifier():
                    self.variables[word.value] = UNKNOWN
        body = self.functions.get(name)
        if body is None or self.calls >= _MAX_CALLS:
            return
        self.called.add(name)
        self.calls += 1
        skip = self.source.skipped
        for i, word in enumerate(arguments[:9], 1):
            atom = Atom(word.value, word.span.start - skip, word.span.end - skip,
                        exact=word.raw == word.value)  # fmt: skip
            self.variables[str(i)] = Variable((atom,))
        self.run(body)
        self.calls -= 1

    def slurm(self) -> None:
        """Variables that Slurm sets from the script's own ``#SBATCH`` lines."""
        for found in _SLURM.finditer(self.source.body):
            for name in _SLURM_NAMES.get(found.group(1) or found.group(2), ()):
                atom = Atom(found.group(4).decode(), found.start(4), found.end(4))
                self.variables.setdefault(name, Variable((atom,)))

    def _text(self, node: tree_sitter.Node) -> str:
        return self.source.body[node.start_byte : node.end_byte].decode("utf-8", "replace")


_HANDLERS: dict[str, Callable[[_Script, tree_sitter.Node], None]] = {
    "command": _Script._command,
    "variable_assignment": _Script._assign,
    "declaration_command": _Script._declaration,
    "variable_assignments": _Script._declaration,
    "unset_command": _Script._unset,
    "function_definition": _Script._define,
    "subshell": _Script._aside,
    "if_statement": _Script._branches,
    "case_statement": _Script._branches,
    "list": _Script._list,
    "compound_statement": _Script._compound,
    **dict.fromkeys(_LOOPS, _Script._loop),
    **dict.fromkeys(
        (
            "program", "redirected_statement", "pipeline", "negated_command", "do_group",
            "else_clause", "elif_clause", "case_item", "ERROR",
        ),
        _Script._children,
    ),
}  # fmt: skip


def _is_shell(words: list[Word]) -> bool:
    last = words[-1].value if words else None
    return last is not None and PurePath(last).name in ("bash", "sh", "zsh")


def parse_shell(source: SourceText) -> Document:
    """The commands of a script, in the order in which they are reached."""
    root = tree_of("bash", source.body)
    script = _Script(source)
    script.slurm()
    script.run(root)
    script.finish()
    problems: tuple[Problem, ...] = ()
    error = first_error(root) if root.has_error else None
    if error is not None:
        place = source.span(error.start_byte, error.end_byte)
        problems = (Problem("syntax", place, "shell"),)
    variables = {name: variable.value for name, variable in script.variables.items()}
    return Document(
        source.file, "shell", commands=tuple(script.commands), variables=variables,
        problems=problems,
    )  # fmt: skip
