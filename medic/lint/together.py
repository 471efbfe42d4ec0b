"""Which of the given files may be one launch: files of frameworks that no launch has together, and
that no command names together, are launches of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath

from medic.case.collect import Case
from medic.facts import GivenFile
from medic.i18n import Text
from medic.run_config import RunConfig
from medic.text.patterns import regex

# Frameworks whose files state a launch of their own, and what goes with each other: the arguments
# of slime and of ms-swift's Megatron are Megatron's. Files of engines and launchers, plain names
# and what is built on transformers or Lightning join any launch.
_FAMILIES: Mapping[str, str] = {
    **dict.fromkeys(("megatron", "megatron-swift", "ms-swift", "slime"), "megatron"),
    **dict.fromkeys(("nemo", "nemo2"), "nemo"),
    **dict.fromkeys(("verl", "verl-sft", "easyr1"), "verl"),
    **{
        name: name
        for name in ("axolotl", "fairseq", "gpt-neox", "levanter", "litgpt", "llama-factory",
                     "nanotron", "nemo-rl", "olmo", "openrlhf", "torchtitan", "torchtune")
    },
}  # fmt: skip
# A configuration that only the running shell knows may be any of the files.
_ANY_FILE = regex(
    r"(?:config|cfg|yaml|recipe|deepspeed)[\w.-]*[= \t]+[\"']?[\w./-]*\$|\s[\"']?\$\{?[@1-9]"
)
_MAX_TEXT = 1_000_000


def apart(case: Case, config: RunConfig) -> tuple[tuple[GivenFile, ...], ...]:
    """The files of each launch; () where all may be one."""
    frameworks = frameworks_of(config)
    families = {
        file.path: found
        for file in case.files
        if (found := {_FAMILIES[n] for n in frameworks.get(file.name, ()) if n in _FAMILIES})
    }
    several = len(set().union(*families.values())) > 1
    if not several or any(f.kind == "log" for f in case.files) or case.text:
        return ()
    groups = _groups(case, families)
    if not all(map(_is_given, groups)):
        return ()
    # Where what parts them is not parted, all is read together.
    return groups if len([g for g in groups if any(f.path in families for f in g)]) > 1 else ()


def _is_given(group: tuple[GivenFile, ...]) -> bool:
    """Whether the user named each file, or the script whose command names it; of a folder it is
    told elsewhere what belongs together."""
    script = any(f.kind == "script" and f.named for f in group)
    return all(f.named or script for f in group)


def frameworks_of(config: RunConfig) -> dict[str, tuple[str, ...]]:
    """The frameworks whose keys or flags each file states."""
    found: dict[str, dict[str, None]] = {}
    for one in (config, *config.others):
        for setting in one.settings:
            if setting.origin.span is not None:
                found.setdefault(setting.origin.span.file, {})[setting.origin.framework] = None
    return {file: tuple(names) for file, names in found.items()}


def told(groups: tuple[tuple[GivenFile, ...], ...], config: RunConfig) -> Text:
    """Which files are judged apart."""
    frameworks = frameworks_of(config)
    shown = []
    for group in groups:
        own = dict.fromkeys(n for f in group for n in frameworks.get(f.name, ()) if n in _FAMILIES)
        names = " + ".join(PurePath(file.name).name for file in group)
        shown.append(f"{names} ({', '.join(own)})" if own else names)
    line = Text(
        "judged apart, as files of several launches (no command names them together): {f}",
        "这些文件分属不同框架，也没有命令同时引用，已按各自的启动分别检查：{f}",
    )
    return line.fill(f="; ".join(shown))


def _groups(case: Case, families: Mapping[str, set[str]]) -> tuple[tuple[GivenFile, ...], ...]:
    """Files are together that are of one family, or of which one names the other."""
    group = {file.path: {file.path} for file in case.files}
    for one, other in _ties(case, families):
        if group[one] is not group[other]:
            group[one] |= group[other]
            for path in group[other]:
                group[path] = group[one]
    sets = {id(group[file.path]): group[file.path] for file in case.files}
    return tuple(tuple(f for f in case.files if f.path in paths) for paths in sets.values())


def _ties(case: Case, families: Mapping[str, set[str]]) -> Iterator[tuple[str, str]]:
    texts = {file.path: _text(file) for file in case.files}
    for one in case.files:
        script = one.kind == "script"
        unknown = script and _ANY_FILE.search(texts[one.path])
        for other in case.files:
            alike = families.get(one.path, set()) & families.get(other.path, set())
            named = PurePath(other.path).name in texts[one.path]
            if alike or unknown or named or (script and other.kind == "python"):
                yield one.path, other.path


def _text(file: GivenFile) -> str:
    try:
        with Path(file.path).open(encoding="utf-8", errors="replace") as opened:
            return opened.read(_MAX_TEXT)
    except OSError:
        return ""
