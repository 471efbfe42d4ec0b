"""Hides what a shared report should not carry: best effort, the same name for the same thing."""

from __future__ import annotations

import getpass
import re
import socket
from pathlib import Path

_SECRET = re.compile(
    r"(?P<token>hf_[A-Za-z0-9]{8,}|sk-[A-Za-z0-9_-]{16,}|AKIA[0-9A-Z]{12,}|gh[pousr]_[A-Za-z0-9]{16,}"
    r"|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,})"
    r"|(?P<name>(?i:[\w-]*(?:api[_-]?key|token|secret|password|passwd|authorization)[\w-]*)"
    r"['\"]?\s*[:=]\s*['\"]?(?:(?i:bearer|basic)\s+)?)(?!(?i:bearer|basic)\b)(?P<value>[^\s'\",;<>]{6,})"
    r"|(?P<scheme>[a-z][a-z0-9+.-]*://)(?P<login>[^\s/@:]+:[^\s/@]+)@"
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
        text = _SECRET.sub(self._secret, text)
        for word, kind in self._own:
            text = text.replace(word, self._name(kind, word))
        text = _HOME.sub(lambda m: m["root"] + self._name("user", m["user"]), text)
        text = _HOST_FIELD.sub(self._host, text)
        text = _MAC.sub(lambda m: self._name("mac", m.group()), text)
        return _IPV4.sub(self._address, text)

    def _name(self, kind: str, word: str) -> str:
        key = (kind, word)
        if key not in self._names:
            number = sum(k == kind for k, _ in self._names) + 1
            self._names[key] = f"<{kind}{number}>"
        return self._names[key]

    def _secret(self, match: re.Match[str]) -> str:
        if match["token"]:
            return self._name("key", match["token"])
        if match["login"]:
            return f"{match['scheme']}{self._name('login', match['login'])}@"
        return match["name"] + self._name("key", match["value"])

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
