"""A shell script -> its commands with their words expanded, as far as that can be known.

Statements are followed in order. A variable that branches set differently is unknown after them;
one that is set only where it was unset (``[ -z "$X" ] && X=8``) has that value. Here-documents are
not read, nothing is executed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from medic.facts import Command, Document, Problem, Word
from medic.patterns import regex
from medic.run_config import Edit
from medic.syntax.shell_atoms import MAX_PARTS, UNKNOWN, Atom, Variable
from medic.syntax.shell_faults import mend, refusal
from medic.syntax.shell_flow import LOOPS, Flow
from medic.syntax.shell_inner import (
    MAX_INNER,
    SHELLS,
    document_body,
    handed_on,
    inner_body,
    inner_node,
)
from medic.syntax.shell_refusal import Refusal
from medic.syntax.shell_words import Expander
from medic.syntax.source import MAX_DEPTH, SourceText
from medic.syntax.treesitter import first_error, tree_of

if TYPE_CHECKING:
    import tree_sitter

MAX_STATEMENTS = 20_000
_MAX_CALLS = 5
_SLURM = regex(
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


class _Script(Flow):
    def __init__(self, source: SourceText) -> None:
        super().__init__(source)
        self.functions: dict[str, tree_sitter.Node] = {}
        self.called: set[str] = set()
        self.commands: list[Command] = []
        self.statements = 0
        self.depth = 0
        self.calls = 0
        self.inner = 0
        self.prefix: tuple[Word, ...] = ()
        self.quoted_twice = False

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

    def _compound(self, node: tree_sitter.Node) -> None:
        if node.children and node.children[0].type == "((":
            self.forget(node)
        else:
            self.children(node)

    def _declaration(self, node: tree_sitter.Node) -> None:
        for child in node.named_children:
            if child.type == "variable_assignment":
                self._assign(child)

    def _unset(self, node: tree_sitter.Node) -> None:
        for child in node.named_children:
            self.variables.pop(self.text(child), None)

    def _define(self, node: tree_sitter.Node) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is not None and body is not None:
            self.functions[self.text(name)] = body

    def finish(self) -> None:
        """Functions that nothing here calls are read once: a script may be sourced."""
        for name, body in list(self.functions.items()):
            if name not in self.called:
                self.run(body)

    # --- assignments and commands -----------------------------------------------------------

    def _assign(self, node: tree_sitter.Node) -> None:
        target, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if target is None:
            return
        if target.type == "subscript":
            self.forget(node)
            return
        if self._is_word(node):
            self._told(node.start_byte, node.end_byte, self.words.fields(node), {})
            return
        name = self.text(target)
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

    def _redirected(self, node: tree_sitter.Node) -> None:
        """A command with its output led off; words behind ``> file`` are still its own."""
        body = node.child_by_field_name("body")
        if body is None or body.type != "command":
            self.children(node)
            return
        redirects = node.children_by_field_name("redirect")
        files = [n for n in redirects if n.type == "file_redirect"]
        self._command(body, [w for n in files for w in n.children_by_field_name("destination")[1:]])
        name = body.child_by_field_name("name")
        for one in redirects:
            if one.type == "heredoc_redirect" and name is not None and self.inner < MAX_INNER:
                self._document(self.text(name), one)

    def _document(self, program: str, node: tree_sitter.Node) -> None:
        """Follows a here-document that is a script."""
        found = document_body(program, node, self.source.body)
        root = tree_of("bash", _with_unix_ends(found[0])) if found is not None else None
        if found is None or root is None or root.has_error:
            return
        self.inner += 1
        self._inside(found[0], root, (), quoted_twice=self.quoted_twice)

    def _command(self, node: tree_sitter.Node, behind: Sequence[tree_sitter.Node] = ()) -> None:
        assignments: dict[str, str] = {}
        arguments: list[tree_sitter.Node] = []
        for i, child in enumerate(node.children):
            if self._is_word(child):
                arguments.append(child)
            elif child.type == "variable_assignment":
                target = child.child_by_field_name("name")
                value = self._value(child.child_by_field_name("value")).value
                if target is not None and value is not None:
                    assignments[self.text(target)] = value
            if node.field_name_for_child(i) in ("name", "argument"):
                arguments.append(child)
        words: list[Word] = []
        shell = False
        for child in (*arguments, *behind):
            if self._nested(child, words):
                return
            last = words[-1].value if words else None
            again = (words and words[0].value == "eval") or (shell and last in ("-c", "-lc"))
            words += self.words.fields(child, resplit=bool(again))
            shell = shell or _is_shell(words)
        if words and words[0].value == "eval":
            words = words[1:]  # what is run is the rest
        end = max([node.end_byte, *(n.end_byte for n in behind)])
        self._told(node.start_byte, end, words, assignments)
        if words and words[0].value is not None:
            self._effects(words[0].value, words[1:])

    def _is_word(self, node: tree_sitter.Node) -> bool:
        """``--rank=16`` is no assignment: what stands before ``=`` is no name."""
        if node.type != "variable_assignment" or not node.children:
            return False
        return self.text(node.children[0]).lstrip().startswith("-")

    def _told(
        self, start: int, end: int, words: Sequence[Word], assignments: dict[str, str]
    ) -> None:
        span = self.source.span(start, end)
        own = (handed_on(word, quoted_twice=self.quoted_twice) for word in words)
        self.commands.append(Command(span, (*self.prefix, *own), assignments))

    def _nested(self, child: tree_sitter.Node, words: list[Word]) -> bool:
        """Follows the script that this argument of a command is; False if it is none."""
        node = inner_node([*self.prefix, *words], child)
        body = inner_body(self.source.body, node) if node is not None else None
        if node is None or body is None or self.inner >= MAX_INNER:
            return False
        self.inner += 1
        root = tree_of("bash", _with_unix_ends(body))
        if root.has_error:
            words += self.words.fields(child)
            self._told(node.start_byte, node.end_byte, words, {})
            return True
        twice = self.quoted_twice or node.type == "string"
        self._inside(body, root, (*self.prefix, *words), quoted_twice=twice)
        return True

    def _inside(
        self,
        body: bytes,
        root: tree_sitter.Node,
        prefix: tuple[Word, ...],
        *,
        quoted_twice: bool,
    ) -> None:
        outer = self.source, self.words, self.prefix, self.quoted_twice
        before = dict(self.variables)
        self.source = self.source.masked(body)
        self.words = Expander(self.source, self.variables)
        self.prefix, self.quoted_twice = prefix, quoted_twice
        self.run(root)
        self.source, self.words, self.prefix, self.quoted_twice = outer
        self._restore(before)

    def _effects(self, name: str, arguments: list[Word]) -> None:
        if name in ("read", "getopts", "mapfile", "readarray"):
            for word in arguments:
                if word.value and word.value.isidentifier():
                    self.variables[word.value] = UNKNOWN
        if name == "shift" and "@" in self.variables:
            self.variables["@"] = UNKNOWN
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
        outer = self.variables.get("@")
        self.variables["@"] = Variable(elements=tuple(arguments))
        self.run(body)
        self.variables["@"] = outer or UNKNOWN
        self.calls -= 1

    def slurm(self) -> None:
        """Variables that Slurm sets from the script's own ``#SBATCH`` lines."""
        for found in _SLURM.finditer(self.source.body):
            for name in _SLURM_NAMES.get(found.group(1) or found.group(2), ()):
                atom = Atom(found.group(4).decode(), found.start(4), found.end(4))
                self.variables.setdefault(name, Variable((atom,)))


_HANDLERS: dict[str, Callable[[_Script, tree_sitter.Node], None]] = {
    "command": _Script._command,
    "redirected_statement": _Script._redirected,
    "variable_assignment": _Script._assign,
    "declaration_command": _Script._declaration,
    "variable_assignments": _Script._declaration,
    "unset_command": _Script._unset,
    "function_definition": _Script._define,
    "subshell": _Script.aside,
    "if_statement": _Script.branches,
    "case_statement": _Script.cases,
    "list": _Script.either,
    "compound_statement": _Script._compound,
    **dict.fromkeys(LOOPS, _Script.loop),
    **dict.fromkeys(
        (
            "program", "pipeline", "negated_command", "do_group",
            "else_clause", "elif_clause", "case_item", "ERROR",
        ),
        _Script.children,
    ),
}  # fmt: skip


def _is_shell(words: list[Word]) -> bool:
    last = words[-1].value if words else None
    return last is not None and PurePath(last).name in SHELLS


def _with_unix_ends(body: bytes) -> bytes:
    """A script saved with CRLF as it was meant; every byte keeps its place."""
    return body.replace(b"\\\r\n", b" \\\n").replace(b"\r\n", b" \n")


def parse_shell(source: SourceText) -> Document:
    """The commands of a script, in the order in which they are reached.

    Behind a quote or a here-document that nothing closes there is no telling what is a command.
    """
    body = _with_unix_ends(source.body)
    refused = refusal(body)
    read = body
    if refused is not None and (refused.word in ("'", '"') or refused.kind == "document"):
        read = body[: body.rfind(b"\n", 0, refused.start) + 1]
    root = tree_of("bash", read)
    script = _Script(source.masked(source.body[: len(read)]))
    script.slurm()
    script.run(root)
    script.finish()
    variables = {name: variable.value for name, variable in script.variables.items()}
    return Document(
        source.file, "shell", commands=tuple(script.commands), variables=variables,
        problems=tuple(_problems(source, root, body, refused)),
    )  # fmt: skip


def _problems(
    source: SourceText, root: tree_sitter.Node, body: bytes, refused: Refusal | None
) -> Iterator[Problem]:
    error = first_error(root) if root.has_error else None
    if error is not None:
        yield Problem("syntax", source.span(error.start_byte, error.end_byte), "shell")
    if refused is None:
        return
    place = source.span(refused.start, refused.end)
    other = source.span(refused.other[1], refused.other[1]) if refused.other else None
    found = mend(body, refused)
    edit = None
    if found is not None:
        start, end, text = found
        skip = source.skipped
        edit = Edit(source.file, start + skip, end + skip, text.decode("latin-1"))
    yield Problem("refused", place, f"{refused.kind} {refused.word}", other, mend=edit)
