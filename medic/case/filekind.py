"""What a file is, from its name and its first bytes."""

from __future__ import annotations

import re
from pathlib import Path

from medic.case.byhand import (
    NOTE_BYTES,
    WORDS_BYTES,
    holds_log,
    is_called_note,
    is_reported,
    is_written_by_hand,
    may_complain,
    names_data,
    names_log,
    repeats,
    tells_in_words,
)
from medic.case.datakind import (
    first_object,
    has_index,
    is_data,
    is_record,
    is_table,
    is_tracked,
    is_written,
)
from medic.case.gpukind import TRAINS, goes_on, is_gpu_report
from medic.case.hostkind import is_host_report, is_listing
from medic.case.kernelkind import has_kernel_lines, has_no_report, is_kernel_log, may_be_kernels
from medic.case.recorderkind import is_bare_rank, is_recorder, names_recorder
from medic.facts import FileKind
from medic.text.encodings import utf8
from medic.text.openings import head_of, is_shell
from medic.text.patterns import regex

HEAD = 4096
_BLANKS = 4096  # bytes that a file without content has at most
_RANK = regex(
    r"(?:^|[^a-z0-9])(?:rank|local[_-]?rank|worker)[_.-]?(\d{1,5})(?:[^0-9]|$)"
    r"|^log_(\d{1,5})\.txt$|^slurm-\d+[_.](\d{1,5})\.(?:out|err)$",
    re.IGNORECASE,
)
# torchrun --log-dir: …/RANK/stdout.log; others name the folder after the rank.
_RANK_FOLDER = regex(r"^(?:(?:local[_-]?)?rank[_.-]?)?(\d{1,5})$", re.IGNORECASE)
_RANK_FILES = ("stdout", "stderr", "error.json", "log", "output")
_LOG_NAMES = regex(
    r"(?:\.log|\.out|\.err|\.txt)(?:\.\d+)?(?:\.gz|\.zst|\.bz2|\.xz)?$|(?:^|[/._-])(?:stdout|stderr|nohup)\b|"
    r"^slurm-|(?:^|/)log(?:$|[._-])",
    re.IGNORECASE,
)
_NOT_LOGS = regex(
    r"^(?:requirements|readme|license|notice|changelog|vocab|merges|special_tokens|environment|"
    r"cmakelists|about|constraints)[\w.-]*\.(?:txt|md)$|\.md$",
    re.IGNORECASE,
)
_IGNORED_JSON = regex(
    r"^(?:tokenizer|special_tokens_map|vocab|added_tokens|generation_config|preprocessor_config|"
    r"package(?:-lock)?|chat_template|wandb-(?:summary|metadata))[\w.-]*\.json$|^all_results\.json$|^train_results\.json$|"
    r"^eval_results\.json$",
    re.IGNORECASE,
)
_CHECKPOINT_ENDS = (".pt", ".pth", ".bin", ".ckpt", ".safetensors")
_NOT_CHECKPOINTS = regex(
    r"^(?:rng_state|scheduler|optimizer|training_args|scaler)[\w.-]*\.(?:pt|bin|pth)$"
)


# What py-spy prints of a process, as text and as JSON, and what medic attach saves.
_STACK_TEXT = rb"^Thread (?:0x)?[0-9A-Fa-f]+ \((?:idle|active)(?:\+gil)?\)"
# What a machine's own programs printed, by names that are no log's or another kind's.
_HOST_NAMES = regex(
    r"topo|environment|collect_?env|env_?info|freeze|pip_?list|packages|(?:^|[._-])(?:df|ip-?addr|"
    r"ifconfig|meminfo|free)(?:$|[._-])"
)
_REPORT = 1 << 20  # bytes of such a text that are looked at for a log
_STACK_NAMES = regex(r"py-?spy|(?:^|[._-])stacks?(?:$|[._-])", re.IGNORECASE)


def note_text(path: str, *, named: bool = False) -> str | None:
    """The content of a text file that a person wrote, or None for any other. ``named`` by the user."""
    head, name = _head(path, NOTE_BYTES + 1), Path(path).name
    words = path.lower().endswith((".txt", ".md")) or is_called_note(name)
    if not words and not _has_log_name(name):
        return None
    if len(head) > NOTE_BYTES or by_magic(head) or b"\0" in head:
        return None
    from medic.match import is_note

    text = utf8(head).decode("utf-8", "replace")
    if (words or is_written_by_hand(head)) and is_note(text) and not repeats(text):
        return text
    called = is_called_note(name) or name.lower().endswith(".md")
    asked = named and (called or not names_log(name))
    told = words and not names_data(name) and tells_in_words(text, called=called, named=asked)
    return text if told or is_reported(text, name) else None


def _has_log_name(name: str) -> bool:
    """Most files of a start are none, and have no word of the pattern: it is not compiled for them."""
    some = ("log", "out", "err", ".txt", "nohup", "slurm-")
    return any(w in name.lower() for w in some) and _LOG_NAMES.search(name) is not None


def _complains(path: str, name: str) -> bool:
    """Whether a short file holds a person's words, one line of which complains."""
    text = note_text(path) if may_complain(name, _head(path, WORDS_BYTES)) else None
    if text is None:
        return False
    from medic.match.tone import complains

    return any(map(complains, text.split("\n")))


def rank_of(name: str) -> int | None:
    """The rank that a file's name states, or the folder it lies in where ranks have folders."""
    folder, _, file = name.replace("\\", "/").rpartition("/")
    lower = file.lower()
    told = any(w in lower for w in ("rank", "worker", "log_", "slurm-"))
    match = _RANK.search(file) if told else None
    if match is not None:
        return next(int(g) for g in match.groups() if g is not None)
    if not lower.startswith(_RANK_FILES):
        return None
    own = _RANK_FOLDER.match(folder.rpartition("/")[2])
    return int(own.group(1)) if own else None


def kind_of(path: str) -> FileKind | None:
    """The kind of evidence in a file, or None for what medic has no use for."""
    name = Path(path).name
    lower = name.lower()
    if names_recorder(lower) or (is_bare_rank(lower) and is_recorder(_head(path))):
        return "flight-recorder"
    if lower == ".metadata" or lower.endswith(".distcp"):
        return "checkpoint"
    if is_data(path, lower):
        return "data"
    if is_tracked(path, lower):
        return "metrics"
    if lower.endswith(_CHECKPOINT_ENDS):
        return None if _NOT_CHECKPOINTS.match(lower) or has_index(path) else "checkpoint"
    if lower.endswith((".sh", ".bash", ".sbatch", ".slurm")):
        return "script"
    if lower.endswith(".py"):
        return "python"
    if lower.endswith((".yaml", ".yml", ".toml", ".json", ".jsonl", ".csv", ".xml")):
        return _structured(path, lower)
    return _plain_kind(path, name)


def _plain_kind(path: str, name: str) -> FileKind | None:
    """Of a text without a telling ending, or with that of a log."""
    lower = name.lower()
    if _HOST_NAMES.search(lower) and _is_host_report(path):
        return "host-report"
    if ("nvidia-smi" in lower or "nvidia_smi" in lower) and not TRAINS.search(_head(path, _REPORT)):
        head = _head(path)
        return "log" if has_no_report(head) and not is_gpu_report(head) else "gpu-report"
    if _STACK_NAMES.search(name) and is_stacks(_head(path)):
        return "stacks"
    if is_called_note(name):
        if note_text(path) is not None:
            return "note"
        if holds_log(_head(path, NOTE_BYTES)):
            return _text_kind(path, _head(path))
    if lower.endswith((".txt", ".md")) and _complains(path, name):
        return "log" if has_kernel_lines(_head(path)) else "note"
    if _LOG_NAMES.search(name) and not _NOT_LOGS.match(name):
        head = _head(path)
        kind = _text_kind(path, head)
        # A ticket's text, whatever its file is called
        written = kind == "log" and (is_written_by_hand(head) or _may_report(path, head))
        return "note" if written and note_text(path) is not None else kind
    if lower.startswith("readme") and _may_report(path, _head(path)):
        return "note" if note_text(path) is not None else None
    return "log" if may_be_kernels(lower) and is_kernel_log(lower, _head(path)) else None


def _may_report(path: str, head: bytes) -> bool:
    """Whether a text so short may be a report, by its beginning."""
    long = len(head) == HEAD and Path(path).stat().st_size > NOTE_BYTES
    if long or names_data(Path(path).name):
        return False
    from medic.match.notes import has_voice

    return has_voice(utf8(head).decode("utf-8", "replace"))


def _is_host_report(path: str) -> bool:
    """A text that begins like one and does not go on as the log of a training: jobs print their
    environment first."""
    return is_host_report(_head(path)) and not TRAINS.search(_head(path, _REPORT))


def is_stacks(head: bytes) -> bool:
    """Stacks of running processes: py-spy's text or JSON, or the document of medic attach."""
    first = head.lstrip()[:1]
    if first == b"{":
        return b'"medic.attach/' in head
    if first == b"[":
        return b'"thread_id"' in head and b'"frames"' in head
    return b"Process " in head and re.search(_STACK_TEXT, head, re.MULTILINE) is not None


def _head(path: str, size: int = HEAD) -> bytes:
    try:
        return head_of(path, size)
    except OSError:
        return b""


def _structured(path: str, lower: str) -> FileKind | None:
    head = _head(path)
    if lower.endswith((".yaml", ".yml", ".toml")):
        return "script" if is_shell(head) else "config"
    if lower.endswith(".xml"):
        return "gpu-report" if b"nvidia_smi_log" in head else None
    if lower.endswith(".csv"):
        return _csv_kind(head, lower)
    if lower.endswith(".jsonl"):
        if is_record(head.split(b"\n", 1)[0]) and not is_written(lower):
            return "data"
        return "metrics" if _has_step(head) else None
    return _json_kind(lower, head)


def _csv_kind(head: bytes, lower: str) -> FileKind | None:
    first = head.split(b"\n", 1)[0].lower()
    if is_gpu_report(head):
        return "gpu-series"
    if is_table(first) and not is_written(lower):
        return "data"
    return "metrics" if b"loss" in first or b"step" in first else None


_STEPS = (b'"step', b'_step"', b"grad_norm")


def _has_step(head: bytes) -> bool:
    return b'"loss' in head or b'loss"' in head or any(w in head for w in _STEPS)


def _json_kind(lower: str, head: bytes) -> FileKind | None:
    if is_stacks(head):
        return "stacks"
    if lower.endswith(".index.json"):
        return "checkpoint"
    if lower == "trainer_state.json":
        return "metrics"
    if _IGNORED_JSON.match(lower):
        return None
    if lower == "error.json":
        return "log"
    model = (b'"architectures"', b'"model_type"', b'"hidden_size"', b'"vocab_size"')
    named = lower.endswith("config.json") and sum(word in head for word in model) >= 2
    if named or all(word in head for word in model[:2]):
        return "model-config"
    if head.lstrip()[:1] == b"[":
        if is_record(first_object(head)) and not is_written(lower):
            return "data"
        return "metrics" if _has_step(head) else None
    first = head.lstrip()
    return "config" if first[:1] in (b"{", b"\xef") or first[:2] in (b"//", b"/*") else None


def by_magic(head: bytes) -> FileKind | None:
    """What the first bytes prove, whatever the name says."""
    if head.startswith((b"PK\x03\x04", b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")):
        return "checkpoint"
    if head.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\0")) or (
        head.startswith(b"BZh") and head[4:10] == b"1AY&SY"
    ):
        return "log"
    return None


def _text_kind(path: str, head: bytes) -> FileKind | None:
    proven = by_magic(head)
    if proven is not None:
        return proven
    if is_gpu_report(head) and not goes_on(_head(path, _REPORT)):
        return "gpu-report"
    if is_stacks(head) or is_listing(head):
        return "stacks" if is_stacks(head) else None
    return "host-report" if path.lower().endswith(".txt") and _is_host_report(path) else "log"


def is_blank(path: str, size: int) -> bool:
    """Whether a file of ``size`` bytes holds blanks at most; False if its bytes cannot be had."""
    if size > _BLANKS:
        return False
    try:
        return not head_of(path, _BLANKS).strip()
    except OSError:
        return False
