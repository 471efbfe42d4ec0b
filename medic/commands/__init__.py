"""The command line: one small file a command, loaded when it is used."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from medic.errors import Exit, MedicError
from medic.i18n import Lang, detect, use

# Commands that take only words where no option is given: these go without the parser.
_PLAIN = {
    "diagnose": ("diagnosing", "diagnose"),
    "explain": ("explaining", "explain"),
    "lint": ("linting", "check"),
}
# Commands that read their own options, as far as a plain table tells them.
_READS = {"memory": "estimating"}


def program() -> int:
    """The ``medic`` command as a process of its own. Returns the exit code."""
    # It ends before the cycles that it makes are worth looking for at every turn.
    gc.set_threshold(50_000)
    ended: list[int] = []
    if getattr(sys.modules["__main__"], "program", None) is program:  # the process is its own
        atexit.register(_leave, ended)  # the first to be registered is the last to be called
    ended.append(main())
    return ended[0]


def _leave(ended: Sequence[int]) -> None:
    """Ends the process with its code. The system takes its memory back at once; to take apart object
    by object what a command has read lasts half as long as a bare interpreter's whole start."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (AttributeError, OSError, ValueError):  # closed: Python tells it as it always does
        return
    if ended:
        os._exit(ended[0])


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command. Returns the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    lang = _language(words)
    if not _has_chinese():
        if (lang or detect()) == "zh":
            _no_chinese()
        lang = "en"
    if lang is not None:
        use(lang)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        code = _run(words)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except MedicError as problem:
        return _told(problem)
    except BrokenPipeError:
        return Exit.OK
    except OSError as problem:
        return _told(_environment(problem))
    except Exception as problem:  # noqa: BLE001 - the last frame: a bug becomes a report file
        return _bug(problem, words)


def _run(words: Sequence[str]) -> int:
    plain = _PLAIN.get(words[0]) if words[1:] and not any(w[:1] == "-" for w in words) else None
    if plain is not None:
        module, name = plain
        return int(getattr(import_module(f"medic.commands.{module}"), name)(words[1:]))
    if words and words[0] in _READS:
        code = import_module(f"medic.commands.{_READS[words[0]]}").run(words[1:])
        if code is not None:
            return int(code)
    from medic.commands.group import run

    return int(run(words))


def _language(words: Sequence[str]) -> Lang | None:
    """--lang must act on help texts too, so it is read before anything is loaded."""
    for i, word in enumerate(words):
        value = word.partition("=")[2] if word.startswith("--lang=") else ""
        if word == "--lang" and i + 1 < len(words):
            value = words[i + 1]
        if value in ("en", "zh"):
            return "zh" if value == "zh" else "en"
    return None


def _has_chinese() -> bool:
    """Whether the encoding of the output can show it."""
    try:
        "\u4e2d".encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _no_chinese() -> None:
    words = f"medic: the output's encoding, {sys.stdout.encoding}, has no Chinese"
    sys.stderr.write(f"{words}: set PYTHONIOENCODING=utf-8\n")


def _environment(problem: OSError) -> MedicError:
    """A full disk, a deleted folder, a closed stream: nothing that medic could mend."""
    words = problem.strerror or type(problem).__name__
    return MedicError(
        f"the system refused: {words}", f"系统拒绝了操作：{words}", at=str(problem.filename or "")
    )


def _told(problem: MedicError) -> int:
    from medic.i18n import current
    from medic.report.console import Console

    Console().error(problem.line(current()))
    return Exit.USAGE


def _bug(problem: Exception, words: Sequence[str]) -> int:
    from medic.commands.bug import report

    return report(problem, words)
