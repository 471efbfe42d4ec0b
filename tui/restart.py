"""How a run is started again: by the one script of the case."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from medic.text.patterns import regex

from . import words_after

if TYPE_CHECKING:
    from medic.entries import Remedy
    from medic.i18n import Text
    from medic.session.consultation import Session

_KEEPS = regex(r"\btee\b|(?<!2)>>?\s*(?!&|/dev/null)[\w$./{\"']|--log[-_]dir\b|--redirects\b")
_NAMED = regex(r"(?<![\w/.$}-])(?:\.{1,2}/)*[\w-][\w./-]*\.(?:py|ya?ml|json|toml|sh)\b")


def command_of(session: Session, log: str = "") -> str:
    """How the run is started: by the one script of the case; "" where there is none or several.

    ``log`` takes what the run says where the script itself writes none.
    """
    from medic.session.launched import script_of, script_text

    script = script_of(session)
    if script is None:
        return ""
    path, text = Path(script.path), script_text(script)
    runner = "sbatch" if "#SBATCH" in text else "bash"
    keeps = runner == "sbatch" or bool(_KEEPS.search(text))
    tail = "" if keeps or not log else f" 2>&1 | tee {shlex.quote(log)}"
    if _starts_from(path.parent, text):
        return f"(cd {shlex.quote(str(path.parent))} && {runner} {shlex.quote(path.name)}{tail})"
    return f"{runner} {shlex.quote(script.name)}{tail}"


def sign_of(session: Session, remedy: Remedy) -> Text | None:
    """What shows that a remedy worked, where its entry says it of symptoms only: those it is for,
    the ones that were seen before others; None where it names none."""
    gone = remedy.worked_if.gone
    names = [gone] if isinstance(gone, str) else list(gone)
    seen = session.observed_symptoms()
    named = sorted((n for n in names if n in session.index.symptoms), key=lambda n: n not in seen)
    if not named:
        return None
    told, steps = words_after.STAYS_AWAY, remedy.worked_if.after_steps
    if steps > 1:
        told = words_after.STAYS_AWAY_FOR.fill(n=steps)
    return told.fill(title=session.index.title(named[0]))


def _starts_from(folder: Path, text: str) -> bool:
    """Whether the files that a script names are there seen from its own folder, not from here."""
    named = [Path(name) for name in _NAMED.findall(text)]
    own = [name for name in named if (folder / name).exists()]
    return bool(own) and not any(name.exists() for name in named)
