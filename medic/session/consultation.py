"""The consultation as a plain state machine: look, ask, answer, change, look again.

Both the command line and the app drive it. All state is the evidence, the answers and the tried
remedies; beliefs are recomputed from them, so that taking an answer back is dropping it.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from medic.beliefs.context import context_of
from medic.beliefs.likelihoods import Seen
from medic.beliefs.model import Model, model_of
from medic.case.collect import Case
from medic.entries import Remedy
from medic.fixes import Fix, propose
from medic.i18n import Text
from medic.index.knowledge import Index
from medic.planner.looks import NextLook, Open, change_of_mind, next_look
from medic.planner.questions import Question
from medic.planner.verdict import Heard, heard, leading_symptoms
from medic.probe import Probe
from medic.records import dataclass, field, replace
from medic.runner.evidence import Evidence
from medic.runner.run import Progress, observe
from medic.session import both
from medic.session.diagnosis import Diagnosis
from medic.session.pasted import ANOTHER
from medic.session.premises import beside_lines, doubted, without_denied
from medic.session.recheck import Applied
from medic.session.revisit import OF_BEFORE, collect_again, merged, still_before, without
from medic.session.sentences import finding_text
from medic.told.understood import Told

if TYPE_CHECKING:
    from medic.beliefs.conditions import Context
    from medic.oom import Account


@dataclass
class Session:
    """One consultation over one case."""

    index: Index
    case: Case
    probes: Sequence[Probe] | None = None
    evidence: Evidence = field(default_factory=Evidence)
    answers: list[tuple[str, str]] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)  # asked, and nobody knows
    tried: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)  # paths that the user wants not to be read
    aside: dict[str, float] = field(default_factory=dict)  # logs of another run than was pasted
    before: dict[str, float] = field(default_factory=dict)  # logs of a run before a change
    quotes: dict[str, str] = field(default_factory=dict)  # of values given in words, by field
    prose: str = ""  # what the case's text describes, taken at a look
    episode: int = 1
    applied: list[Applied] = field(default_factory=list)  # changes written on advice

    # --- evidence ---------------------------------------------------------------------------

    def look(
        self, progress: Progress | None = None, cancel: threading.Event | None = None
    ) -> Evidence:
        """Runs the probes over the case and takes typed words as complaints."""
        from medic.session.said import listen

        words = listen(self)
        self.evidence = observe(
            self.case, self.index, self.probes, progress=progress, cancel=cancel
        )
        self.refresh()
        self.complain(words)
        return self.evidence

    def complain(self, words: str) -> None:
        """Takes a description."""
        if words.strip():
            self.told.describe(words)
            self.refresh()

    def complain_of(self, name: str, words: str = "") -> None:
        """Takes a symptom that the user chose, and the words for it."""
        self.told.choose(name, words)
        self.refresh()

    def withdraw(self, name: str, words: str = "") -> None:
        """Takes back a complaint and the last words that were the same."""
        self.told.withdraw(name, words)
        self.refresh()

    def refuse(self, refused: bool = True) -> None:
        """The user says that it is none of the causes, or takes that back."""
        self.told.refused = refused
        self.refresh()

    def suggest(self, words: str) -> list[tuple[str, float]]:
        """Symptoms that a description may mean, best first."""
        from medic.match import search

        return [(m.name, m.score) for m in search(words, self.index, ("symptoms",))]

    def add(self, text: str = "", paths: Sequence[str] = ()) -> None:
        """More evidence: pasted text or files. The caller looks again."""
        old = self.case
        pastes = (*old.pastes, text) if text else old.pastes
        self.case = merged(replace(old, pastes=pastes), self.index, more=paths)
        for file in self.case.files:
            self.before.pop(file.path, None)

    def drop(self, path: str) -> None:
        """Leaves a file out of the case. The caller looks again."""
        self.left_out.append(path)
        self.case = without(self.case, self.left_out)

    def collect_again(self, leave_out: Sequence[str] = ()) -> None:
        """The case as its folders are now, without ``leave_out``: files of before a change. Those
        that were left out so, and were not written to since then, stay out."""
        fresh = without(collect_again(self.case, self.index), self.left_out)
        fresh = without(fresh, list(self.aside), ANOTHER)
        self.before = still_before(fresh, self.before, leave_out)
        self.case = without(fresh, list(self.before), OF_BEFORE)

    # --- beliefs ----------------------------------------------------------------------------

    @cached_property
    def context(self) -> Context:
        return context_of(self.evidence.facts)

    @cached_property
    def model(self) -> Model:
        seen = {(o.name, o.outcome) for o in self.evidence.observed if o.reliability == "exact"}
        plain, written = model_of(self.index, self.context), both.written(self)
        alike = both.likeness(self, written, seen)
        if self.told.words:
            from medic.told.unfit import fitted, of_the_run

            alike = alike if self.case.files else fitted(alike, written, self.index)
            # Beside files words are held against these, see ``against``.
            alike = of_the_run(alike, self.seen, self.index) if self.case.in_words else alike
            alike = without_denied(alike, self)
        return plain.of(alike, self.told.ruled)

    @cached_property
    def told(self) -> Told:
        return Told(self.index)  # what the user said in words

    @property
    def complaints(self) -> list[str]:
        return self.told.complaints

    @property
    def words(self) -> str:
        return self.told.words

    @property
    def refused(self) -> bool:
        return self.told.refused

    @cached_property
    def found(self) -> list[Heard]:
        here = self.evidence.host_is_the_runs is True
        told = [*both.in_words(self), *beside_lines(self)]
        found = heard(self.evidence, self.answers, self.index, host_counts=here, told=told)
        return doubted(found, self)

    @property
    def seen(self) -> list[Seen]:
        return [h.seen for h in self.found]

    def refresh(self) -> None:
        """Beliefs are worked out anew from the evidence and from what was said."""
        for name in ("context", "memory", "model", "found"):
            self.__dict__.pop(name, None)

    # --- asking -----------------------------------------------------------------------------

    def open_looks(self) -> list[Open]:
        """Checks and symptoms that a person could still answer."""
        from medic.session.asked import still_open

        return still_open(self)

    def next_question(self) -> Question | None:
        """The question most worth asking, or None: nothing left would change the verdict."""
        if not leading_symptoms(self.index, self.found):
            return None
        looks, alone = self.open_looks(), not self.case.files
        found = next_look(self.model, self.seen, frozenset(self.tried), looks, words_alone=alone)
        return None if found is None else self.question(found)

    def question(self, look: NextLook) -> Question:
        name = look.look.name
        check = self.index.checks.get(name)
        ask = check.ask if check else self.index.symptoms[name].ask
        if ask is None:
            raise ValueError(name)
        from medic.session.asked import options

        return Question(name, ask.say, ask.how, ask.minutes, options(self, name), look)

    def answer(self, name: str, outcome: str | None) -> None:
        """Takes an answer; None is "I don't know": no change of belief, shown as a gap."""
        if outcome is not None:
            self.answers.append((name, outcome))
        elif name not in self.unknown:
            self.unknown.append(name)
        self.refresh()

    def take_back(self, name: str = "") -> str | None:
        """Drops the last answer to ``name``, or the last of all; its name, or None if none is."""
        given = [i for i, (asked, _) in enumerate(self.answers) if name in ("", asked)]
        if given:
            name, _ = self.answers.pop(given[-1])
        elif name in self.unknown:
            self.unknown.remove(name)
        else:
            return None
        self.refresh()
        return name

    # --- the answer -------------------------------------------------------------------------

    def diagnosis(self, *, asks: bool = True) -> Diagnosis:
        """Where the case stands now; ``asks``: whether the next question is wanted, too."""
        from medic.session.conclude import conclude

        return conclude(self, asks=asks)

    @cached_property
    def memory(self) -> Account | None:
        if "cuda-out-of-memory" not in self.observed_symptoms():
            return None
        from medic.oom import of_run

        return of_run(self.evidence, self.index)

    # --- acting -----------------------------------------------------------------------------

    def fixes(self, cause: str) -> list[Fix]:
        """The remedies of a cause as concrete changes of the user's own files, those that the
        evidence asks for first, those out of reach or made already last."""
        from medic.session.cheapest import in_order

        ordered = in_order(self, cause)
        return sorted((self.fix(one, cause) for one in ordered), key=lambda fix: fix.made)

    def fix(self, remedy: Remedy, cause: str) -> Fix:
        fired = [
            h.finding for h in self.found if h.seen.name == cause and h.seen.outcome == "fires"
        ]
        exact = [change for finding in fired for change in finding.changes]
        leads = remedy.name == self.index.causes[cause].remedies[0]
        repair = next((f.repair for f in fired if f.repair is not None), None) if leads else None
        return propose(remedy, self.evidence.facts_of_the_run(), self.index, exact, repair)

    def remedy_done(self, remedy: str, *, helped: bool) -> None:
        """Takes the outcome of a remedy that did not help: its causes become unlikely. The caller
        looks again; ``episode_if`` starts anew where the symptoms changed."""
        if not helped and remedy not in self.tried:
            self.tried.append(remedy)
        self.refresh()

    def helped(self, remedy: str) -> None:
        """A remedy that was said to be in vain was not."""
        self.tried = [name for name in self.tried if name != remedy]

    def observed_symptoms(self) -> set[str]:
        """Names of the symptoms that the evidence itself shows, whatever was said."""
        shown = heard(self.evidence, [], self.index, host_counts=True)
        return {h.seen.name for h in leading_symptoms(self.index, shown)}

    def episode_if(self, before: set[str]) -> bool:
        """After a re-scan: other symptoms than ``before`` start an episode, which keeps only normal
        answers: complaints and words were about the run before."""
        if self.observed_symptoms() == before:
            return False
        self.new_episode()
        return True

    def new_episode(self) -> None:
        """From here on the case is another run: what was said of the one before does not hold."""
        self.episode += 1
        checks = self.index.checks
        normal = ((n, o) for n, o in self.answers if n in checks and checks[n].outcomes[o].normal)
        self.answers = list(normal)
        self.unknown = []
        self.told.forget()
        self.refresh()

    # --- explaining itself ---
    def mind(self) -> NextLook | None:
        """The cheapest open look that could flip the leader."""
        return change_of_mind(self.model, self.seen, frozenset(self.tried), self.open_looks())

    def text_of(self, seen: Seen) -> Text:
        item = next((i for i in self.found if i.seen == seen), None)
        return finding_text(self.index, item.finding) if item else self.index.title(seen.name)
