"""Commands of remedies that are of another framework than the run's: they would do nothing there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.run_config import RunConfig
from medic.text.patterns import regex

if TYPE_CHECKING:
    from medic.entries import Procedure
    from medic.index.knowledge import Index
    from medic.session.consultation import Session

# Between commands that do the same in several frameworks.
APART = "  |  "
WALKED = 3  # files: more are no command that one types
_MODULE = regex(r"-m (\w{1,40})\b")
_IMPORTS = regex(r"\bimport ((?:\w{1,40}, ?){0,12}\w{1,40})")
_MADE = regex(r"\b([A-Z]\w{1,40}(?:Arguments|Config))\(")
_ROOT = regex(r"(?<![\w.])([a-z]{1,30}(?:_[a-z]{1,30}){1,4})\.")
# Layouts of settings that many programs share, and an engine that several of them use.
_SHARED = frozenset("plain own-loop loop-scripts hydra grouped hf-model vllm".split())  # noqa: SIM905


def own_command(session: Session, command: str) -> str:
    """The command, or the snippet, without the parts that are of a framework which this run does not
    use."""
    return own(session.index, session.model.context.facts.get("framework"), command)


def walk_files(session: Session, procedure: Procedure) -> list[str]:
    """What a walk is to be given so that it shows the run's own commands: its files, where they
    tell the framework and a step has one of another."""
    config = session.evidence.fact(RunConfig)
    texts = [text for step in procedure.steps for text in (step.command, step.snippet)]
    if config is None or all(own_command(session, text) == text for text in texts):
        return []
    files = [f.name for f in session.case.files if f.kind in ("config", "script", "python")]
    return files if len(files) <= WALKED else []


def own(index: Index, framework: object, command: str) -> str:
    """The same for a run of the framework; all of it where that is not known."""
    if not isinstance(framework, str) or not framework or framework in _SHARED:
        return command
    parts = command.split(APART)
    kept = [p for p in parts if not is_foreign(index, p, framework)]
    text = APART.join(kept)
    return text if kept == parts or not text or text.startswith("#") else f"# {text}"


def is_foreign(index: Index, command: str, framework: str) -> bool:
    """Whether a command runs or imports a trainer, or sets its keys, and none of them is the run's
    or what that builds on."""
    frames = index.frameworks
    words = set(_MODULE.findall(command))
    words |= {w.strip() for names in _IMPORTS.findall(command) for w in names.split(",")}
    told = {w for w in words if w in frames and w not in _SHARED and frames[w].role == "trainer"}
    made = set(_MADE.findall(command))
    told |= {name for name, classes in _classes(index) if classes & made}
    roots = set(_ROOT.findall(command))
    if roots:  # of every key of every framework
        told |= {name for name, root in _roots(index) if root in roots}
    own = {framework, framework.partition("-")[0]}
    own |= set(frames[framework].builds_on) if framework in frames else set()
    return bool(told) and not told & own


def _classes(index: Index) -> list[tuple[str, set[str]]]:
    """The classes of settings that each trainer calls its own."""
    frames = index.frameworks.items()
    own = [(n, {c.rpartition(".")[2] for c in f.dataclasses}) for n, f in frames]
    return [(name, classes) for name, classes in own if classes]


def _roots(index: Index) -> list[tuple[str, str]]:
    """(trainer, first word of its keys) of the words that no other framework's keys begin with."""
    by_root: dict[str, set[str]] = {}
    for name, frame in index.frameworks.items():
        for key in frame.keys:
            root, dot, _ = key.key.partition(".")
            if dot and "_" in root:
                by_root.setdefault(root, set()).add(name)
    alone = [(next(iter(names)), root) for root, names in by_root.items() if len(names) == 1]
    return [(n, r) for n, r in alone if index.frameworks[n].role == "trainer"]
