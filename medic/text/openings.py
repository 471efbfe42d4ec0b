"""The first bytes of a file, had at once or not at all."""

from __future__ import annotations

import os

from medic.text.patterns import regex

_SHELL = regex(
    rb"(?:\xef\xbb\xbf)?#![ \t]*(?:\S*/)?(?:env[ \t]+(?:-\S+[ \t]+)*)?(?:ba|da|k|z)?sh\b"
)


def head_of(path: str, size: int) -> bytes:
    """The first ``size`` bytes. Of a file of the kernel that keeps its reader waiting
    (``/proc/kmsg``, ``trace_pipe``; both say that they are regular ones) what is there already.
    Raises OSError."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        return file.read(size) or b""  # None where it would wait


def is_shell(head: bytes) -> bool:
    """Whether a file says in its first line that a shell runs it, whatever it is called."""
    return _SHELL.match(head) is not None
