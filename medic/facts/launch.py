"""The command that starts training and the options its script accepts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from medic.facts.documents import Choice, Word
from medic.facts.files import Source
from medic.records import dataclass, field
from medic.run_config import Span


@dataclass(frozen=True)
class Launch:
    """The command that starts training: launcher, its options, script and its arguments.

    ``batch`` is what the job asks of Slurm, as far as it holds for this command: ``--nodes=4``,
    each with the place of its number.
    """

    launcher: str  # torchrun | deepspeed | accelerate | srun | python | …
    launcher_words: tuple[Word, ...]
    script: Word | None
    arguments: tuple[Word, ...]
    span: Span
    environment: Mapping[str, str] = field(default_factory=dict)
    batch: tuple[Word, ...] = ()


@dataclass(frozen=True)
class Launches:
    """``choices``: by the script, what its caller chooses from (see ``Document``)."""

    launches: tuple[Launch, ...] = ()
    choices: Mapping[str, tuple[Choice, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class OtherRuns:
    """Names of logs that are of a configuration which was not read."""

    logs: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Option:
    """One option a script's parser accepts; a name without ``-`` is a positional argument."""

    names: tuple[str, ...]
    takes: Literal["value", "optional-value", "none", "many"]
    negative: str = ""  # the --no-… form, if there is one
    default: str = ""
    choices: tuple[str, ...] = ()  # empty if any value goes
    source: Source = field(default_factory=Source)
    number: Literal["", "int", "float"] = ""  # what its values are converted to
    required: bool = False


@dataclass(frozen=True)
class ParserSpec:
    """The options of a training script, read from its source or usage text, never by running."""

    script: str
    options: tuple[Option, ...]
    complete: bool  # False if some options could not be known
    prefixes: bool = True  # unique prefixes are accepted
    ignores_unknown: bool = False  # an unknown flag is dropped without a word
    origin: Literal["source", "usage"] = "source"
    lent: tuple[str, ...] = ()  # library classes whose fields alone are missing in ``options``


@dataclass(frozen=True)
class Parsers:
    parsers: tuple[ParserSpec, ...] = ()
