"""Hides what a shared report should not carry: best effort, the same name for the same thing."""

from __future__ import annotations

import getpass
import re
import socket
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from medic.redact.devices import hide_devices
from medic.redact.hosts import alike, hosts, listed
from medic.redact.secrets import hide
from medic.redact.usernames import users
from medic.text.patterns import regex

# A repr may part a long key over lines: 'hf_abc' 'def'.
_MORE = r"(?:['\"]\s{1,80}[bru]?['\"][A-Za-z0-9_-]{4,})*"
_TOKEN = regex(
    r"\b(?:hf_[A-Za-z0-9]{8,}|sk-[A-Za-z0-9_-]{16,}|A[KS]IA[0-9A-Z]{12,}|gh[pousr]_[A-Za-z0-9]{16,}"
    r"|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}|AIza[\w-]{30,}|wandb_v1_\w{16,}"
    r"|xapp-[\w-]{16,}|LTAI[A-Za-z0-9]{12,}|AKID[A-Za-z0-9]{13,}|npm_[A-Za-z0-9]{20,}|pypi-[\w-]{20,}"
    r"|nvapi-[\w-]{16,}|dapi[0-9a-f]{32}|r8_[A-Za-z0-9]{20,}|gsk_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{20,}"
    r"|hvs\.[\w-]{20,}|ya29\.[\w-]{20,}|SG\.[\w-]{16,}\.[\w-]{16,}|dop_v1_[0-9a-f]{20,}|[sr]k_live_\w{16,}"
    r"|\d{8,10}:AA[\w-]{33}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,})" + _MORE
)
_BLOCK = regex(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]{0,20000}?"
    r"(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)"
)
# The word that names a secret, then at most a short rest of the name: linear on any text. Numbers,
# booleans and the many settings about tokens are none.
_NAMED = regex(
    r"(?P<name>(?:api[_-]?key|access[_-]?key|(?<!pad_)(?<!eos_)(?<!bos_)(?<!unk_)(?<!sep_)(?<!cls_)"
    r"token(?!s|i[sz]|_?ids?\b|_type|_len|_num|_count|_budget|_limit|_dim"
    r"|_embed|_pos|_mean|_level|_loss|_norm|_drop|_disp|_class|_mask|_mode"
    # A setting of the tokens: snake_case words
    r"|[\w-]{0,32}['\"]?[ \t]{0,4}[:=][ \t]{0,4}['\"]?(?-i:[a-z]+(?:_[a-z]+)+)(?![\w-]))|secret(?!ly)|wandb[_-]?key"
    r"|private[_-]?key|credential|authorization|cookie)[\w-]{0,32}"
    r"['\"]?[ \t]{0,4}[:=][ \t]{0,4}['\"]?(?:(?:bearer|basic|token)\s{1,4})?)"
    r"(?!\$\{?\w+\}?(?:[\s'\",;]|$))(?!(?<=:[ \t])(?-i:[a-z]{2,}[,.]?[ \t][a-z]))"  # a variable; prose
    r"(?!(?:bearer|basic)\b|(?:true|false|none|null)\b|[-+]?[\d._]{1,15}(?:e[-+]?\d+)?(?:[\s,;)}\]'\"]|$))"
    r"(?P<value>[^\s'\",;<>{\[\]][^\s'\",;<>\[\]{}]{5,}" + _MORE + ")",
    re.IGNORECASE,
)
_LOGIN = regex(
    r"(?P<scheme>://)(?P<login>[^\s/@:]{0,64}:(?!\d{1,5}/)[^\s'\"<>,]{1,200}|[^\s/@:<>]{16,200})@(?=[\w.\[-])"
)
_MAIL = regex(r"\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}\b")
_FULL_HOST = regex(
    r"\b[a-z0-9][a-z0-9-]{0,62}(?:\.[a-z0-9-]{1,63}){1,6}"
    r"\.(?:com|net|org|edu|gov|io|ai|cn|de|uk|fr|jp|local|internal|lan|corp|cluster)\b",
    re.IGNORECASE,
)
_IPV4 = regex(r"\b(?:\d{1,3}\.){3}\d{1,3}\b")
# With "::", or all eight groups: a time of day has three numbers, a C++ name no digits first.
_IPV6 = regex(
    r"(?<![\w:.])(?:(?:fe[89ab]|f[cd]|2[0-9a-f])[0-9a-f]{1,2}(?::[0-9a-f]{1,4}){0,5}"
    r"::(?:[0-9a-f]{1,4}:){0,5}[0-9a-f]{0,4}|(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4})(?![\w:])",
    re.IGNORECASE,
)
_MAC = regex(r"\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b", re.IGNORECASE)
_HOME = regex(
    r"(?P<root>/(?:home|users)/|\b[a-z]:\\{1,2}users\\{1,2}"
    r"|(?:^|(?<=[\s'\"=:(]))~(?=[a-z_][\w.-]{1,31}(?:/|$)))(?P<user>[\w.-]+)",
    re.IGNORECASE | re.MULTILINE,
)
# With the country's number, or behind the word: a bare row of figures may count tokens.
_PHONE = regex(
    r"(?P<lead>\b(?:phone|mobile|tel(?:ephone)?|cell)(?:[ _]?(?:no|number))?\.?['\"]?\s{0,4}[:=]\s{0,4}['\"]?"
    r"|(?:手机|电话)(?:号码?)?\s{0,4}[:：=是为]?\s{0,4}|(?<![\w+.-])(?=\+\d{1,3}[ -]\(?\d))"
    r"(?P<phone>\+?\d{1,4}[ -]?\(?\d{2,4}\)?(?:[ -]?\d{2,4}){1,4}(?![\w.-]))",
    re.IGNORECASE,
)
# The words that _NAMED begins with, in small letters.
_NAMING = (
    "api_key", "api-key", "apikey", "access_key", "access-key", "accesskey", "token", "secret",
    "wandb_key", "wandb-key", "wandbkey", "private_key", "private-key", "privatekey",
    "credential", "authorization", "cookie",
)  # fmt: skip
_TOKENS = (
    "hf_", "sk-", "kia", "sia", "gh", "glpat-", "xox", "aiza", "wandb_v1_", "eyj", "xapp-", "ltai",
    "akid", "npm_", "pypi-", "nvapi-", "dapi", "r8_", "gsk_", "xai-", "hvs.", "ya29.", "sg.",
    "dop_v1_", "k_live_",
)  # fmt: skip
_DOMAINS = (
    ".com", ".net", ".org", ".edu", ".gov", ".io", ".ai", ".cn", ".de", ".uk", ".fr", ".jp",
    ".local", ".internal", ".lan", ".corp", ".cluster",
)  # fmt: skip
# Addresses that every machine has: of itself (RFC 6890), of a link without a server, of docker's
# bridge as it is by default. They tell nobody apart, and that a run uses them is often its fault.
_EVERYWHERE = regex(r"(?:127\.\d+\.\d+\.\d+|0\.0\.0\.0|169\.254\.\d+\.\d+|172\.17\.0\.\d+)$")
_COMMON_WORDS = """
localhost local none null true false auto node host hostname name rank root user users data home
runner ubuntu admin shared public train model static c10d etcd the for and with
"""
_COMMON = frozenset(_COMMON_WORDS.split())


class Redactor:
    """Replaces secrets, users, hosts and addresses consistently over one report."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, str], str] = {}
        self._learned: dict[str, str] = {}
        self._pattern: re.Pattern[str] | None = None
        for word, kind in (
            (str(Path.home()), "home"),
            (socket.gethostname(), "host"),
            (_user(), "user"),
        ):
            self._add(word, kind)

    def learn(self, text: str) -> None:
        """Takes the hosts and users that a text names, to hide them where they stand alone."""
        for name in hosts(text):
            self._add(name, "host")
        self.learn_alike(text)
        for match in _HOME.finditer(text):
            self._add(match["user"], "user")
        for name in users(text):
            self._add(name, "user")

    def learn_alike(self, text: str) -> None:
        """Takes what is called as the machines are that are known by now, but for its number."""
        for name in [*alike(text, [w for w, kind in self._learned.items() if kind == "host"])]:
            self._add(name, "host")

    def as_read(self, text: str) -> str:
        """The text with everything hidden, after learning what it names itself."""
        self.learn(text)
        return self(text)

    def _add(self, word: str, kind: str) -> None:
        if len(word) > 3 and word.lower() not in _COMMON and not word.isdecimal():
            self._learned.setdefault(word, kind)
            self._pattern = None

    def __call__(self, text: str) -> str:
        """The text with everything hidden. A pattern is tried where a literal of it occurs: a log
        of megabytes has few of them."""
        small = text.lower()

        def has(*words: str) -> bool:
            return any(word in small for word in words)

        if has("private key"):
            text = _BLOCK.sub(lambda m: self._key(m.group()), text)
        if has("://"):
            text = _LOGIN.sub(lambda m: f"{m['scheme']}{self._name('login', m['login'])}@", text)
        if has(*_TOKENS):
            text = _TOKEN.sub(lambda m: self._key(m.group()), text)
        text = hide(text, small, self._key)
        if has(*_NAMING):
            text = self._named(text)
        text = hide_devices(text, small, self._name)
        if has("@"):
            text = _MAIL.sub(lambda m: self._name("mail", m.group()), text)
        text = self._known().sub(lambda m: self._learned_name(m.group()), text)
        if has("/home/", "/users/", "\\users\\", "~"):
            text = _HOME.sub(lambda m: m["root"] + self._name("user", m["user"]), text)
        if has("phone", "mobile", "tel", "cell", "+", "手机", "电话"):
            text = _PHONE.sub(lambda m: m["lead"] + self._name("phone", m["phone"]), text)
        if has(*_DOMAINS):
            text = _FULL_HOST.sub(lambda m: self._name("host", m.group()), text)
        if has(":"):
            text = _MAC.sub(lambda m: self._name("mac", m.group()), text)
            text = _IPV6.sub(lambda m: self._name("ip", m.group()), text)
        return _IPV4.sub(self._address, text) if "." in text else text

    def _named(self, text: str) -> str:
        """Values behind a secret's name, tried only at the words that begin such a name."""
        small = text.lower()
        if len(small) != len(text):  # letters that grow when they are made small: places differ
            return _NAMED.sub(self._value, text)
        parts, end = [], 0
        for at in sorted(_places(small)):
            match = _NAMED.match(text, at) if at >= end else None
            if match is not None:
                parts += [text[end:at], self._value(match)]
                end = match.end()
        return "".join([*parts, text[end:]])

    def _value(self, match: re.Match[str]) -> str:
        return match["name"] + self._key(match["value"])

    @property
    def map(self) -> Mapping[str, str]:
        """What each name stands for. It stays with its owner."""
        return {name: word for (_, word), name in self._names.items()}

    def counts(self) -> dict[str, int]:
        """How many different things of each kind were hidden."""
        return dict(sorted(Counter(kind for kind, _ in self._names).items()))

    def _known(self) -> re.Pattern[str]:
        """The learned words, longest first, as whole words."""
        if self._pattern is None:
            words = sorted(self._learned, key=lambda w: (-len(w), w))
            parts = "|".join(re.escape(w) for w in words) or r"(?!)"
            self._pattern = re.compile(rf"(?<![A-Za-z0-9_<])(?:{parts})(?![A-Za-z0-9_>])")
        return self._pattern

    def _name(self, kind: str, word: str) -> str:
        key = (kind, word)
        if key not in self._names:
            number = sum(k == kind for k, _ in self._names) + 1
            self._names[key] = f"<{kind}{number}>"
        return self._names[key]

    def _learned_name(self, word: str) -> str:
        """Of a list of nodes (dgx[01-04]) the names of all: how many they are is no secret."""
        kind = self._learned[word]
        if kind != "host" or not word.endswith("]"):
            return self._name(kind, word)
        return ",".join(self._name(kind, name) for name in listed(word))

    def _key(self, word: str) -> str:
        """The name of a key, and the line ends that it spans: lines keep their numbers."""
        return self._name("key", word) + "\n" * word.count("\n")

    def _address(self, match: re.Match[str]) -> str:
        word = match.group()
        return word if _EVERYWHERE.match(word) else self._name("ip", word)


def _places(small: str) -> Iterator[int]:
    """Where a word that names a secret begins."""
    for word in _NAMING:
        at = small.find(word)
        while at >= 0:
            yield at
            at = small.find(word, at + 1)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""
