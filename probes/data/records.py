"""One record of a data set as what a trainer makes of it: prompt, answer, roles, label, ids.

Shapes: alpaca (instruction, input, output), ShareGPT (conversations of from/value), messages of
role/content, text, prompt/completion, preference pairs (chosen, rejected), token ids, labelled text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from medic.records import dataclass

TEXT_KEYS = ("text", "content", "raw_content", "document", "code", "article", "passage", "body")
PROMPT_KEYS = (
    "prompt",
    "instruction",
    "question",
    "query",
    "problem",
    "context",
    "input",
    "source",
)
ANSWER_KEYS = ("completion", "response", "output", "answer", "solution", "target", "summary")
CHAT_KEYS = ("messages", "conversations", "conversation", "dialogue", "dialog", "chat")
# The right answer, beside a pair of answers.
REFERENCE_KEYS = (
    "gold", "reference", "ground_truth", "gold_answer", "reference_answer", "correct_answer",
    "expected", "answer", "solution", "target",
)  # fmt: skip
SCORES = ("score", "rating", "reward")  # of each answer of a pair: more is better
LABEL_KEYS = ("label", "labels", "class", "category", "target_label")
ID_KEYS = ("input_ids", "tokens", "token_ids")
MAX_TURNS = 2_000
IGNORED_LABEL = -100  # torch's cross_entropy: a token that is not trained on


@dataclass(frozen=True)
class Turn:
    """``calls``: it calls a tool, so that it may be without words."""

    role: str
    text: str
    calls: bool = False


@dataclass(frozen=True)
class Record:
    """``answer`` is None where the shape has none, "" where it is empty."""

    shape: str
    prompt: str = ""
    answer: str | None = None
    turns: tuple[Turn, ...] = ()
    rejected: str | None = None
    reference: str | None = None  # of a preference: the right answer
    scores: tuple[float, float] | None = None  # of a preference: that of chosen, of rejected
    label: str | None = None
    ids: Sequence[int] = ()
    targets: Sequence[int] | None = None  # labels of the tokens, where they are in the data
    faults: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """All that is trained on or shown to the model, for hashes and for its quality."""
        if self.turns:
            return "\n".join(t.text for t in self.turns)
        return "\n".join(p for p in (self.prompt, self.answer, self.rejected) if p)


def read(record: Mapping[str, Any]) -> Record:
    """The record by the names of its fields; of shape "unknown" where none is known."""
    fields = {str(k).lower(): v for k, v in record.items()}
    for name in CHAT_KEYS:
        if isinstance(fields.get(name), list):
            return _chat(fields[name], fields)
    if "chosen" in fields and "rejected" in fields:
        return _preference(fields)
    for name in ID_KEYS:
        if _is_ids(fields.get(name)):
            targets = fields.get("labels")
            return Record("token-ids", ids=fields[name], targets=_ids(targets))
    return _plain(fields)


def _is_ids(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(type(v) is int for v in value[:50])


def _ids(value: Any) -> Sequence[int] | None:
    return value if _is_ids(value) else None


def _chat(turns: list[Any], fields: Mapping[str, Any]) -> Record:
    read_turns, faults = _turns(turns)
    if fields.get("system") and isinstance(fields["system"], str):
        read_turns = (Turn("system", fields["system"]), *read_turns)
    last = max((n for n, t in enumerate(read_turns) if is_answer(t.role)), default=-1)
    before = read_turns[:last] if last >= 0 else read_turns
    answer = read_turns[last].text if last >= 0 else None
    prompt = "\n".join(t.text for t in before)
    return Record("chat", prompt, answer, read_turns, faults=faults)


def _turns(turns: list[Any]) -> tuple[tuple[Turn, ...], tuple[str, ...]]:
    found: list[Turn] = []
    faults: list[str] = []
    for turn in turns[:MAX_TURNS]:
        if not isinstance(turn, Mapping):
            faults.append("turn-is-no-object")
            continue
        role = turn.get("role", turn.get("from"))
        content = turn.get("content", turn.get("value"))
        if not isinstance(role, str):
            faults.append("turn-without-role")
        calls = bool(turn.get("tool_calls") or turn.get("function_call"))
        found.append(Turn(str(role).lower() if role else "", _words(content), calls))
    return tuple(found), tuple(dict.fromkeys(faults))


def _words(content: Any) -> str:
    """Text of a turn; of parts (text and images) the texts, and a mark for each other part."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(_part(p) for p in content[:MAX_TURNS])
    return "" if content is None else str(content)[:1000]


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, Mapping):
        text = part.get("text", part.get("content"))
        return text if isinstance(text, str) else f"<{str(part.get('type', 'part'))[:20]}>"
    return ""


def is_answer(role: str) -> bool:
    """Whether turns of this role are what the model learns to write."""
    return role in ("assistant", "gpt", "model", "chatgpt", "bot", "ai")


def _preference(fields: Mapping[str, Any]) -> Record:
    prompt = _side(fields.get("prompt", fields.get("question", "")))
    chosen, rejected = fields["chosen"], fields["rejected"]
    turns: tuple[Turn, ...] = ()
    faults: tuple[str, ...] = ()
    if isinstance(chosen, list):
        turns, faults = _turns(chosen)
    return Record(
        "preference",
        prompt,
        _side(chosen),
        turns if len(turns) > 1 else (),
        rejected=_side(rejected),
        reference=_first(fields, REFERENCE_KEYS),
        scores=_scores(fields),
        faults=faults,
    )


def _scores(fields: Mapping[str, Any]) -> tuple[float, float] | None:
    """``score_chosen`` and ``score_rejected``, in either order of the words."""
    for name in SCORES:
        for form in (f"{name}_{{}}", f"{{}}_{name}", f"{{}}-{name}"):
            both = [fields.get(form.format(side)) for side in ("chosen", "rejected")]
            if all(isinstance(b, (int, float)) and not isinstance(b, bool) for b in both):
                return float(both[0] or 0), float(both[1] or 0)
    return None


def _side(value: Any) -> str:
    if isinstance(value, list):
        return "\n".join(t.text for t in _turns(value)[0])
    return value if isinstance(value, str) else ""


def _plain(fields: Mapping[str, Any]) -> Record:
    label = _label(fields)
    answer = _first(fields, ANSWER_KEYS)
    prompts = [fields[k] for k in PROMPT_KEYS if isinstance(fields.get(k), str)]
    if answer is not None and prompts:
        return Record("prompt-answer", "\n".join(p for p in prompts if p), answer, label=label)
    text = _first(fields, TEXT_KEYS)
    if text is not None:
        return Record("labelled" if label is not None else "text", answer=text, label=label)
    if prompts:
        shape = "labelled" if label is not None else "prompt"
        return Record(shape, "\n".join(prompts), label=label)
    return Record("unknown", label=label)


def _first(fields: Mapping[str, Any], names: Sequence[str]) -> str | None:
    for name in names:
        if name not in fields:
            continue
        value = fields[name]
        if isinstance(value, str):
            return value
        if value is None:
            return ""
    return None


def _label(fields: Mapping[str, Any]) -> str | None:
    for name in LABEL_KEYS:
        value = fields.get(name)
        if isinstance(value, (int, str, bool)) and len(str(value)) <= 60:
            return str(value)
    return None
