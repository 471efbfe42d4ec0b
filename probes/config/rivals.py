"""Of several configurations for one launch: which the logs are of, and what all of them state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from medic.errors import Unreadable
from medic.facts import GivenFile, Launch, Source
from medic.i18n import Text
from medic.probe import Look, Unread
from medic.records import dataclass, replace
from medic.run_config import RunConfig, Scalar, Setting
from medic.text.namesakes import named_in, namesakes, writers

from .carriers import Stated, same
from .choose import is_put_aside, mentioned
from .printed import start_values
from .programs import is_program

UNDECIDED = Text(
    "nothing tells whether the log is of it or of {f}: only what both state alike is used",
    "无法判断日志对应它还是 {f}：只使用两者相同的设置",
)
COPY = Text("it states nothing but what {f} states: a copy", "内容与 {f} 相同，是它的副本")
PROGRAM = Text(
    "a program, read as code; of settings those of {f} count",
    "程序，已按代码读取；设置以 {f} 中的为准",
)
MAX_SCRIPT = 256 * 1024
_HEAD = 400  # lines of a log in which its command stands


@dataclass(frozen=True)
class Choice:
    """``named``: the file that the logs are of, "" where nothing tells; ``rivals``: the configurations
    of the others, each as if it had been read; ``other_logs``: names of logs that are of these."""

    named: str
    main: Stated
    others: tuple[Stated, ...]
    rivals: tuple[RunConfig, ...]
    other_logs: frozenset[str] = frozenset()

    def told(self, file: Stated, why: Text) -> Unread:
        """Why a file is not read: on purpose where it is known to be of another run."""
        if all(file is not other for other in self.others) or file.name == self.named:
            return Unread(file.name, why)
        if self.named:
            return Unread(file.name, why, aside=True)
        return Unread(file.name, UNDECIDED.fill(f=self.main.name))

    def settled(self, config: RunConfig) -> RunConfig:
        return config if self.named else in_common((config, *self.rivals))


def choose(
    look: Look,
    kept: Sequence[Stated],
    left: Sequence[tuple[Stated, Text]],
    mentions: Iterable[str],
    build: Callable[[Sequence[Stated]], RunConfig],
) -> Choice | None:
    """Which of the files that could stand in each other's place the logs are of; None where there is
    one only, or no log."""
    found = rivals_of(kept, left) if look.files("log") else None
    if found is None:
        return None
    main, others = found
    of = of_logs(look, [main, *others])
    configs = [build([one if file is main else file for file in kept]) for one in (main, *others)]
    named = main.name if mentioned(main, mentions) or (main.given and main.given.named) else ""
    if not named:
        at = by_values(look, configs)
        newest = next(iter(of.values()), None)
        named = (
            newest.name if newest is not None else "" if at is None else (main, *others)[at].name
        )
    elsewhere = frozenset(log for log, file in of.items() if named and file.name != named)
    return Choice(named, main, tuple(others), tuple(configs[1:]), elsewhere)


def of_newest_log(look: Look, launches: Sequence[Launch]) -> int | None:
    """Which launch the newest log is of that a script writes: ``train.py … | tee logs/sft.log``."""
    logs = [log.path for log in look.files("log")]
    lines: dict[str, int] = {}
    for script in {launch.span.file for launch in launches} if logs and len(launches) > 1 else ():
        for one in writers(_text(look, script), logs):
            for at, launch in enumerate(launches):
                if launch.span.file == script and one.first <= launch.span.line <= one.last:
                    lines[one.log] = at
    return next((lines[log] for log in logs if log in lines), None)


def _text(look: Look, script: str) -> str:
    try:
        with look.open(script, MAX_SCRIPT) as file:
            return file.read().decode("utf-8", "replace")
    except Unreadable:
        return ""


def rivals_of(
    kept: Sequence[Stated], left: Iterable[tuple[Stated, Text]]
) -> tuple[Stated, list[Stated]] | None:
    """The training's file that is read, and the others that could stand in its place."""
    main = next((f for f in kept if _may_rule(f)), None)
    others = [
        f for f, _ in left if _may_rule(f) and main is not None and f.values.keys() & main.values
    ]
    return (main, others) if main is not None and others else None


def copied(file: Stated, kept: Sequence[Stated]) -> str:
    """The file that is read of which another is a copy, whole or in part, as a logger keeps one in
    its folder (Lightning's ``hparams.yaml``); "" where it states something of its own. A model's own
    file is one, too, where another states the same model: a trainer saves it with each checkpoint."""
    if file.role == "model":
        return next((o.name for o in kept if o.role == "model" and _one_model(file, o)), "")
    mine = {_written(one) for one in file.settings}
    if not mine or file.given is None or file.given.kind != "config":
        return ""
    for other in kept:
        config = other.given is not None and other.given.kind == "config"
        if config and mine <= {_written(one) for one in other.settings}:
            return other.name
    return ""


def _one_model(one: Stated, other: Stated) -> bool:
    """Whether two files state the same of a model; what they say beside that is of who saved them."""
    return one.values.keys() == other.values.keys() and all(
        same(one.values[f].value, other.values[f].value) for f in one.values
    )


def passed_over(
    left: Sequence[tuple[Stated, Text]], kept: Sequence[Stated], choice: Choice | None
) -> Iterator[Unread]:
    """The files that are not of the launch; what a copy states is read. A model's file that a trainer
    saved with each checkpoint, and that states the same model, is not worth a word."""
    for other, why in left:
        original = copied(other, kept)
        if original and other.role == "model":
            continue
        if original:
            yield Unread(other.name, COPY.fill(f=original), aside=True)
        elif is_program(other) and kept:
            ruling = next((f for f in kept if f.role == other.role), kept[0])
            yield Unread(other.name, PROGRAM.fill(f=ruling.name), aside=True)
        else:
            yield choice.told(other, why) if choice is not None else Unread(other.name, why)


def _may_rule(file: Stated) -> bool:
    if file.role != "trainer" or file.given is None or file.given.kind != "config":
        return False
    return not is_put_aside(file.name)


def of_logs(look: Look, files: Sequence[Stated]) -> Mapping[str, Stated]:
    """Name of a log -> the file that its lines name, or that is called like it; the newest first."""
    by_path = {f.given.path: f for f in files if f.given is not None}
    logs = look.files("log")
    alike = namesakes([log.path for log in logs], list(by_path))
    found: dict[str, Stated] = {}
    for log in logs:
        paths = named_in(_head(look, log), list(by_path)) or alike.get(log.path, ())
        if len(paths) == 1:
            found[log.name] = by_path[paths[0]]
    return found


def _head(look: Look, log: GivenFile) -> str:
    try:
        return "\n".join(text for _, text in islice(look.lines(log.path), _HEAD))
    except Unreadable:
        return ""


def by_values(look: Look, configs: Sequence[RunConfig]) -> int | None:
    """Which of the configurations states what the run printed at its start; None if none does, or
    another one states all of that, too."""
    seen: Mapping[str, tuple[Scalar, Source]] = start_values(look, configs[0])
    scores = [_score(config, seen) for config in configs]
    right = [n for n, (agree, differ) in enumerate(scores) if agree and not differ]
    return (
        right[0]
        if len(right) == 1 and all(d for n, (_, d) in enumerate(scores) if n != right[0])
        else None
    )


def _score(config: RunConfig, seen: Mapping[str, tuple[Scalar, Source]]) -> tuple[int, int]:
    """How many of the printed values it states, and how many it states otherwise."""
    stated = [(config.get(f), value) for f, (value, _) in seen.items() if config.get(f) is not None]
    agree = sum(same(mine, value) for mine, value in stated)
    return agree, len(stated) - agree


def in_common(configs: Sequence[RunConfig]) -> RunConfig:
    """What all of them state alike."""
    first, *others = configs
    values = {
        name: value
        for name, value in first.values.items()
        if all(same(o.get(name), value.value) for o in others)
    }
    held = [{_written(s) for s in o.settings} for o in others]
    settings = tuple(s for s in first.settings if all(_written(s) in h for h in held))
    return replace(first, values=values, settings=settings)


def _written(setting: Setting) -> tuple[tuple[str, ...], str]:
    return setting.path, repr(setting.value)
