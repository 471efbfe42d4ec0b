"""How secrets are written down: behind the word that names them, in commands, in addresses."""

from __future__ import annotations

import re
from collections.abc import Callable

from medic.redact.places import WAYS, hide_below
from medic.text.patterns import regex

# In quotes it may hold blanks; bare it ends at a blank, a quote, a comma, or brackets before those.
_BARE = r"[^\s'\",;<>{\[)}\]，。；][^\s'\",;，。；]*?(?=[)}\]]{0,3}(?:[\s'\",;，。；]|\Z))"
_VALUE = rf"(?P<value>\"(?:[^\"\\\n]|\\.){{1,300}}\"|'(?:[^'\\\n]|\\.){{1,300}}'|\\\"[^\"\n]{{1,300}}\"|{_BARE})"
_IS = r"\\?['\"]?[ \t]{0,4}[:=：]{1,2}[ \t]{0,4}"
_OWNER = r"(?:db|smtp|mysql|pg|postgres|redis|mongo|http|proxy|mail|root|admin|user|ssh|ftp|ldap)_"
# Any value is one, a number too: nothing else is called a password.
_PASSWORD = regex(
    rf"(?P<name>(?:(?<!/)pass(?:word|wd|phrase)[\w-]{{0,32}}{_IS}|(?<=_)pwd{_IS}|secret[\w-]{{0,32}}{_IS}(?=['\"])"
    rf"|(?:密码|口令|密钥|令牌)\s{{0,4}}(?:[:：=]|是|为)\s{{0,4}}(?=[!-~])))" + _VALUE,
    re.IGNORECASE,
)
# "pass" alone is a step of the training too: only as a key at the begin of a line or of a mapping,
# or of a named service, and with no small number.
_PASS = regex(
    rf"(?P<name>(?:^[ \t]{{0,40}}(?:-[ \t])?['\"]?|[{{,][ \t]{{0,4}}['\"]?|(?<![a-z0-9]){_OWNER})"
    rf"pass['\"]?[ \t]{{0,4}}[:=][ \t]{{0,4}})(?!\d{{1,5}}(?:[\s,}}.]|\Z)|\d+\.\d|=)" + _VALUE,
    re.IGNORECASE | re.MULTILINE,
)
_OPTION = regex(
    r"(?P<name>(?<![\w-])--?(?:(?:[\w-]{1,40}?[_.-])?(?:pass(?:word|wd|phrase)?|api[_-]?key"
    r"|access[_-]?key|secret(?:[_-]?key)?|(?:wandb|swanlab|private)[_-]?key)"
    r"|(?:[\w-]{0,24}(?:hf|hub|auth|access|api|wandb|bot|git\w{0,3}|user|login|ngc|scope)[_-])?token)"
    r"['\"]?(?:[ \t]{1,4}|,\s{0,4}|=))(?!['\"]?-)" + _VALUE,
    re.IGNORECASE,
)
_LOGIN_KEY = regex(
    rf"(?P<name>\blogin\s?\([^)\n]{{0,200}}?\bkey\s{{0,2}}=\s{{0,2}}){_VALUE}", re.IGNORECASE
)
_LOGIN_HEX = regex(
    r"(?P<name>\b(?:(?:re)?login|api key)\b[^\n]{0,200}?)(?<![0-9a-f])(?P<value>[0-9a-f]{40})(?![0-9a-f])",
    re.IGNORECASE,
)
_SSHPASS = regex(rf"(?P<name>\bsshpass\s{{1,4}}-p\s{{0,4}}){_VALUE}")
_CURL = regex(
    r"(?P<name>\b(?:curl|wget)\b[^\n]{0,300}?\s(?:-u|-U|--user|--proxy-user)[\s=]{0,4}['\"]?"
    r"[^\s:'\"]{1,64}:)(?P<value>[^\s'\"<][^\s'\"]*)"
)
_MYSQL = regex(
    rf"(?P<name>\b(?:mysql|mariadb)(?:dump|admin|import)?\b(?!-)[^\n]{{0,200}}?\s-p){_VALUE}"
)
_HOOK = regex(
    r"(?P<name>\b(?:hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/"
    r"|open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/(?:v2/)?hook/"
    r"|api\.telegram\.org/bot|discord(?:app)?\.com/api/webhooks/\d{1,24}/|qyapi\.weixin\.qq\.com/\S{0,40}\bkey=))"
    r"(?P<value>[\w/:-]{6,})"
)
_SIGNED = regex(
    r"(?P<name>(?:\bx-(?:amz|goog|oss)-(?:signature|credential|security-token)|[?&]signature"
    r"|(?<![\w-])sig|\b(?:aws|oss)accesskeyid)=)(?P<value>[\w%+/=.~-]{8,})",
    re.IGNORECASE,
)
# Connection strings of Azure, whose parts end at a semicolon.
_CONNECTION = regex(
    r"(?P<name>\b(?:Account|SharedAccess|Access|Shared)(?:Key|Secret|Signature)=)(?P<value>[^\s;'\"<][^\s;'\"]{5,})",
    re.IGNORECASE,
)
# Without a sign between: in quotes, or where a command's or a file's grammar has a password.
_SPOKEN = regex(
    r"(?P<name>\b(?:pass(?:word|wd|phrase)|identified by|requirepass)[ \t]{1,4})"
    r"(?P<value>\"[^\"\n]{1,300}\"|'[^'\n]{1,300}')",
    re.IGNORECASE,
)
_NETRC = regex(
    r"(?P<name>\b(?:login|machine|user)\s{1,8}\S{1,128}\s{1,8}password\s{1,8}|^requirepass[ \t]{1,4})"
    r"(?P<value>[^\s'\"<]\S*)",
    re.IGNORECASE | re.MULTILINE,
)
_AUTH = regex(
    r"(?P<name>\\?['\"](?:auth|identitytoken|registrytoken)\\?['\"]\s{0,4}:\s{0,4}\\?['\"])"
    r"(?P<value>[\w+/=.-]{8,})"
)
_ARGUMENT = regex(
    r"(?P<name>\bredis-cli\b[^\n]{0,200}?\s(?:-a|--pass)[ \t=]{1,4}"
    r"|\bopenssl\b[^\n]{0,200}?\s-(?:k|K)[ \t]{1,4}|\s-pass(?:in|out)?[ \t]{1,4}pass:"
    r"|\b(?:smbclient|rpcclient)\b[^\n]{0,200}?\s-U[ \t]{0,4}[^\s%]{1,64}%"
    r"|\b(?:mc|mcli)\s{1,4}(?:alias|config)\s{1,4}(?:set|host\s{1,4}add)\s{1,4}\S{1,64}"
    r"\s{1,4}\S{1,200}\s{1,4}\S{1,128}\s{1,4}"
    r"|\b(?:sqlcmd|bcp)\b[^\n]{0,200}?\s-P[ \t]{0,4}"
    r"|\bhtpasswd\s{1,4}-\w{0,4}b\w{0,4}\s{1,4}\S{1,200}\s{1,4}\S{1,64}\s{1,4})" + _VALUE
)
# What a login reads from its input.
_PIPED = regex(
    r"(?P<name>\b(?:echo|printf)[ \t]{1,4}(?:-\w{1,4}[ \t]{1,4})?)"
    + _VALUE
    + r"(?=[ \t]{0,4}\|[ \t]{0,4}(?:sudo[ \t][^|\n]{0,40}?-S"
    r"|[^|\n]{0,200}?--(?:password|with-token|token)-?(?:stdin)?\b|passwd\b|chpasswd\b|kinit\b))"
)
# A variable called a key, whose value looks drawn by lot: letters and figures, no path.
_VARIABLE = regex(
    r"(?P<name>\b[A-Z][A-Z0-9_]{1,40}_(?:KEY|PAT|JWT|AUTH|SALT|AK|SK)['\"]?\s{0,4}[=:]\s{0,4}['\"]?)"
    r"(?P<value>(?=[\w+=.-]{0,200}\d)(?=[\w+=.-]{0,200}[A-Za-z])[\w+=-][\w+=.-]{15,})"
)
_SECRETS = regex(
    r"(?P<name>\b(?:secrets?|credentials?|passwords?)\\?['\"]?\s{0,4}[:=]\s{0,4}\{)"
    r"(?P<value>[^{}]{1,4000})",
    re.IGNORECASE,
)
_IN_SECRETS = regex(rf"(?P<name>[:=]\s{{0,4}}){_VALUE}")
# What stands there instead of a secret: nothing, a type, a variable's name, or what hides one.
_NONE = regex(
    r"\\?['\"]?(?:true|false|none|null|str|string|optional|required|bool|<[a-z]+\d+>.*"
    r"|\$\{?\w+\}?|\$\(.*|\*+|[-+]?\d{1,2})?\\?['\"]?",
    re.IGNORECASE | re.DOTALL,
)
# (what a text in small letters holds where the pattern may match, the pattern)
_WAYS = (
    (("pass", "pwd", "secret", "密码", "口令", "密钥", "令牌"), _PASSWORD),
    (("pass",), _PASS),
    (("login",), _LOGIN_KEY),
    (("login", "api key"), _LOGIN_HEX),
    (("sshpass",), _SSHPASS),
    (("curl", "wget"), _CURL),
    (("mysql", "mariadb"), _MYSQL),
    (("hook", "qyapi", "api.telegram"), _HOOK),
    (("key=", "secret=", "signature="), _CONNECTION),
    (("pass", "identified by"), _SPOKEN),
    (("password", "requirepass"), _NETRC),
    (("auth", "identitytoken", "registrytoken"), _AUTH),
    (
        (
            "redis-cli",
            "openssl",
            "-pass",
            "smbclient",
            "rpcclient",
            "mc ",
            "mcli",
            "sqlcmd",
            "bcp",
            "htpasswd",
        ),
        _ARGUMENT,
    ),
    (("echo", "printf"), _PIPED),
    (("_key", "_pat", "_jwt", "_auth", "_salt", "_ak", "_sk"), _VARIABLE),
    (("sig", "x-", "accesskeyid"), _SIGNED),
)


def hide(text: str, small: str, key: Callable[[str], str]) -> str:
    """The text with the secrets hidden that are written in one of these ways.

    ``small``: the text in small letters. ``key``: the name to put in place of a secret.
    """

    def value(match: re.Match[str]) -> str:
        word = match["value"]
        if _NONE.fullmatch(word):
            return match.group()
        quote = next((q for q in ('\\"', '"', "'") if word.startswith(q)), "")
        if not quote:
            return match["name"] + key(word)
        end = quote if word.endswith(quote) and len(word) > 2 * len(quote) else word[-1]
        return match["name"] + quote + key(word[len(quote) : len(word) - len(end)]) + end

    def body(match: re.Match[str]) -> str:
        return match["name"] + _IN_SECRETS.sub(value, match["value"])

    text = hide_below(text, small, value)
    if any(word in small for word in ("secret", "credential", "passwords")):
        text = _SECRETS.sub(body, text)
    if "-" in small and any(word in small for word in ("pass", "key", "secret", "token")):
        text = _OPTION.sub(value, text)
    for words, pattern in (*_WAYS, *WAYS):
        if any(word in small for word in words):
            text = pattern.sub(value, text)
    return text
