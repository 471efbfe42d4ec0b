"""Orders of roles that a strict chat template refuses.

The templates of Mistral, Gemma and Llama-2 raise unless user and assistant alternate, beginning
with the user; trl and LLaMA-Factory drop or refuse unknown roles.
"""

from __future__ import annotations

from itertools import pairwise

from .records import Record, Turn, is_answer

USER = ("user", "human")
BETWEEN = ("system", "developer")
TOOLS = ("tool", "function", "observation", "ipython", "function_call", "tool_call", "tool_response",
         "environment")  # fmt: skip


def problem(record: Record) -> str:
    """The first thing in the order of roles that a strict template refuses, or ""."""
    if record.faults:
        return record.faults[0]
    if record.shape != "chat":
        return ""
    if not record.turns:
        return "no-turns"
    return _unknown(record.turns) or _order(record.turns) or _empty(record.turns)


def _unknown(turns: tuple[Turn, ...]) -> str:
    for turn in turns:
        if not (turn.role in USER or turn.role in BETWEEN or turn.role in TOOLS):
            if turn.role and not is_answer(turn.role):
                return f"unknown-role {turn.role[:30]}"
            if not turn.role:
                return "turn-without-role"
    return ""


def _order(turns: tuple[Turn, ...]) -> str:
    if any(t.role in BETWEEN for t in turns[1:]):
        return "system-not-first"
    talk = [t for t in turns if t.role not in BETWEEN]
    if not talk:
        return "only-system"
    if is_answer(talk[0].role):
        return "begins-with-assistant"
    for before, after in pairwise(talk):
        if before.role in USER and after.role in USER:
            return "two-user-turns"
        if is_answer(before.role) and is_answer(after.role) and not (before.calls or after.calls):
            return "two-assistant-turns"
    if not any(is_answer(t.role) or t.role in TOOLS for t in talk):
        return "no-assistant-turn"
    return ""


def _empty(turns: tuple[Turn, ...]) -> str:
    """A user's or an assistant's turn without words, unless it calls a tool."""
    for number, turn in enumerate(turns):
        calls = turn.calls or (number + 1 < len(turns) and turns[number + 1].role in TOOLS)
        if not turn.text.strip() and not calls and turn.role not in (*BETWEEN, *TOOLS):
            return "empty-assistant-turn" if is_answer(turn.role) else "empty-user-turn"
    return ""
