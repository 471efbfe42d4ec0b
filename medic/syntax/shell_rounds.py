"""Loops that only collect arguments: ``for kv in a=1 b=2; do ARGS+=(--${kv%%=*} ${kv#*=}); done`` and
``while read -r k v; do ARGS+=("--$k" "$v"); done <<EOF``. Their rounds are followed one by one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from medic.syntax.shell_atoms import Atom, Variable, joined
from medic.syntax.shell_flow import Flow
from medic.syntax.treesitter import with_comments
from medic.text.patterns import regex

if TYPE_CHECKING:
    import tree_sitter

MAX_ROUNDS = 64
_QUIET = frozenset(("echo", "printf", ":", "true"))
_EXPANDS = regex(r"[*?\[{]")  # to files, or to several words
_READ = regex(
    r"^(?:IFS=(?P<apart>\S*)[ \t]+)?read(?:[ \t]+-r)?(?P<names>(?:[ \t]+[A-Za-z_]\w*)+)[ \t]*$"
)
_LOOPS = ("for_statement", "while_statement", "c_style_for_statement", "case_statement")


class Rounds(Flow):
    """Follows such loops; all others as what may happen."""

    def loop(self, node: tree_sitter.Node) -> None:
        words = self._listed(node)
        variable = node.child_by_field_name("variable")
        if words is None or variable is None:
            super().loop(node)
            return
        for word in words:
            self._round(node, {self.text(variable): word})

    def fed(self, loop: tree_sitter.Node, redirects: Sequence[tree_sitter.Node]) -> bool:
        """Follows ``while read NAMES``, where what it reads is known; False where it is not."""
        conditions = [c for c in loop.children_by_field_name("condition") if c.is_named]
        found = _READ.match(self.text(conditions[0]).strip()) if len(conditions) == 1 else None
        text = self._read_text(redirects[0]) if len(redirects) == 1 and found is not None else None
        if found is None or text is None or not self._collects(loop):
            return False
        lines = [line.strip() for line in text.split("\n")]
        if lines and not lines[-1]:
            lines.pop()
        if len(lines) > MAX_ROUNDS or any("\\" in line for line in lines):
            return False
        names, apart = found["names"].split(), (found["apart"] or "").strip("\"'")
        for line in lines:
            parts = line.split(apart or None, len(names) - 1)
            values = [*parts, *[""] * (len(names) - len(parts))]
            self._round(loop, dict(zip(names, values, strict=True)))
        return True

    @abstractmethod
    def file_text(self, name: str) -> str | None:
        """What a file beside the script says; None where it is not there."""

    def _read_text(self, redirect: tree_sitter.Node) -> str | None:
        if redirect.type == "heredoc_redirect":
            atoms = self.words.document(redirect)
            return None if atoms is None else joined((a.text for a in atoms), "")
        if redirect.type == "herestring_redirect":
            words = with_comments(redirect)
            return self.value(words[0]).value if len(words) == 1 else None
        target = redirect.child_by_field_name("destination")
        if redirect.type != "file_redirect" or target is None or redirect.children[0].type != "<":
            return None
        name = self.value(target).value
        return self.file_text(name) if name else None

    def _round(self, loop: tree_sitter.Node, values: dict[str, str]) -> None:
        at = loop.start_byte
        for name, value in values.items():
            self.variables[name] = Variable((Atom(value, at, at, exact=False),))
        body = loop.child_by_field_name("body")
        if body is not None:
            self.run(body)

    def _listed(self, node: tree_sitter.Node) -> list[str] | None:
        """The words of a ``for``, where all are known, there are several, and it only collects."""
        nodes = node.children_by_field_name("value") if node.type == "for_statement" else []
        if not nodes or not self._collects(node):
            return None
        words = [word.value for one in nodes for word in self.words.fields(one)]
        known = [word for word in words if word is not None]
        if len(known) < len(words) or not 1 < len(known) <= MAX_ROUNDS:
            return None
        return None if any(map(_EXPANDS.search, known)) else known

    def _collects(self, loop: tree_sitter.Node) -> bool:
        """Whether the body adds to variables and runs nothing."""
        adds = False
        todo = [loop.child_by_field_name("body")]
        while todo:
            here = todo.pop()
            if here is None:
                continue
            if here.type == "command":
                name = here.child_by_field_name("name")
                if name is None or self.text(name) not in _QUIET:
                    return False
            elif here.type in (*_LOOPS, "subshell", "command_substitution", "process_substitution"):
                return False
            adds |= here.type == "+="
            todo += here.children
        return adds
