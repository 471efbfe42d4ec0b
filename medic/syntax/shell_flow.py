"""What branches and loops leave known of a script's variables."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from medic.facts import Choice, Command, Written
from medic.syntax.shell_atoms import UNKNOWN, Atom, Variable, agreed, extended
from medic.syntax.shell_choices import (
    Arm,
    arm_taken,
    arms_of_case,
    arms_of_if,
    choices_of,
    names_set,
    selector,
)
from medic.syntax.shell_inner import printed_document
from medic.syntax.shell_tests import truth
from medic.syntax.shell_words import Expander
from medic.syntax.source import SourceText
from medic.syntax.treesitter import named, with_comments
from medic.text.patterns import regex

if TYPE_CHECKING:
    import tree_sitter

LOOPS = ("for_statement", "while_statement", "c_style_for_statement")
_UNSET_TEST = regex(r"""-z\s+["']?\$\{?(\w+)|!\s*-v\s+(\w+)""")
_SET_TEST = regex(r"""-n\s+["']?\$\{?(\w+)|(?<!!)\s-v\s+(\w+)""")
# Names that an arithmetic command sets, not those that it only compares.
_COUNTED = regex(
    r"(?<![\w$])([A-Za-z_]\w*)(?=\s*(?:\+\+|--|<<=|>>=|[-+*/%&|^]?=(?!=)))|(?:\+\+|--)\s*([A-Za-z_]\w*)"
)

Variables = dict[str, Variable]
Branch = tuple["tree_sitter.Node | None", "Sequence[tree_sitter.Node]"]


class Flow(ABC):
    """Runs statements in order; ``variables`` holds what is known at this point."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.variables: Variables = {}
        self.commands: list[Command] = []
        self.unreached: list[Command] = []  # of branches that are not taken
        self.called: set[str] = set()
        self.written: list[Written] = []
        self.texts: dict[str, str | None] = {}  # what commands write to files
        self.chosen: Choice | None = None
        self.selecting: list[tuple[tuple[Choice, ...], frozenset[str]]] = []
        self.words = Expander(source, self.variables)

    @abstractmethod
    def run(self, node: tree_sitter.Node) -> None:
        """Follows one statement."""

    def text(self, node: tree_sitter.Node) -> str:
        return self.source.body[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def value(self, node: tree_sitter.Node | None) -> Variable:
        if node is None:
            return Variable()
        if node.type != "array":
            printed = printed_document(node)
            atoms = None if printed is None else self.words.document(printed)
            return Variable(tuple(self.words.atoms(node, quoted=True) if atoms is None else atoms))
        elements = [word for child in named(node) for word in self.words.fields(child)]
        return Variable(elements=tuple(elements))

    def children(self, node: tree_sitter.Node) -> None:
        for child in with_comments(node):
            self.run(child)

    def aside(self, node: tree_sitter.Node) -> None:
        """A subshell: what it sets is gone after it."""
        before = dict(self.variables)
        self.children(node)
        self._restore(before)

    def forget(self, node: tree_sitter.Node) -> None:
        """Variables that are set anywhere below are unknown from here on."""
        todo = [node]
        arithmetic = bool(node.children) and node.children[0].type == "(("
        found = _COUNTED.finditer(self.text(node)) if arithmetic else ()
        counted = {match[1] or match[2] for match in found}
        while todo:
            here = todo.pop()
            parent = here.parent.type if here.parent else ""
            is_set = parent in ("variable_assignment", *LOOPS) or self.text(here) in counted
            if here.type == "variable_name" and is_set:
                self.variables[self.text(here)] = UNKNOWN
            todo += with_comments(here)

    # --- branches ---------------------------------------------------------------------------

    def branches(self, node: tree_sitter.Node) -> None:
        """``if``: a condition that can be decided leaves one branch, else all are possible."""
        conditions = [c for c in node.children_by_field_name("condition") if c.is_named]
        clauses = [c for c in with_comments(node) if c.type.endswith("_clause")]
        skipped = {c.id for c in (*conditions, *clauses)}
        first = conditions[0] if len(conditions) == 1 else None
        found: list[Branch] = [(first, [c for c in with_comments(node) if c.id not in skipped])]
        for clause in clauses:
            parts = with_comments(clause)
            is_else = clause.type == "else_clause" or not parts
            found.append((None, parts) if is_else else (parts[0], parts[1:]))
        name, arms = arms_of_if(found) if len(found) > 1 else ("", [])
        if arms and (arm := self._chosen_arm(node)) is not None:
            self._only(arms, arm)
            return
        if arms and all(self.decide(condition) is None for condition, _ in found[:1]):
            self._may_select(node, name, arms)
        self._follow(found, closed=bool(clauses) and clauses[-1].type == "else_clause")

    def _follow(self, found: Sequence[Branch], *, closed: bool) -> None:
        ends: list[Variables] = []
        guarded: set[str] = set()
        for i, (condition, body) in enumerate(found):
            last = closed and i == len(found) - 1
            if condition is not None:
                self.run(condition)
                guarded |= self._guarded(self.text(condition), _UNSET_TEST)
            decided = self.decide(condition)
            if decided is False and not last:
                self._beside(body)
                continue
            before = dict(self.variables)
            for child in body:
                self.run(child)
            ends.append(dict(self.variables))
            if decided and not last:
                for _, other in found[i + 1 :]:
                    self._beside(other)
                break
            self._restore(before)
        else:
            if not closed:
                ends.append(dict(self.variables))
        self._merge(ends, guarded)

    def _beside(self, body: Sequence[tree_sitter.Node]) -> None:
        """A branch that is not taken: its commands are kept apart, what it sets and calls is not."""
        variables, taken, called = dict(self.variables), self.commands, set(self.called)
        written = len(self.written)
        self.commands = self.unreached
        for child in body:
            self.run(child)
        self.commands, self.called = taken, called
        del self.written[written:]
        self._restore(variables)

    def cases(self, node: tree_sitter.Node) -> None:
        """``case``: a word that is known takes one arm, else all are possible."""
        word, arms = node.child_by_field_name("value"), arms_of_case(node)
        arm = self._chosen_arm(node)
        if arm is None and word is not None and arms:
            value = self._one_word(word)
            taken = None if value is None else arm_taken(value, arms)
            arm = taken if taken is None or taken < 0 or not arms[taken].ends else None
            if arm is None and (name := selector(self.text(word))):
                self._may_select(node, name, arms)
        if arm is not None and arms:
            self._only(arms, arm)
            return
        before = dict(self.variables)
        ends = [before]
        for item in with_comments(node):
            if item.type == "case_item":
                self._restore(before)
                self.run(item)
                ends.append(dict(self.variables))
        self._merge(ends, set())

    def _only(self, arms: Sequence[Arm], taken: int) -> None:
        """Follows one arm; the others are not taken."""
        for i, arm in enumerate(arms):
            if i != taken:
                self._beside(arm.body)
        for child in arms[taken].body if taken >= 0 else ():
            self.run(child)

    def _chosen_arm(self, node: tree_sitter.Node) -> int | None:
        """The arm of a construct that is supposed to be taken; the variable is what it then is."""
        chosen = self.chosen
        if chosen is None or chosen.at != node.start_byte or not self.is_own(node):
            return None
        known = self.variables.get(chosen.name)
        if chosen.value is not None and (known is None or not known.value):
            self.variables[chosen.name] = Variable((Atom(chosen.value, 0, 0, exact=False),))
        return chosen.arm

    def _may_select(self, node: tree_sitter.Node, name: str, arms: Sequence[Arm]) -> None:
        names = names_set(arms) if self.chosen is None and self.is_own(node) else frozenset()
        choices = choices_of(node, name, arms) if names else ()
        if choices:
            self.selecting.append((choices, names))

    def is_own(self, node: tree_sitter.Node) -> bool:
        """Whether a construct stands in the script itself, outside of loops and functions."""
        return node.parent is not None and node.parent.type == "program"

    def either(self, node: tree_sitter.Node) -> None:
        """``a && b``, ``a || b``; other lists are statements in order."""
        operator = self.text(node.children[1]) if len(node.children) == 3 else ""
        if operator not in ("&&", "||"):
            self.children(node)
            return
        left, right = node.children[0], node.children[2]
        self.run(left)
        decided = self.decide(left)
        if decided is not None and decided == (operator == "||"):
            return
        before = dict(self.variables)
        self.run(right)
        pattern = _UNSET_TEST if operator == "&&" else _SET_TEST
        if decided is None:
            after = dict(self.variables)
            self._merge([after, before], self._guarded(self.text(left), pattern))

    def decide(self, condition: tree_sitter.Node | None) -> bool | None:
        """Whether a condition holds, as far as that is known."""
        return None if condition is None else truth(condition, self._one_word)

    def _one_word(self, node: tree_sitter.Node) -> str | None:
        words = self.words.fields(node)
        if not words:
            return ""
        return words[0].value if len(words) == 1 else None

    # --- loops ------------------------------------------------------------------------------

    def loop(self, node: tree_sitter.Node) -> None:
        before = dict(self.variables)
        body = node.child_by_field_name("body")
        for condition in node.children_by_field_name("condition"):
            self.run(condition)
        self.forget(node)
        for name in self._appended(node) - before.keys():
            del self.variables[name]  # the first time it holds nothing yet
        variable = node.child_by_field_name("variable")
        values = node.children_by_field_name("value")
        if variable is not None and len(values) == 1:
            words = self.words.fields(values[0])
            if len(words) == 1 and words[0].value is not None:
                atoms = tuple(self.words.atoms(values[0], quoted=True))
                self.variables[self.text(variable)] = Variable(atoms)
        if body is not None:
            self.run(body)
        self._merge([dict(self.variables), before], set())

    def _appended(self, node: tree_sitter.Node) -> set[str]:
        """Arrays that a loop only adds to (``ARGS+=(…)``)."""
        sets: dict[str, bool] = {}
        todo = [node]
        while todo:
            here = todo.pop()
            todo += here.children
            name = here.child_by_field_name("name") if here.type == "variable_assignment" else None
            if name is not None:
                value = here.child_by_field_name("value")
                adds = any(c.type == "+=" for c in here.children)
                alone = adds and value is not None and value.type == "array"
                sets[self.text(name)] = sets.get(self.text(name), True) and alone
        return {name for name, alone in sets.items() if alone and name in self.variables}

    # --- what is known after them -----------------------------------------------------------

    def _merge(self, ends: Sequence[Variables], guarded: set[str]) -> None:
        """Keeps what all ends agree on; a guarded variable was set only where it had no value."""
        merged: Variables = {}
        for name in {name for end in ends for name in end}:
            values = {end.get(name) for end in ends}
            if name in guarded:
                values.discard(None)
            merged[name] = agreed(values) or extended(name, values) or UNKNOWN
        self._restore(merged)

    @staticmethod
    def _guarded(condition: str, pattern: re.Pattern[str]) -> set[str]:
        return {name for pair in pattern.findall(condition) for name in pair if name}

    def unset(self, node: tree_sitter.Node) -> None:
        for child in with_comments(node):
            self.variables.pop(self.text(child), None)

    def _restore(self, variables: Variables) -> None:
        self.variables.clear()
        self.variables.update(variables)
