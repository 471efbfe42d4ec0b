"""Secrets that no name stands before: in logins, in lists below a name, in environments, in prose."""

from __future__ import annotations

import re
from collections.abc import Callable

from medic.text.patterns import regex

Hide = Callable[[re.Match[str]], str]
# Letters and figures, no path, no address: drawn by lot, where a word would be a setting.
_DRAWN_BY_LOT = (
    r"(?P<value>(?=[\w+=~-]{0,200}\d)(?=[\w+=~-]{0,200}[A-Za-z])[A-Za-z0-9+][\w+=~-]{7,300})"
)
_LOT = _DRAWN_BY_LOT + r"(?![\w+=~./-])"
_QUOTED_LOT = rf"(?P<quote>['\"]){_LOT}(?P=quote)"
_WORD = (
    r"(?P<value>\"[^\"\n]{1,300}\"|'[^'\n]{1,300}'|[^\s'\",;|&<>$(){}\[\]-][^\s'\",;|&<>]{2,300})"
)
# Variables of an environment that hold a secret.
_HOLDS = (
    r"(?:[A-Za-z][A-Za-z0-9]{0,20}_){0,4}(?:TOKEN|API_?KEY|ACCESS_?KEY|SECRET(?:_?ACCESS)?(?:_?KEY)?"
    r"|PASSWORD|PASSWD|CREDENTIALS?)"
)
# Programs whose login takes the secret as an option of one letter, or as its last word.
_LOGIN_OPTION = regex(
    r"(?P<name>\b(?:docker|podman|nerdctl|buildah|skopeo|crane|helm|oras|az|oc|swanlab|hf|huggingface-cli"
    r"|modelscope|ngc|rancher|argocd|vault)\b[^\n|;&]{0,100}?\blogin\b[^\n|;&]{0,300}?\s-[pkt](?!ass)[ \t=]{0,4})"
    + _WORD
)
_LOGIN_WORD = regex(
    r"(?P<name>\b(?:wandb|swanlab|ms|modelscope|hf|huggingface-cli|comet|neptune)[ \t]{1,4}(?:auth[ \t]{1,4})?login"
    r"(?:[ \t]{1,4}(?:--?(?:host|h|base-url|entity)[ \t]{1,4}\S{1,200}|--?[\w-]{1,30}(?:=\S{1,200})?)){0,4}[ \t]{1,4})"
    + _LOT
)
_LOGIN_CALL = regex(rf"(?P<name>\blogin\(\s{{0,8}}){_QUOTED_LOT}")
# The section of a tracker in a config, whose "key" is one.
_TRACKER = regex(
    r"(?P<name>\b(?:wandb|swanlab|comet(?:_ml)?|neptune|openai|huggingface)['\"]?[ \t]{0,4}:[ \t]{0,4}"
    r"(?:\{[^{}]{0,600}?|(?:\n[ \t]{1,40}[^\n]{0,200}){0,12}?\n[ \t]{1,40})?"
    r"['\"]?(?:api[_ -]?)?key['\"]?[ \t]{0,4}:[ \t]{0,4}['\"]?)" + _LOT,
    re.IGNORECASE,
)
# name:password of any program, but not of those whose -u takes a user and a group, or nothing.
_USER_PASSWORD = regex(
    r"(?P<name>^(?![^\n]{0,400}\b(?:docker|podman|nerdctl|kubectl|rsync|python[\d.]{0,4}|uvicorn|gunicorn|srun"
    r"|chroot|exec)\b[^\n]{0,400}?[ \t]-u)[^\n]{0,400}?(?<![\w-])-[uaA][ \t=]{0,4}['\"]?(?P<who>[\w.@$-]{1,64}):)"
    r"(?P<value>(?!(?P=who)\b)(?!\d{1,6}\b)[^\s'\"<>/~$:(][^\s'\"<>/:]{3,300})(?=['\"]?(?:\s|\Z))",
    re.MULTILINE,
)
_BEARER = regex(rf"(?P<name>\bbearer[ \t]{{1,4}}){_LOT}", re.IGNORECASE)
_ENVIRONMENT = regex(
    rf"(?P<name>['\"]{_HOLDS}['\"][ \t]{{0,4}}(?:\][ \t]{{0,4}}=|,)[ \t]{{0,4}}(?=['\"])"
    rf"|\b(?:setenv|ENV|ARG|set(?:[ \t]-\w{{1,3}})?|configure[ \t]set|export)[ \t]{{1,4}}{_HOLDS}[ \t]{{1,4}}"
    rf"|\bname['\"]?[ \t]{{0,4}}:[ \t]{{0,4}}['\"]?{_HOLDS}['\"]?[ \t]{{0,4}},?\s{{0,40}}"
    r"['\"]?value['\"]?[ \t]{0,4}:[ \t]{0,4})" + _WORD,
    re.IGNORECASE,
)
_SPOKEN = regex(
    r"(?P<name>(?:token|key|secret|passwo?r?d|credentials?)(?:[ \t]{1,4}(?:(?:is|was|是|为)[:：]?[ \t]{1,4})?"
    r"|[ ]id(?=[ :])(?::[ \t]{1,4})?|[ ](?:id[ ])?\[[^\]\n]{0,40}\]:[ \t]{1,4}|[ ]?[是为：])"
    r"|(?<=access key: )|(?<=api key: )|(?:密码|口令|密钥|令牌)[ ]{0,2}(?:是|为)?[:：]?[ ]{0,2})"
    + _LOT,
    re.IGNORECASE,
)
_KEY_OF = regex(
    r"(?P<name>(?<![A-Za-z0-9])(?:(?:signing|encryption|ssh|deploy|license|master|service|storage|account"
    r"|session|client|auth|server|app|consumer)[_-]?key|(?:[a-z0-9]{1,12}_)?[as]k"
    r"|client-key-data|identity[_-]?token)['\"]?[ \t]{0,4}[:=][ \t]{0,4}['\"]?)" + _LOT,
    re.IGNORECASE,
)
_IN_ADDRESS = regex(
    rf"(?P<name>[?&](?:key|auth|sign|secret|pwd|passw(?:or)?d)=|://){_DRAWN_BY_LOT}"
    r"(?=[&\s'\"]|\Z|@[\w.-]+)",
    re.IGNORECASE,
)
_PWD = regex(
    r"(?P<name>(?<![\w-])(?:--?)?(?:pwd|pass_phrase|REDISCLI_AUTH|SSHPASS)(?:[ \t]{0,4}[:=]|(?<=-pwd))[ \t]{0,4})"
    r"(?![/.~$`])" + _WORD,
    re.IGNORECASE,
)
_NETRC = regex(rf"(?P<name>^[ \t]{{0,8}}password[ \t]{{1,8}}){_LOT}(?=[ \t]{{0,8}}$)", re.MULTILINE)
_COMMAND = regex(
    r"(?P<name>--from-literal[= ][\w.-]{1,64}=|\brclone[ \t]{1,4}obscure[ \t]{1,4}|--sse-c-key[ \t=]{1,4}"
    r"|\b(?:sudo[ \t][^|\n]{0,40}?-S|kinit|passwd)\b[^|\n]{0,80}?<<<[ \t]{0,4}"
    r"|\bssh-keygen\b[^\n]{0,200}?\s-[NP][ \t]{1,4}|\b(?:un)?zip\b[^\n]{0,100}?\s-P[ \t]{0,4}"
    r"|\b7za?[ \t][^\n]{0,100}?\s-p|\bldap\w{3,8}\b[^\n]{0,200}?\s-w[ \t]{1,4}"
    r"|\b(?:ossutil(?:64)?|obsutil|coscmd)\b[^\n]{0,100}?\sconfig\b[^\n]{0,200}?\s-[iaks][ \t=]{1,4})"
    + _WORD
)
# A mapping of the environment, as os.environ prints it. A word may be a setting (SORT_KEY: name).
_MAPPED_PASS = regex(
    r"(?P<name>['\"](?:[A-Z][A-Z0-9]{0,20}_){1,4}PASS['\"][ \t]{0,4}:[ \t]{0,4}(?=['\"]))" + _WORD
)
_MAPPED_KEY = regex(
    r"(?P<name>['\"](?:[A-Z][A-Z0-9]{0,20}_){1,4}KEY['\"][ \t]{0,4}:[ \t]{0,4}['\"])"
    rf"{_DRAWN_BY_LOT}(?=['\"])"
)
# (what a text in small letters holds where the pattern may match, the pattern)
WAYS = (
    (("_pass",), _MAPPED_PASS),
    (("_key",), _MAPPED_KEY),
    (("login",), _LOGIN_OPTION),
    (("login",), _LOGIN_WORD),
    (("login(",), _LOGIN_CALL),
    (("wandb", "swanlab", "comet", "neptune", "openai", "huggingface"), _TRACKER),
    (("-u", "-a "), _USER_PASSWORD),
    (("bearer",), _BEARER),
    (("token", "key", "secret", "passw", "credential"), _ENVIRONMENT),
    (("token", "key", "secret", "passw", "credential", "密", "口令", "令牌"), _SPOKEN),
    (("key", "ak", "sk", "identity"), _KEY_OF),
    (("://", "?", "&"), _IN_ADDRESS),
    (("pwd", "pass_phrase", "rediscli_auth", "sshpass"), _PWD),
    (("password",), _NETRC),
    (("from-literal", "rclone", "sse-c-key", "<<<", "ssh-keygen", "zip -", "7z", "ldap", "sutil",
      "bsutil", "coscmd"), _COMMAND),
    (("sutil", "bsutil", "coscmd"), _COMMAND),  # which take two of them
)  # fmt: skip

# A list or a mapping below a name, in brackets or indented. Tokens of a text have such a name, too:
# there an item is one only if it looks drawn by lot.
_SURE = regex(
    r"(?:api[_-]?key|access[_-]?key|secret(?:[_-]?key)?|credential|passw(?:or)?d"
    r"|(?<![a-z])(?:hf|hub|auth|access|api|wandb|bot|git\w{0,3}|user|login)[_-]token)s?\Z|stringData\Z",
    re.IGNORECASE,
)
_INLINE = regex(
    r"(?P<name>(?P<last>(?:token|key|secret|credential|passwo?r?d)s?)['\"]?\s{0,4}[:=]\s{0,4}\[)"
    r"(?P<value>[^\[\]]{1,4000})",
    re.IGNORECASE,
)
_BLOCK = regex(
    r"(?P<name>^(?P<in>[ \t]{0,40})(?:-[ ])?['\"]?(?P<last>(?:[\w-]{0,40}[_-])?"
    r"(?:(?:token|(?:api|access|secret)?[_-]?key|secret|credential|passwo?r?d)s?|stringData))['\"]?"
    r"[ \t]{0,4}:[ \t]{0,4}(?:[|>][+-]?\d?[ \t]{0,4})?(?:#[^\n]{0,200})?\n)"
    r"(?P<value>(?:(?P=in)(?:[ \t]{1,40}\S|-[ ])[^\n]{0,400}(?:\n|\Z)){1,200})",
    re.IGNORECASE | re.MULTILINE,
)
# A text of several lines, which may hold blanks: each of its lines is a part of the secret.
_SCALAR = regex(
    r"(?P<name>^(?P<in>[ \t]{0,40})(?:-[ ])?['\"]?(?!(?:eos|bos|pad|unk|sep|cls|mask|stop|end|image)_)"
    r"(?:[\w-]{0,40}[_-])?(?:token|(?:api|access|secret|private)[_-]?key|secret|credential"
    r"|pass(?:wo?r?d|phrase))s?['\"]?[ \t]{0,4}:[ \t]{1,4}[|>][+-]?\d?[ \t]{0,4}(?:#[^\n]{0,200})?\n)"
    r"(?P<value>(?:(?P=in)[ \t]{1,40}\S[^\n]{0,4000}(?:\n|\Z)){1,200})",
    re.IGNORECASE | re.MULTILINE,
)
_LINE = regex(r"^(?P<name>[ \t]{1,80})(?P<value>\S[^\n]*)", re.MULTILINE)
_KUBERNETES = regex(
    r"(?P<name>^kind:[ \t]{0,4}(?P<last>Secret)[ \t]{0,4}\n(?:[^\n]{0,400}\n){0,40}?data:[ \t]{0,4}\n)"
    r"(?P<value>(?:[ \t]{1,40}[^\n]{0,4000}(?:\n|\Z)){1,200})",
    re.MULTILINE,
)
_ITEM = regex(
    r"(?P<name>(?:^|[\[,\n])[ \t\n]{0,40}(?:-[ \t]{1,4})?(?:['\"]?[\w.-]{1,64}['\"]?[ \t]{0,4}:[ \t]{1,4})?)"
    r"(?P<value>\"[^\"\n]{3,300}\"|'[^'\n]{3,300}'|[^\s'\",;<>{}\[\]#:|$&*!-][^\s'\",;<>{}\[\]]{3,400})"
    r"(?=[ \t]{0,4}(?:,|\n|#|\Z))"
)
_DRAWN = regex(r"['\"]?(?=[\w+=-]*\d)(?=[\w+=-]*[A-Za-z])[\w+=-]{8,400}['\"]?")


def hide_below(text: str, small: str, value: Hide) -> str:
    """The text with the items hidden that stand below a secret's name. ``value`` hides one."""

    def body(match: re.Match[str]) -> str:
        name = match.string[max(0, match.start("last") - 20) : match.end("last")]
        sure = _SURE.search(name)

        def item(one: re.Match[str]) -> str:
            return value(one) if sure or _DRAWN.fullmatch(one["value"]) else one.group()

        return match["name"] + _ITEM.sub(item, match["value"])

    def lines(match: re.Match[str]) -> str:
        return match["name"] + _LINE.sub(value, match["value"])

    if "|" in small or ">" in small:
        text = _SCALAR.sub(lines, text)
    if any(w in small for w in ("key", "secret", "token", "credential", "passw", "stringdata")):
        text = _BLOCK.sub(body, _INLINE.sub(body, text))
    if "secret" in small and "kind:" in small:
        text = _KUBERNETES.sub(body, text)
    return text
