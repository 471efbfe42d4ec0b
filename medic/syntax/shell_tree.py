"""A shell script -> its commands with their words expanded, as far as that can be known.

Statements are followed in order. A variable that branches set differently is unknown after them;
one that is set only where it was unset (``[ -z "$X" ] && X=8``) has that value. Here-documents are
read where they are a script or become a variable. Nothing is executed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from medic.facts import Choice, Command, Document, Word
from medic.syntax.shell_atoms import MAX_PARTS, UNKNOWN, Atom, Variable, glue
from medic.syntax.shell_calls import Calls
from medic.syntax.shell_choices import selecting, sets
from medic.syntax.shell_faults import refusal
from medic.syntax.shell_flow import LOOPS
from medic.syntax.shell_inner import (
    MAX_INNER,
    as_meant,
    commands_in,
    document_body,
    gives_parameters,
    handed_on,
    inner_body,
    inner_node,
    is_shell,
    is_word,
    parameters,
    root_of,
)
from medic.syntax.shell_problems import problems_of
from medic.syntax.shell_slurm import slurm_variables
from medic.syntax.shell_sourced import Find
from medic.syntax.shell_words import Expander
from medic.syntax.shell_written import texts_of, written_by
from medic.syntax.source import MAX_DEPTH, SourceText
from medic.syntax.treesitter import tree_of, with_comments, with_fields

if TYPE_CHECKING:
    import tree_sitter

MAX_STATEMENTS = 20_000


class _Script(Calls):
    def __init__(self, source: SourceText, find: Find | None) -> None:
        super().__init__(source, find)
        self.statements = 0
        self.depth = 0
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
        self.declared(node)
        for child in with_comments(node):
            if child.type == "variable_assignment":
                self._assign(child)

    # --- assignments and commands -----------------------------------------------------------

    def _assign(self, node: tree_sitter.Node) -> None:
        target, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if target is None:
            return
        if target.type == "subscript":
            self.forget(node)
            return
        if is_word(node):
            self._told(node.start_byte, node.end_byte, self.words.fields(node), {})
            return
        name = self.text(target)
        new = self.value(value)
        old = self.variables.get(name)
        added = any(child.type == "+=" for child in node.children)
        if name in self.numbers:
            new = self.as_number(new, old if added else None)
        elif added and old is not None:
            if old.elements is not None and new.elements is not None:
                new = Variable(elements=(*old.elements, *new.elements))
            elif old.elements is None and new.elements is None:
                new = Variable((*old.atoms, *new.atoms))
            else:
                new = UNKNOWN
        size = len(new.atoms) + len(new.elements or ())
        self.variables[name] = UNKNOWN if size >= MAX_PARTS else new

    def _redirected(self, node: tree_sitter.Node) -> None:
        """A command with its output led off; words behind ``> file`` are still its own."""
        body = node.child_by_field_name("body")
        redirects = node.children_by_field_name("redirect") or [
            child for child in node.children if child.type == "herestring_redirect"
        ]
        if body is None or body.type != "command":
            if body is None or body.type != "while_statement" or not self.fed(body, redirects):
                self.children(node)
            return
        files = [n for n in redirects if n.type == "file_redirect"]
        self._command(body, [w for n in files for w in n.children_by_field_name("destination")[1:]])
        name = body.child_by_field_name("name")
        for file, text in texts_of(self.words, self.text(name) if name else "", files, redirects):
            self.texts[file] = None if file in self.texts else text
        for one in redirects:
            if one.type != "heredoc_redirect" or name is None:
                continue
            if self.text(name) == "read":
                self._read_document(body, one)
            elif found := written_by(self.source, self.words, body, files, one):
                self.written.append(found)
            elif self.inner < MAX_INNER:
                self._document(self.text(name), one)

    def _read_document(self, command: tree_sitter.Node, node: tree_sitter.Node) -> None:
        """``read -r -d '' NAME <<EOF``: the whole here-document is what NAME becomes."""
        words = [w for n in with_comments(command)[1:] for w in self.words.fields(n)]
        texts = [word.value for word in words]
        if "" in texts and texts[texts.index("") - 1] in ("-d", "-rd") and texts[-1]:
            atoms = self.words.document(node)
            self.variables[texts[-1]] = UNKNOWN if atoms is None else Variable(tuple(atoms))

    def _document(self, program: str, node: tree_sitter.Node) -> None:
        """Follows a here-document that is a script."""
        found = document_body(program, node, self.source.body)
        root = tree_of("bash", as_meant(found[0])) if found is not None else None
        if found is None or root is None or root.has_error:
            return
        self.inner += 1
        self._inside(found[0], root, (), quoted_twice=self.quoted_twice)

    def _command(self, node: tree_sitter.Node, behind: Sequence[tree_sitter.Node] = ()) -> None:
        assignments: dict[str, str] = {}
        arguments: list[tree_sitter.Node] = []
        for child, field in with_fields(node):
            if is_word(child):
                arguments.append(child)
            elif child.type == "variable_assignment":
                target = child.child_by_field_name("name")
                value = self.value(child.child_by_field_name("value")).value
                if target is not None and value is not None:
                    assignments[self.text(target)] = value
            if field in ("name", "argument"):
                arguments.append(child)
        words: list[Word] = []
        shell, script = False, (0, 0)
        every = (*arguments, *behind)
        for at, child in enumerate(every):
            if self._nested(child, words, every, at):
                return
            last = words[-1].value if words else None
            again = (words and words[0].value == "eval") or (shell and last in ("-c", "-lc"))
            first = len(words)
            glue(words, self.words.fields(child, resplit=bool(again)))
            script = (script[0] or first, len(words)) if again else script
            shell = shell or is_shell(words)
        end = max([node.end_byte, *(n.end_byte for n in behind)])
        for one in commands_in(words, *script):
            self._told(node.start_byte, end, one, assignments)
            if one and one[0].value is not None:
                self.effects(one[0].value, one[1:])

    def _told(
        self, start: int, end: int, words: Sequence[Word], assignments: dict[str, str]
    ) -> None:
        span = self.source.span(start, end)
        own = (handed_on(word, quoted_twice=self.quoted_twice) for word in words)
        self.keep(Command(span, (*self.prefix, *own), assignments))

    def _nested(
        self, child: tree_sitter.Node, words: list[Word], every: Sequence[tree_sitter.Node], at: int
    ) -> bool:
        """Follows the script that this argument of a command is; False if it is none. What stands
        behind the script of ``bash -c`` is its ``$0`` and its positional parameters."""
        node = inner_node(self.prefix, words, child)
        body = inner_body(self.source.body, node) if node is not None else None
        if node is None or body is None or self.inner >= MAX_INNER:
            return False
        self.inner += 1
        root = tree_of("bash", as_meant(body))
        if root.has_error:
            words += self.words.fields(child)
            self._told(node.start_byte, node.end_byte, words, {})
            return True
        twice = self.quoted_twice or node.type != "raw_string"
        own = gives_parameters((*self.prefix, *words))
        given = [w for n in every[at + 1 :] for w in self.words.fields(n)][1:] if own else None
        self._inside(body, root, (*self.prefix, *words), quoted_twice=twice, given=given)
        return True

    def _inside(
        self,
        body: bytes,
        root: tree_sitter.Node,
        prefix: tuple[Word, ...],
        *,
        quoted_twice: bool,
        given: Sequence[Word] | None = None,
    ) -> None:
        outer = self.source, self.words, self.prefix, self.quoted_twice
        before = dict(self.variables)
        if given is not None:
            self.variables.update(parameters(given, self.source))
        self.source = self.source.masked(body)
        self.words = Expander(self.source, self.variables)
        self.words.file_text = self.file_text
        self.prefix, self.quoted_twice = prefix, quoted_twice
        self.run(root)
        self.source, self.words, self.prefix, self.quoted_twice = outer
        self._restore(before)


_HANDLERS: dict[str, Callable[[_Script, tree_sitter.Node], None]] = {
    "command": _Script._command,
    "redirected_statement": _Script._redirected,
    "variable_assignment": _Script._assign,
    "declaration_command": _Script._declaration,
    "variable_assignments": _Script._declaration,
    "unset_command": _Script.unset,
    "function_definition": _Script.define,
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


def parse_shell(
    source: SourceText,
    given: Mapping[str, str],
    find: Find | None = None,
    chosen: Choice | None = None,
) -> Document:
    """The commands of a script that finds ``given`` set, in the order in which they are reached;
    ``find`` reads the files that it sources; ``chosen`` is what its caller chose.

    Behind a quote or a here-document that nothing closes there is no telling what is a command.
    """
    read = body = as_meant(source.body)
    refused = refusal(body)
    if refused is not None and (refused.word in ("'", '"') or refused.kind == "document"):
        read = body[: body.rfind(b"\n", 0, refused.start) + 1]
    root = root_of(read)
    script = _Script(source.masked(source.body[: len(read)]), find)
    outer = {name: Variable((Atom(value, 0, 0, exact=False),)) for name, value in given.items()}
    script.chosen = chosen
    if chosen is not None and chosen.value is not None and not sets(source.text, chosen.name):
        outer[chosen.name] = Variable((Atom(chosen.value, 0, 0, exact=False),))
    script.variables.update({**outer, **slurm_variables(script.source.body)})
    script.run(root)
    script.finish()
    known = {name: v for name, v in script.variables.items() if v is not outer.get(name)}
    variables = {name: variable.value for name, variable in known.items()}
    held = {n: script.words.held(known[n]) for n, v in variables.items() if "--" in (v or "--")}
    read_once = {one.span for one in script.commands}
    unreached = tuple(one for one in script.unreached if one.span not in read_once)
    return Document(
        source.file, "shell", commands=tuple(script.commands), variables=variables, held=held,
        unreached=unreached,
        problems=tuple(problems_of(source, root, body, refused)),
        written=tuple(script.written[:MAX_INNER]),
        choices=selecting(script.selecting, script.commands, source.text),
        texts=script.texts, brought=tuple(script.brought), sourced=tuple(script.sourced.read),
    )  # fmt: skip
