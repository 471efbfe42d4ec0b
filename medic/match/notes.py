"""Whether a file is a report that a person wrote."""

from __future__ import annotations

from medic.match.paste import is_sentence, is_spoken, split_paste

# A person's report is a sentence in this share of its lines, at least; a log holds one at times.
NOTE_SENTENCES = 0.1
FEW = 5  # lines of words alone, one of which complains: a program prints something else, too


def is_note(text: str) -> bool:
    """Whether a person wrote it: sentences, with log lines and settings between them, or a few
    words that complain."""
    lines = [line for line in text.split("\n") if line.strip()]
    parts = split_paste(text)
    prose = [f.text for f in parts if f.kind == "prose"]
    if len(lines) <= FEW and any(map(is_spoken, lines)) and len(prose) == len(parts):
        return True
    said = [line for part in prose for line in part.split("\n") if is_sentence(line)]
    return bool(said) and len(said) >= NOTE_SENTENCES * len(lines)
