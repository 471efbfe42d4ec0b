"""Pasted text parted into log lines, prose, settings and commands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from medic.match.program import without_code
from medic.match.told_values import JOINING, tells_a_value
from medic.text.accounting import ACCOUNTED, DISK_ROWS, TABLE_ROWS
from medic.text.patterns import regex

Kind = Literal["log", "prose", "config", "command"]


class Fragment(NamedTuple):
    """Neighbouring lines of one kind; ``line`` is the number of the first, from 1."""

    kind: Kind
    text: str
    line: int


_TITLE = r"\[(?i:bugs?|qst|question|help|usage|issue|feature|问题|求助|提问)\b[^\]\n]{0,24}\] "  # of a report
# What a log line begins with: matched at its start, which is several times faster than a search.
_LOG = regex(
    "|".join(
        (
            # Times, ranks, levels, launchers.
            r"^\s*(?:\[\w+\]:?\s*)*\[?\d{4}[-/]\d\d[-/]\d\d[T _]\d\d:\d\d",
            r"^\s*(?:\[\w+\]:?\s*)*(?:\[?[IWEF]\d{3,4} \d\d:|\d\d:\d\d:\d\d\b)",
            r"^\[(?:rank|default)?\d+\]|^\[[EWIF] ",
            r"^(?:INFO|WARN|WARNING|ERROR|DEBUG|FATAL)\b[: |\]]",
            r"^\s*\(\w[\w ]*pid=\d+[^)]*\)|^\s*\((?:raylet|autoscaler|gcs_server)\b[^)]*\)",
            r"^\[[ \d.]+\] \S|^\[\w{3} \w{3} +\d+ [\d:]+ \d{4}\]|.*NVRM: |^\s*exitcode\s+: ",
            r"^[\w ,()-]+:\s+\d+%\|",
            r"^To avoid data inconsistency, we are|^Some NCCL operations have failed or timed out",
            r"^MPI_ABORT was|^with errorcode -?\d+\.$|^NOTE: invoking MPI|^You may or may not see output",
            r"^If reserved memory is >>|^See documentation for|^For debugging consider passing",
            r"^Compile with `TORCH_USE|^CUDA kernel errors might|^Special tokens have been added",
            rf"^(?!{_TITLE})\[[^\]\d\n]{{1,24}}\] |^Some weights of |^You should probably TRAIN",
            r"^\s*\S+\.(?:c|cc|cpp|cu|cuh|h|hpp):\d+(?::\d+)?: |^OMP: |^traps: ",
            r"^(?:\S*/)?(?:ld|gcc|g\+\+|cc|c\+\+|nvcc|collect2|ptxas|make|ninja)(?:\[\d+\])?\s*: ",
            r"^[a-z_]\w*(?:\.\w+){2,}: \S",
            r"^`?Trainer\.fit`? stopped|^slurmstepd:|^srun: error|^Killed$|^terminate called|^\s*what\(\):",
            # Exceptions, frames, messages with their place.
            r"^(?:\w+\.)*\w*(?:[Ee]rror|Exception|Warning|Interrupt|Exit)\b(?:\([^)]*\))?\s*:",
            r"^Exception ignored in: |^\w*(?:Error|Exception|Interrupt)$|^Error\(s\) in loading state_dict for",
            r"^\s*size mismatch for \S+: |^\s*(?:Missing|Unexpected) key\(s\) in state_dict:",
            r"^\[[EWIF]\d{3,4} |^Loading checkpoint shards:|^\w+Error\(\w+\): ",
            r"^(?:Epoch|Step|Iter(?:ation)?)\b[ :\[(]*\d+\b.*[:=] *-?\d+\.\d",
            r"^\s*Traceback \(most recent|^\s*File \".*\", line \d+",
            r"^#\d+ \w|^frame #\d+|^\S+\.(?:py|cc|cpp|cuh?|h|hpp):\d+\b|^[\w./-]+: error: |^\s*step:\d+ - ",
            rf"{ACCOUNTED}|{DISK_ROWS}|{TABLE_ROWS}",
            r"^\s*\{'\w+': |^\s*\d+%\|.*\| \d+/\d+",
        )
    )
)
# What a log line may hold anywhere, unless it reads as a sentence.
_LOG_WORDS = regex(
    r"\b(?:INFO|WARN|WARNING|ERROR|DEBUG|FATAL)\b[: |\]]|\bNCCL (?:INFO|WARN)\b|"
    r"\bexit ?code\b\s*[:=]? ?-?\d+|CUDA (?:error|out of memory)|Segmentation fault|"
    r"(?P<value>\b(?:[Ss]tep|[Ii]ter|iteration|[Ee]poch)\b[ :=#]*\d+\b.*\b(?:loss|lr)\b|"
    r"\bloss\b\s*[:=]?\s*\[?(?:[Nn]a[Nn]|[Ii]nf|\d[\d.]*)\b)"
)
# A few words as people type them: no sign but a comma, and one of the small words that no log has.
_TYPED = regex(r"[A-Za-z0-9][\w'-]*(?:,? [A-Za-z0-9][\w'-]*){2,}[.?!]?")
_SMALL = regex(
    r"(?i)\b(?:at|in|on|only|during|after|when|while|from|with|without|too|since|even|the|my|every|and|but|is|becomes?|always|suddenly)\b"
)
_SPOKEN = regex(rf"[\u3001\u3002\uff0c\uff1a\uff1b\uff1f]|^{_TITLE}")
_JUDGED = 500  # characters of a line that tell its kind
_LAUNCHERS = (
    r"torchrun|accelerate|deepspeed|srun|sbatch|mpirun|nohup|llamafactory-cli|swift|xtuner|litgpt|"
    r"tune|composer|axolotl|colossalai|ray|docker|kubectl|pip3?|conda|nvidia-smi|export|bash|sh|"
    r"source|cd"
)
_ASSIGNED = r"(?:[A-Z][A-Z0-9_]*=\S*\s+)"
_COMMAND = regex(
    rf"^\s*(?:[$%]\s+\S|{_ASSIGNED}*(?:{_LAUNCHERS})\s+(?:-|\S*[./=-]\S*|\w+\s+-|"
    r"\w+\s+\S+\.(?:py|ya?ml|sh)\s+--?\w)|"
    rf"{_ASSIGNED}*(?:\S*/)?python[\d.]*\s+(?:-|\S+\.py\b)|{_ASSIGNED}+\S|"
    r"--?[A-Za-z][\w.-]*(?:[= ]\S+)?(?:\s+--[A-Za-z][\w.-]*(?:[= ]\S+)?)*\s*\\?$)"
)
_KEY = regex(
    r"^\s*(?:- )?[\"']?[A-Za-z_][\w./-]*[\"']?\s*"
    r"(?::(?:\s+(?:[\"'\[{].*|[^\s,]+,?|[^\s,]+\s+#.*)|\s*)$|"
    r"=\s*(?:[\"'\[{].*|[^\s,=]+,?)(?:\s+#.*)?$)"
)
_BRACKET = regex(
    r"^\s*[\[\]{}],?\s*$|^\s*\[[\w.]+\]\s*$|^\{\s*\"|"
    r"^\s*[\"'][\w./-]+[\"']\s*:\s*[{\[\"'\d.tfn-]"
)

# The first line of an exception with the module of its class: no setting and no sentence begins so.
_RAISED = regex(r"^(?:\[\w+\]:\s*|\([^)]*pid=[^)]*\)\s*)?(?:\w+\.)+\w*(?:Error|Exception)\s*:\s+\S")

# A summary that a launcher prints between lines of one sign: its headings, rows and verdict.
_SIGNS = r"^\s*(?:={5,}|-{5,}|\*{5,})\s*$"
_RULE = regex(_SIGNS)
_REPORTED = regex(rf"^\s+\S|{_SIGNS}|^\S+ FAILED\s*$|^[A-Z][\w() ]*:\s*$|^\[\d+\]:\s*$")

JOINED = 3  # of the words that only join others


def split_paste(text: str, printed: Collection[int] = ()) -> list[Fragment]:
    """Neighbouring lines of one kind together; blank lines and continuations stay with theirs.

    ``printed`` are numbers of lines, from 1, that a program is known to print.
    """
    return list(_split(text, frozenset(printed)))


@lru_cache(maxsize=2)
def _split(text: str, printed: Collection[int]) -> tuple[Fragment, ...]:
    fragments: list[Fragment] = []
    lines = text.split("\n")
    kinds = _kinds(lines, printed)
    start = 0
    for end in range(1, len(lines) + 1):
        if end == len(lines) or kinds[end] != kinds[start]:
            body = "\n".join(lines[start:end])
            if body.strip():
                lead = next(n for n in range(start, end) if lines[n].strip())
                shown = "\n".join(lines[lead:end]).rstrip()
                fragments.append(Fragment(kinds[start], shown, lead + 1))
            start = end
    return tuple(fragments)


WORDS = 32 * 1024  # characters at each end of a long description; no person writes more


def gist(prose: str) -> str:
    """What of a description is read as words: each line once, of a long one its two ends.

    What a program printed over and over says nothing more to a reader of sentences, and each costs
    about a millisecond. What is scanned as a log is not shortened.
    """
    seen: set[str] = set()
    kept = []
    for line in prose.split("\n"):
        if line not in seen:
            kept.append(line)
        if line.strip():
            seen.add(line)
    said = "\n".join(kept)
    return said if len(said) <= 2 * WORDS else f"{said[:WORDS]}\n{said[-WORDS:]}"


# No person writes a line so often with other numbers; a bar that grows is the same line, too.
OFTEN = 5
_VARIES = regex(r"[\d.,#=>\s\u2580-\u259f-]+")
_DIGIT = regex(r"\d")


def _repeated(lines: list[str]) -> frozenset[int]:
    """Numbers of the lines, from 1, that stand there again and again but for their numbers."""
    if len(lines) < OFTEN:
        return frozenset()
    cut = [line[:_JUDGED] for line in lines]
    shapes = [_VARIES.sub("", line) if _DIGIT.search(line) else "" for line in cut]
    often = {shape for shape, n in Counter(shapes).items() if n >= OFTEN and shape}
    return frozenset(
        n for n, shape in enumerate(shapes, 1) if shape in often and not is_sentence(cut[n - 1])
    )


def _kinds(lines: list[str], printed: Collection[int]) -> list[Kind]:
    printed = _repeated(lines).union(printed)
    kinds: list[Kind] = []
    before: Kind = "prose"
    traceback = ruled = False
    for number, line in enumerate(lines):
        if line.strip().startswith("```"):
            before = "log" if before == "log" else "prose"  # no part of what it stands around
        elif line.strip():
            # Source lines under a traceback's frames belong to it, whatever they look like, and so do
            # the fields that an exception prints below its first line.
            indented = line.startswith((" ", "\t"))
            begins = "Traceback (most recent" in line or _RAISED.match(line[:_JUDGED]) is not None
            traceback = begins or (traceback and indented)
            joined = number > 0 and lines[number - 1].rstrip().endswith("\\")
            continued = joined and before == "command"
            kind = "command" if continued else _kind(line, before)
            if before == "log" and _RULE.match(line):
                ruled = True
            elif ruled and (is_sentence(line) or _typed(line)):
                ruled = False
            known = traceback or (kind == "prose" and number + 1 in printed)
            known = known or (ruled and _REPORTED.match(line) is not None)
            before = "log" if known else kind
        kinds.append(before)
    return _whole(lines, _alone(lines, without_code(lines, kinds)))


# From so many lines on, with such a share of them printed, a text is a log.
LOG_LINES, LOG_SHARE = 10, 0.8


def _whole(lines: list[str], kinds: list[Kind]) -> list[Kind]:
    """In a log words are its program's; a person writes before or behind it, in sentences."""
    told = [n for n, line in enumerate(lines) if line.strip()]
    logged = [n for n in told if kinds[n] == "log"]
    if len(told) < LOG_LINES or len(logged) < LOG_SHARE * len(told):
        return kinds
    first, last = logged[0], logged[-1] + 1
    # What stands behind the last line of a log is seldom its program's.
    first = first if any(map(is_spoken, lines[:first])) else 0
    last = last if any(is_spoken(line) or _typed(line) for line in lines[last:]) else len(lines)
    out = list(kinds)
    out[first:last] = ["log"] * (last - first)
    return out


def is_spoken(line: str) -> bool:
    """Whether a person may have written it: a sentence, or a few words that complain."""
    if is_sentence(line) or _SPOKEN.search(line) is not None:
        return True
    if not _typed(line):
        return False
    from medic.match.tone import complains

    return complains(line)


# Plain words in a row, as no setting and no command has them outside of quotes and comments.
_ROW = regex(r"(?:(?<![\w./=-])[A-Za-z][a-z']* ){4,}")
_QUOTED = regex(r"\"[^\"]*\"|'[^']*'|\s#.*|^\s*#.*")


def _kind(line: str, before: Kind) -> Kind:
    line = line[:_JUDGED]
    bare = _QUOTED.sub(" ", line)
    told = not _LOG.match(line) and bool(_ROW.search(bare) or _SPOKEN.search(bare))
    spoken = line.lstrip().startswith("- ") or _SPOKEN.search(line) or is_joined(line) or told
    if _COMMAND.match(line) and not spoken:
        return "command"
    if _BRACKET.match(line) and not told:
        return "config"
    if _LOG.match(line) or _has_log_words(line):
        return "log"
    if _KEY.match(line) and not told:
        return "config"
    return "log" if before == "log" and line.startswith((" ", "\t")) else "prose"


def _has_log_words(line: str) -> bool:
    found = _LOG_WORDS.search(line)
    if found is None or is_sentence(line) or _typed(line):
        return False
    return not (found["value"] and tells_a_value(line))


def is_sentence(line: str) -> bool:
    """Eight words from a capital, digit or quote on, or with three that only join; or Chinese marks."""
    if any(sign in line for sign in "。，？："):
        return True
    start, words = line.lstrip("\"'(")[:1], line.split()
    led = start.isupper() or (start.isdigit() and ". " in line)
    return (led or is_joined(line)) and len(words) >= 8 and "|" not in line


def _typed(line: str) -> bool:
    words = line.strip()
    return _TYPED.fullmatch(words) is not None and _SMALL.search(words) is not None


def is_joined(line: str) -> bool:
    option = line.lstrip().startswith("--")  # no sentence, whatever its help says
    return not option and len(JOINING.intersection(line.split())) >= JOINED


# Whose words it is that stand between two log lines.
_OWN = regex(r"(?i)\b(?:i|i'\w+|my|me|we|we'\w+|our|us|you|please|why|how)\b|[?\u3001-\uffef]")


def _alone(lines: list[str], kinds: list[Kind]) -> list[Kind]:
    """A single setting inside a log is a log line: dumps and reports are printed so. So is a line in
    words, right between two others, in which nobody speaks and nothing is complained of."""
    out = list(kinds)
    for n, kind in enumerate(kinds):
        around = kinds[max(n - 1, 0)], kinds[min(n + 1, len(kinds) - 1)]
        if kind != "log" and around == ("log", "log") and _printed(kind, lines[n - 1 : n + 2]):
            out[n] = "log"
    return out


def _printed(kind: Kind, lines: Sequence[str]) -> bool:
    """Whether the second of three lines is its neighbours' program's."""
    from medic.match.tone import complains

    above, line, below = lines
    if kind == "config":
        return "{" not in line
    inside = kind == "prose" and _LOG.match(above) is not None and _LOG.match(below) is not None
    return inside and not (_OWN.search(line) or _typed(line) or complains(line))
