"""Hides what a shared report should not carry: best effort, the same name for the same thing."""

from __future__ import annotations

import getpass
import re
import socket
from pathlib import Path

_TOKEN = re.compile(
    r"\b(?:hf_[A-Za-z0-9]{8,}|sk-[A-Za-z0-9_-]{16,}|AKIA[0-9A-Z]{12,}|gh[pousr]_[A-Za-z0-9]{16,}"
    r"|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,})"
)
# The word that names a secret, then at most a short rest of the name: linear on any text.
_NAMED = re.compile(
    r"(?P<name>(?:api[_-]?key|token|secret|password|passwd|authorization)[\w-]{0,32}"
    r"['\"]?\s{0,4}[:=]\s{0,4}['\"]?(?:(?:bearer|basic)\s{1,4})?)"
    r"(?!(?:bearer|basic)\b)(?P<value>[^\s'\",;<>]{6,})",
    re.IGNORECASE,
)
_LOGIN = re.compile(r"(?P<scheme>://)(?P<login>[^\s/@:]{1,64}:[^\s/@]{1,128})@")
_MAIL = re.compile(r"\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}\b")
_FULL_HOST = re.compile(
    r"\b[a-z0-9][a-z0-9-]{0,62}(?:\.[a-z0-9-]{1,63}){1,6}"
    r"\.(?:com|net|org|edu|gov|io|ai|cn|de|uk|fr|jp|local|internal|lan|corp|cluster)\b",
    re.IGNORECASE,
)
_IPV4 = re.compile(r"\b(?:\d{1,3}\.){3}\d{1,3}\b")
_MAC = re.compile(r"\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b", re.IGNORECASE)
_HOME = re.compile(r"(?P<root>/(?:home|Users|data/home|mnt/home)/)(?P<user>[A-Za-z0-9._-]+)")
_HOST_FIELD = re.compile(r"(?P<lead>\bhost(?:name)?\s*[:=]\s*['\"]?)(?P<host>[A-Za-z0-9][\w.-]+)")
_NOT_NUMBERED = frozenset({"localhost", "127.0.0.1", "0.0.0.0"})  # noqa: S104 - a word, no socket


class Redactor:
    """Replaces secrets, users, hosts and addresses consistently over one report."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, str], str] = {}
        self._own = [
            (word, kind)
            for word, kind in (
                (str(Path.home()), "home"),
                (socket.gethostname(), "host"),
                (_user(), "user"),
            )
            if len(word) > 3 and word not in ("root", "localhost")
        ]

    def __call__(self, text: str) -> str:
        text = _LOGIN.sub(lambda m: f"{m['scheme']}{self._name('login', m['login'])}@", text)
        text = _TOKEN.sub(lambda m: self._name("key", m.group()), text)
        text = _NAMED.sub(lambda m: m["name"] + self._name("key", m["value"]), text)
        text = _MAIL.sub(lambda m: self._name("mail", m.group()), text)
        for word, kind in self._own:
            text = text.replace(word, self._name(kind, word))
        text = _HOME.sub(lambda m: m["root"] + self._name("user", m["user"]), text)
        text = _HOST_FIELD.sub(self._host, text)
        text = _FULL_HOST.sub(lambda m: self._name("host", m.group()), text)
        text = _MAC.sub(lambda m: self._name("mac", m.group()), text)
        return _IPV4.sub(self._address, text)

    def _name(self, kind: str, word: str) -> str:
        key = (kind, word)
        if key not in self._names:
            number = sum(k == kind for k, _ in self._names) + 1
            self._names[key] = f"<{kind}{number}>"
        return self._names[key]

    def _host(self, match: re.Match[str]) -> str:
        if match["host"] in _NOT_NUMBERED:
            return match.group()
        return match["lead"] + self._name("host", match["host"])

    def _address(self, match: re.Match[str]) -> str:
        word = match.group()
        return word if word in _NOT_NUMBERED else self._name("ip", word)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""
