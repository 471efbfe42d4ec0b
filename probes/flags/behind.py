"""Options of a launcher behind the script that it starts, which is what it hands on."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import PurePosixPath

from medic.facts import Launch, ParserSpec
from medic.i18n import Text
from medic.text.patterns import regex

from .argument_repairs import moved_before, without_word
from .arguments import VALUE, Fault
from .launcher_options import LAUNCHERS_OWN
from .spelling import plain
from .suspects import script_parts

BEHIND = "launcher-flag-after-script"

_BARE = regex(r"\w+(?:-\w+)*")
_ITSELF = regex(r"torch\.distributed\.|accelerate\.commands|deepspeed\.launcher")
_NO_FILE = frozenset(("m", "module", "no-python"))  # behind these no file stands

_GOES = Text(
    "{flag} stands behind {script}: it goes to the script, not to {launcher}",
    "{flag} 写在 {script} 之后：它会传给脚本，而不是 {launcher}",
)
_STRAY = Text(
    "{word} is a word too many: {launcher} takes it for the script, which is {script}",
    "{word} 是多余的词：{launcher} 会把它当作脚本，真正的脚本是 {script}",
)


def behind_script(
    launch: Launch, spec: ParserSpec | None, configs: Collection[str] = ()
) -> Iterator[Fault]:
    """Options of the launcher among the script's arguments; ``configs``: names of files that are
    accelerate's, so that its ``--config_file`` is not the script's own.

    Launchers hand everything behind the script on (argparse.REMAINDER). A parser that is known
    whole is asked elsewhere.
    """
    own = LAUNCHERS_OWN.get(launch.launcher)
    label = script_parts(launch)[-1:] or ("",)
    cut = launch.script is not None and not launch.script.raw.strip("\\ ")
    if (
        own is None
        or cut
        or _may_be_options(launch)
        or "launch" in label[0]
        or (spec is not None and spec.complete)
    ):
        return
    if (stray := _taken_for_script(launch)) is not None:
        yield stray
        return
    before = {plain(w.value.partition("=")[0]) for w in launch.launcher_words if w.value}
    theirs = {plain(n) for o in (spec.options if spec else ()) for n in o.names}
    for at, word in enumerate(launch.arguments):
        flag = (word.value if word.value is not None else word.raw).partition("=")[0]
        name = plain(flag)
        its_file = name == "config-file" and _file(launch, at) in configs
        if flag[:2] != "--" or name in before | theirs or not (its_file or name in own):
            continue
        what = _GOES.fill(flag=flag, script=label[0], launcher=launch.launcher)
        yield Fault(BEHIND, what, word.span, flag, moved_before(launch, at))


def _may_be_options(launch: Launch) -> bool:
    """Whether what stands where the script does is not known, and a Python file comes later."""
    word = launch.script
    if word is None or word.value:
        return False
    return any(w.raw.rstrip("\"'").endswith(".py") or w.raw == "-m" for w in launch.arguments)


def _file(launch: Launch, at: int) -> str:
    """The file that an option of the arguments names, without its folders."""
    word = launch.arguments[at].value or ""
    after = launch.arguments[at + 1].value if at + 1 < len(launch.arguments) else ""
    return PurePosixPath(word.partition("=")[2] or after or "").name


def _taken_for_script(launch: Launch) -> Fault | None:
    """A word without an ending where the script stands, and a Python file right behind it or behind
    more options."""
    word = launch.script
    words = [w.text for w in launch.launcher_words]
    after = [*words[1:], ""]
    as_it_is = any(
        plain(one) in _NO_FILE and not (one == "-m" and _ITSELF.match(next_))
        for one, next_ in zip(words, after, strict=True)
    )
    if word is None or as_it_is or not _BARE.fullmatch(word.raw):
        return None
    at = next((i for i, w in enumerate(launch.arguments) if w.raw.endswith(".py")), None)
    if at is None or (at and not launch.arguments[0].raw.startswith("--")):
        return None
    what = _STRAY.fill(word=word.raw, launcher=launch.launcher, script=launch.arguments[at].raw)
    before = launch.launcher_words[-1:] and launch.launcher_words[-1]
    return Fault(VALUE, what, word.span, word.raw, without_word(before, word) if before else None)
