"""The knowledge at run time: compiled JSON, as plain data and as entries decoded on demand."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from medic.entries.words import TELLTALE
from medic.i18n import Text
from medic.index.stored import Parts, tables

if TYPE_CHECKING:
    from medic.entries import (
        Cause,
        Check,
        Framework,
        Gpu,
        Model,
        Procedure,
        Remedy,
        Symptom,
        Term,
        ToldBy,
    )
    from medic.index.ties import Ties

T = TypeVar("T")
NONE_TITLE = Text("none of these causes", "以上原因都不是")
PASSES = Text("looked and found nothing", "检查通过")
TELLTALE_TITLE = Text("Words that one cause alone prints", "只有某一个原因才会打印的内容")
NO_TELLTALE = "none"


class Lazy(Mapping[str, T], Generic[T]):
    """Entries by name, each made when first read."""

    def __init__(self, names: Collection[str], make: Callable[[str], T]) -> None:
        self._names = names
        self._make = make
        self._made: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._made:
            if name not in self._names:
                raise KeyError(name)
            self._made[name] = self._make(name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names


class Index:
    """All entries. ``raw`` is the compiled data, enough for what only looks things up; the
    mappings decode entries. ``checks`` holds the lint checks of causes beside the written ones."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = raw
        self.kept: dict[str, Any] = {}  # what is made of it and goes with it
        self._links: dict[str, tuple[ToldBy, ...]] = {}

    def _lazy(self, kind: str) -> Lazy[Any]:
        from medic.entries import entry_type
        from medic.entries.decode import decode

        entry, raw = entry_type(kind), self.raw[kind]
        return Lazy(raw, lambda name: decode(entry, raw[name]))

    @cached_property
    def symptoms(self) -> Mapping[str, Symptom]:
        return self._lazy("symptoms")

    @cached_property
    def causes(self) -> Mapping[str, Cause]:
        return self._lazy("causes")

    @cached_property
    def remedies(self) -> Mapping[str, Remedy]:
        return self._lazy("remedies")

    @cached_property
    def procedures(self) -> Mapping[str, Procedure]:
        return self._lazy("procedures")

    @cached_property
    def frameworks(self) -> Mapping[str, Framework]:
        return self._lazy("frameworks")

    @cached_property
    def all_frameworks(self) -> tuple[Framework, ...]:
        """For those who ask for all of them, for each of many files."""
        return tuple(self.frameworks.values())

    @cached_property
    def terms(self) -> Mapping[str, Term]:
        return self._lazy("terms")

    @cached_property
    def models(self) -> Mapping[str, Model]:
        return self._lazy("models")

    @cached_property
    def gpus(self) -> Mapping[str, Gpu]:
        return self._lazy("gpus")

    @cached_property
    def checks(self) -> Mapping[str, Check]:
        """Written checks, the lint check of each cause that has one, and the telltales."""
        written = self._lazy("checks")
        telltale = (TELLTALE,) if self._tables["telltale"] else ()

        def make(name: str) -> Check:
            if name in self.lint_names:
                return lint_check(self.causes[name])
            return written[name] if name in written else telltale_check(self.telltales)

        return Lazy(dict.fromkeys((*written, *self._tables["lint"], *telltale)), make)

    @cached_property
    def _tables(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] | None = self.raw.get("tables")
        return tables(self.raw) if found is None else found

    @cached_property
    def telltales(self) -> Mapping[str, Any]:
        """Raw causes that have words of their own, by name."""
        return {name: self.raw["causes"][name] for name in self._tables["telltale"]}

    @cached_property
    def words(self) -> Mapping[str, Any]:
        """What each term counts for each cause, by its place among ``raw["causes"]``: for comparing
        a description with them."""
        from medic.match.likeness import bags, weighed

        words: Mapping[str, Any] | None = self.raw.get("words")
        return weighed(bags(self.raw)) if words is None else words

    @cached_property
    def sayings(self) -> Mapping[str, Any]:
        """How people say things, by name, as ``medic.match.sayings`` reads it."""
        from medic.match.sayings import written

        found: Mapping[str, Any] | None = self.raw.get("sayings")
        return written(self.raw.get("vocabulary", {})) if found is None else found

    @cached_property
    def told(self) -> Mapping[str, Any]:
        """What entries ask of a sentence that is near to them."""
        from medic.match.sayings import asked_of

        found: Mapping[str, Any] | None = self.raw.get("told")
        return asked_of(self.raw) if found is None else found

    @cached_property
    def ties(self) -> Ties:
        """What beliefs read of all causes and checks."""
        from medic.index.ties import read, ties_of

        found = self.raw.get("ties")
        return ties_of(self.causes, self.links, self.checks) if found is None else read(found)

    @cached_property
    def lint_names(self) -> frozenset[str]:
        return frozenset(self._tables["lint"])

    @cached_property
    def variables(self) -> frozenset[str]:
        """Environment variables that a library reads."""
        return frozenset(self._tables["variables"])

    def links(self, cause: str) -> tuple[ToldBy, ...]:
        """The cause's links to check outcomes, its own lint check and telltale among them."""
        if cause not in self._links:
            self._links[cause] = self._linked(self.causes[cause])
        return self._links[cause]

    def _linked(self, entry: Cause) -> tuple[ToldBy, ...]:
        from medic.entries import ToldBy

        own: list[ToldBy] = []
        if entry.lint is not None:
            own.append(ToldBy(entry.name, "fires", entry.lint.weight))
        if entry.telltale is not None:
            own.append(ToldBy(TELLTALE, entry.name, entry.telltale.weight))
        return (*entry.told_by, *own)

    def outcomes(self, name: str) -> Mapping[str, bool]:
        """Of a check or a symptom: outcome -> whether an unrelated case shows it. Empty for an
        unknown name."""
        if name in self.lint_names:
            return {"passes": True, "fires": False}
        if name == TELLTALE:
            return {NO_TELLTALE: True} | dict.fromkeys(self._tables["telltale"], False)
        if name in self.raw["checks"]:
            raw = self.raw["checks"][name]["outcomes"]
            return {outcome: bool(one.get("normal")) for outcome, one in raw.items()}
        return {"present": False, "absent": True} if name in self.raw["symptoms"] else {}

    def is_normal(self, name: str, outcome: str) -> bool:
        """Whether an outcome is what an unrelated case shows: an absent symptom, a normal check."""
        return self.outcomes(name)[outcome]

    def is_noted(self, name: str, outcome: str) -> bool:
        """Whether an outcome is no fault by itself, and worth a line of the answer."""
        raw = self.raw["checks"].get(name, {"outcomes": {}})
        return bool(raw["outcomes"].get(outcome, {}).get("noted"))

    @cached_property
    def thresholds(self) -> Mapping[str, float]:
        """Those of all checks."""
        checks = self.raw["checks"].values()
        named = (item for raw in checks for item in raw.get("thresholds", {}).items())
        return {name: float(one["value"]) for name, one in named}

    def title(self, name: str) -> Text:
        """The title of an entry of any kind; the name itself if there is none."""
        if name == TELLTALE:
            return TELLTALE_TITLE
        for kind in ("causes", "symptoms", "checks", "remedies", "procedures", "terms"):
            if name in self.raw[kind]:
                return Text(**self.raw[kind][name]["title"])
        return NONE_TITLE if name == "none-of-these" else Text(name, name)

    def by_code(self, code: str) -> str | None:
        found: str | None = self._tables["codes"].get(code.upper())
        return found

    @property
    def beside(self) -> Mapping[str, Sequence[str]]:
        """Checks that lines answer only beside one of these symptoms."""
        found: Mapping[str, Sequence[str]] = self._tables["beside"]
        return found

    def showing(self, symptom: str) -> Sequence[str]:
        """The causes that show a symptom, however rarely."""
        found: Sequence[str] = self._tables["shown"].get(symptom, ())
        return found


def lint_check(cause: Cause) -> Check:
    """The check that a cause's lint words create."""
    from medic.entries import Check, Outcome

    lint = cause.lint
    if lint is None:
        raise ValueError(cause.name)
    return Check(
        name=cause.name,
        family="config",
        title=cause.title,
        outcomes={
            "passes": Outcome(PASSES, normal=True),
            "fires": Outcome(cause.title, otherwise=lint.otherwise, seen=lint.message),
        },
    )


def telltale_check(causes: Mapping[str, Any]) -> Check:
    """One check whose outcomes are the causes that words of their own name."""
    from medic.entries import Check, Outcome

    outcomes = {NO_TELLTALE: Outcome(Text("no such words", "没有这类内容"), normal=True)}
    for name, raw in causes.items():
        otherwise = raw["telltale"].get("otherwise", "never")
        outcomes[name] = Outcome(Text(**raw["title"]), otherwise=otherwise)
    return Check(name=TELLTALE, family=TELLTALE, title=TELLTALE_TITLE, outcomes=outcomes)


# --- loading --------------------------------------------------------------------------------


def load(extra: Path | None = None, slow: Callable[[], None] | None = None) -> Index:
    """The shipped knowledge, with a team's own folder on top. Raises KnowledgeError.

    ``slow`` is called before what takes long: the first start of a checkout or after a change of
    the entries, which are then compiled.
    """
    # A mapped package: its place is known to the import system only, in a wheel and in a checkout.
    packaged = Path(import_module("medic.knowledge").__path__[0])
    compiled = packaged / "compiled"
    if extra is None and compiled.is_dir():
        return Index(Parts(compiled))
    folders = [packaged]
    if extra is not None:
        folders.append(extra)
    from medic.index.cached import cached

    return Index(cached(folders, slow))
