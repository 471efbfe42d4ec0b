"""How often medic is right: labelled cases, diagnosed and scored.

A folder of cases holds ``CAUSE/fires-N/`` (must be diagnosed as it), ``CAUSE/quiet-N/`` (must not),
the same as pasted texts (``fires-N.txt``), ``healthy/NAME/`` (nothing may be alarmed), and
``*.jsonl`` with one text a line: ``{"id", "lang", "text", "config", "causes": [name, ...]}``;
``causes`` is empty for a healthy text, and any of several is right. In a folder, said.txt is what
the user types beside it.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from medic.case.collect import collect
from medic.errors import UsageError
from medic.i18n import in_chinese
from medic.index.knowledge import Index
from medic.nearest import did_you_mean
from medic.records import dataclass, field
from medic.runner.registry import all_probes
from medic.session.consultation import Session
from medic.session.diagnosis import Diagnosis

HEALTHY = "healthy"
NAMED = ("established", "likely")
ALARMS = ("established", "likely", "unclear", "none-of-these")


@dataclass(frozen=True)
class Labelled:
    """A case with its truth: the right causes, or one that must not be named, or health."""

    id: str
    causes: tuple[str, ...] = ()
    never: str = ""
    lang: str = "en"
    folder: str = ""
    text: str = ""

    @property
    def healthy(self) -> bool:
        return not self.causes and not self.never


@dataclass(frozen=True)
class Result:
    """What medic said of a case."""

    case: Labelled
    verdict: str
    named: tuple[str, ...]
    word: str = ""

    @property
    def place(self) -> int:
        """1 if the right cause is first, 2, 3, …; 0 if it is not named."""
        ranks = [i for i, name in enumerate(self.named, start=1) if name in self.case.causes]
        return ranks[0] if ranks else 0

    @property
    def right(self) -> bool:
        if self.case.never:
            return self.verdict not in NAMED or self.named[:1] != (self.case.never,)
        return self.verdict not in ALARMS if self.case.healthy else self.place == 1

    @property
    def established_wrong(self) -> bool:
        return self.verdict == "established" and not self.right


@dataclass
class Row:
    """Counts of one group of cases that have a cause."""

    cases: int = 0
    top1: int = 0
    top3: int = 0
    established: int = 0
    established_wrong: int = 0

    def add(self, result: Result) -> None:
        self.cases += 1
        self.top1 += result.place == 1
        self.top3 += 1 <= result.place <= 3
        self.established += result.verdict == "established"
        self.established_wrong += result.established_wrong


@dataclass
class Score:
    """The table: causes by family and language, quiet and healthy cases, words, misses."""

    all: Row = field(default_factory=Row)
    families: dict[str, Row] = field(default_factory=lambda: defaultdict(Row))
    languages: dict[str, Row] = field(default_factory=lambda: defaultdict(Row))
    quiet: int = 0
    quiet_wrong: int = 0
    healthy: int = 0
    alarmed: int = 0
    words: dict[str, Counter[bool]] = field(default_factory=lambda: defaultdict(Counter))
    misses: list[Result] = field(default_factory=list)

    def add(self, result: Result, index: Index) -> None:
        case = result.case
        if not result.right:
            self.misses.append(result)
        if case.never:
            self.quiet += 1
            self.quiet_wrong += not result.right
        elif case.healthy:
            self.healthy += 1
            self.alarmed += not result.right
        else:
            family = index.causes[case.causes[0]].family
            for row in (self.all, self.families[family], self.languages[case.lang]):
                row.add(result)
            if result.word:
                self.words[result.word][result.place == 1] += 1


def evaluate(
    cases: Iterable[Labelled], index: Index, progress: Callable[[int], None] | None = None
) -> Score:
    """Diagnoses every case and scores the answers."""
    score = Score()
    for number, case in enumerate(cases, start=1):
        if progress:
            progress(number)
        score.add(judge(case, index), index)
    return score


def judge(case: Labelled, index: Index) -> Result:
    found = diagnose(case, index)
    names = tuple(c.name for c in found.causes)
    word = found.causes[0].word if found.causes and found.verdict != "none-of-these" else ""
    return Result(case, found.verdict, names, word)


def diagnose(case: Labelled, index: Index) -> Diagnosis:
    paths = [case.folder] if case.folder else []
    probes = [probe for probe in all_probes() if probe.reads == "artefacts"]
    given = collect(paths, text=case.text, this_host=False, index=index)
    session = Session(index, given, probes)
    session.look()
    said = Path(case.folder, "said.txt") if case.folder else None
    if said is not None and said.is_file():
        session.complain(said.read_text("utf-8"))
    return session.diagnosis(asks=False)


# --- reading --------------------------------------------------------------------------------


def read_cases(root: Path, index: Index) -> list[Labelled]:
    """The labelled cases below a folder, in the order of their names. Raises UsageError."""
    if not root.is_dir():
        raise UsageError("not a folder of labelled cases", "不是带标注的案例目录", at=str(root))
    found = [*_folders(root, index), *_texts(root, index)]
    if not found:
        raise UsageError(
            "no labelled cases here: CAUSE/fires-N/, CAUSE/quiet-N/, healthy/NAME/ or *.jsonl",
            "没有带标注的案例：应为 CAUSE/fires-N/、CAUSE/quiet-N/、healthy/NAME/ 或 *.jsonl",
            at=str(root),
        )
    return found


def _folders(root: Path, index: Index) -> Iterator[Labelled]:
    for place in sorted(root.glob("*/*")):
        label, kind = place.parent.name, place.name.partition("-")[0]
        if label == HEALTHY and place.is_dir():
            yield _placed(place)
        elif kind in ("fires", "quiet") and (place.is_dir() or place.suffix == ".txt"):
            _known(label, index, str(place))
            yield (
                _placed(place, causes=(label,)) if kind == "fires" else _placed(place, never=label)
            )


def _placed(place: Path, **truth: Any) -> Labelled:
    """A run folder, or a text as a person would paste it."""
    name = f"{place.parent.name}/{place.stem}"
    if place.is_dir():
        return Labelled(name, folder=str(place), lang=_language(place), **truth)
    text = place.read_text("utf-8")
    return Labelled(name, text=text, lang=language(text), **truth)


def _language(folder: Path) -> str:
    said = folder / "said.txt"
    return language(said.read_text("utf-8")) if said.is_file() else "en"


def language(text: str) -> str:
    """zh if a tenth of the letters is Han."""
    return "zh" if in_chinese(text) else "en"


def _texts(root: Path, index: Index) -> Iterator[Labelled]:
    for file in sorted(root.glob("*.jsonl")):
        for number, line in enumerate(file.read_text("utf-8").splitlines(), start=1):
            if line.strip():
                yield _text(line, f"{file}:{number}", index)


def _text(line: str, at: str, index: Index) -> Labelled:
    try:
        data: dict[str, Any] = json.loads(line)
        text, causes = str(data["text"]), tuple(map(str, data["causes"]))
    except (ValueError, KeyError, TypeError) as problem:
        raise UsageError(
            f"no case: needs text and causes ({problem})",
            f"不是案例：需要 text 和 causes（{problem}）",
            at=at,
        ) from None
    for cause in causes:
        _known(cause, index, at)
    if data.get("config"):
        text = f"{text}\n\n{data['config']}"
    lang = str(data.get("lang") or language(text))
    return Labelled(str(data.get("id") or at), causes=causes, text=text, lang=lang)


def _known(cause: str, index: Index, at: str) -> None:
    if cause not in index.causes:
        hint = did_you_mean(cause, index.causes)
        raise UsageError(f'no cause "{cause}"{hint.en}', f"没有原因 “{cause}”{hint.zh}", at=at)


def table(score: Score) -> list[tuple[str, Row]]:
    """Rows of the report: all, then by family, then by language."""
    groups: Sequence[tuple[str, Row]] = [*score.families.items()]
    languages = [(f"lang {name}", row) for name, row in sorted(score.languages.items())]
    return [("all", score.all), *sorted(groups), *languages]
