"""Edits of the launch command's flags: another name, no value, or left out.

A change ``flag:--name`` gives the flag a name, or takes it out (None). ``flag-value:--name`` drops
its value; with a text, that takes the place of flag and value. See ``medic.changes.flags``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.edits.sources import Sources
from medic.edits.switches import take_out
from medic.edits.trees import FLAG
from medic.errors import EditRefused
from medic.facts import Launches, Word
from medic.i18n import Text
from medic.records import dataclass
from medic.run_config import Change, RunConfig, Scalar


@dataclass(frozen=True)
class _Rewrite:
    """What becomes of one flag: ``name`` None takes it out, ``keep`` says whether its value stays.

    ``value`` is the value that it must have, where that is dropped.
    """

    flag: str
    name: str | None
    keep: bool
    value: Scalar = None


def flag_edits(
    changes: Sequence[Change], config: RunConfig, launches: Launches | None, sources: Sources
) -> list[Text]:
    """Adds the edits of all flag changes to ``sources``; what it returns refuses them."""
    answers = [_try(rewrite, config, launches, sources) for rewrite in _rewrites(changes)]
    return [answer for answer in answers if answer is not None]


def _try(
    rewrite: _Rewrite, config: RunConfig, launches: Launches | None, sources: Sources
) -> Text | None:
    try:
        _rewrite(rewrite, config, launches, sources)
    except EditRefused as problem:
        return Text(f"{rewrite.flag}: {problem.en}", f"{rewrite.flag}：{problem.zh}")
    return None


def _rewrites(changes: Sequence[Change]) -> Iterator[_Rewrite]:
    by_flag: dict[str, dict[str, Change]] = {}
    for change in changes:
        kind, _, flag = change.field.partition(":")
        by_flag.setdefault(flag, {})[kind] = change
    for flag, kinds in by_flag.items():
        rename, drop = kinds.get("flag"), kinds.get("flag-value")
        name: str | None = flag
        if rename is not None:
            name = None if rename.new is None else str(rename.new)
        elif drop is not None and drop.new is not None:
            name = str(drop.new)
        yield _Rewrite(flag, name, drop is None, drop.old if drop is not None else None)


def _rewrite(
    rewrite: _Rewrite, config: RunConfig, launches: Launches | None, sources: Sources
) -> None:
    found = list(_occurrences(rewrite.flag, config, launches, sources))
    if not found:
        raise EditRefused("not found in the launch script", "在启动脚本中找不到")
    for word, value in found:
        if not rewrite.keep and _value_text(word, value) != rewrite.value:
            raise EditRefused("it has another value by now", "取值已变化")
        _edit(rewrite, word, value, sources)


def _occurrences(
    flag: str, config: RunConfig, launches: Launches | None, sources: Sources
) -> Iterator[tuple[Word, Word | None]]:
    """(flag word, the word behind it if that is a value), each place once."""
    seen: set[tuple[str, int]] = set()
    for words in _commands(config, launches, sources):
        for i, word in enumerate(words):
            text = word.value if word.value is not None else word.raw
            place = (word.span.file, word.span.start)
            if text.partition("=")[0] != flag or place in seen:
                continue
            seen.add(place)
            behind = words[i + 1] if i + 1 < len(words) and "=" not in text else None
            is_value = behind is not None and not FLAG.match(behind.value or behind.raw)
            yield word, behind if is_value else None


def _commands(
    config: RunConfig, launches: Launches | None, sources: Sources
) -> Iterator[Sequence[Word]]:
    if launches is not None and launches.launches:
        for launch in launches.launches:
            sources.open(launch.span.file, "shell")
            yield (*launch.launcher_words, *launch.arguments)
        return
    for file in config.files:
        if file.endswith((".sh", ".bash", ".slurm", ".sbatch")):
            for command in sources.open(file, "shell").commands:
                yield command.words


def _value_text(word: Word, value: Word | None) -> str | None:
    text = word.value if word.value is not None else word.raw
    if "=" in text:
        return text.partition("=")[2]
    return (value.value if value.value is not None else value.raw) if value is not None else None


def _edit(rewrite: _Rewrite, word: Word, value: Word | None, sources: Sources) -> None:
    file, data = word.span.file, sources.data(word.span.file)
    if not word.raw.startswith(rewrite.flag):
        raise EditRefused("it comes from a variable", "来自变量")
    start = word.span.start
    end = start + len(rewrite.flag.encode())
    if data[start:end] != rewrite.flag.encode():
        raise EditRefused("the file changed since it was read", "文件在读取之后被改动")
    last = value.span.end if value is not None and not rewrite.keep else word.span.end
    if rewrite.name is None:
        take_out(file, data, start, last, sources)
        return
    if not rewrite.keep and value is None:  # --flag=value is one word
        sources.add(file, start, last, rewrite.name)
        return
    if rewrite.name != rewrite.flag:
        sources.add(file, start, end, rewrite.name)
    if not rewrite.keep:
        sources.add(file, end, last, "")
