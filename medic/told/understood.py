"""What a person said in words, and what it was taken to mean."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from medic.beliefs.likelihoods import Seen
from medic.entries.levels import STRONGEST
from medic.entries.words import TELLTALE
from medic.facts import Source
from medic.index.knowledge import Index
from medic.planner.verdict import Heard
from medic.probe import Finding
from medic.records import dataclass, field
from medic.told.bare_words import stands_out
from medic.told.cited import cited, denying
from medic.told.supposed import excluded, supposed_there

RANKS = "ranks"  # family of the checks that tell who failed, and who waited
CLOSE = STRONGEST * 0.5  # near enough to ask whether it is meant
OFFERED = 4  # symptoms that words may mean


@dataclass(frozen=True)
class Reading:
    """One thing that a sentence says: an outcome, and what else the sentence may mean; ``plain``
    where it says that and nothing else."""

    outcome: str
    quote: str
    also: tuple[str, ...] = ()
    plain: bool = False


@dataclass
class Told:
    """Symptoms that the user chose, and what descriptions report. Nothing here is a fact."""

    index: Index
    words: str = ""
    chosen: dict[str, str] = field(default_factory=dict)  # symptom -> the words for it
    reported: dict[str, Reading] = field(default_factory=dict)  # symptoms, from descriptions
    answered: dict[str, Reading] = field(default_factory=dict)  # checks, from descriptions
    denied: dict[str, str] = field(default_factory=dict)  # symptom -> the words that say "not so"
    refused: bool = False  # the user said: none of these
    ruled: dict[str, str] = field(default_factory=dict)  # cause ruled out by hand -> the words
    held: list[str] = field(default_factory=list)  # sentences that the files speak against

    @property
    def complaints(self) -> list[str]:
        return list(dict.fromkeys([*self.chosen, *self.reported]))

    @property
    def denials(self) -> dict[str, str]:
        """Symptoms that are denied, with the words; what is complained of, too, is there."""
        return {name: quote for name, quote in self.denied.items() if name not in self.complaints}

    @property
    def at_ease(self) -> bool:
        """Whether the words tell of no present fault."""
        if not self.words:
            return False
        from medic.match import (
            all_well,
            complains_not,
            expected,
            fine,
            makes_progress,
            only_asks,
            seeks_advice,
            tells_settled,
            told_of,
        )

        if told_of(self.words, self.index):
            return False
        quiet = not self.complaints and not self.answered
        return (
            all_well(self.words)
            or only_asks(self.words)
            or (quiet and (fine(self.words) or makes_progress(self.words)))
            or (not self.chosen and complains_not(self.words))
            or (not self.chosen and expected(self.words, self.index))
            or (not self.chosen and (seeks_advice(self.words) or tells_settled(self.words)))
        )

    @property
    def trouble(self) -> bool:
        """Whether what was said has a word for something wrong, or answers a check."""
        from medic.match import complains, reassures

        if self.at_ease:
            return False
        there = any(supposed_there(self.index, n, self._symptoms()) for n in self.answered)
        return complains(self.words) or (there and not reassures(self.words))

    @property
    def asks(self) -> bool:
        """Whether the words only ask how something is done or what it means."""
        from medic.match import asks_usage

        lines = [line for line in self.words.splitlines() if line.strip()]
        return bool(lines) and all(map(asks_usage, lines))

    def may_mean(self, likeness: Mapping[str, float]) -> list[str]:
        """Symptoms that the words may mean, nearest first: none is near enough to be taken."""
        from medic.match import search

        near = [match.name for match in search(self.words, self.index, ("symptoms",))]
        like = {} if self.answered else likeness  # else it is that of what was understood
        close = [cause for cause, ratio in like.items() if ratio >= CLOSE]
        alike = [self.index.causes[cause].shows[0].symptom for cause in close]
        return list(dict.fromkeys([*near, *alike]))[:OFFERED]

    def sounds_like(self, likeness: Mapping[str, float]) -> bool:
        """Whether the words are a description of some cause beyond chance."""
        if not self.words or self.at_ease or not stands_out(likeness):
            return False
        from medic.match import (
            asks,
            asks_why,
            complains,
            contrasts,
            praises,
            reassures,
            reports,
            tells_set_up,
        )

        if praises(self.words) and not (complains(self.words) or contrasts(self.words)):
            return False
        if asks_why(self.words) or (reports(self.words) and not tells_set_up(self.words)):
            return True
        # Who states what fails beside what is well complains; who asks may only want comfort.
        return complains(self.words) and not (reassures(self.words) and asks(self.words))

    def describe(self, words: str) -> None:
        """Takes a description: the symptoms it reports and the checks it answers."""
        from medic.match import answers, complaints, gist, without_healthy
        from medic.match.text import WHOLE
        from medic.told.absent import without_gone
        from medic.told.owners import without_others
        from medic.told.speakers import stated_words
        from medic.told.unfit import out_of_place

        words = gist(words)
        self.words = f"{self.words}\n{words}".strip()
        stated = stated_words(words)
        telling = without_healthy(without_gone(stated, self.index.told["called"]))
        for match, also in complaints(telling, self.index):
            plain, quote = match.score >= WHOLE and not also, cited(match.quote, words)
            self.reported.setdefault(match.name, Reading("present", quote, also, plain))
        self._beside_settings(telling)
        own = without_others(telling)
        for check, outcome, said in answers(own, self.index):
            if not out_of_place(check, self.words, self.index):
                self.answered.setdefault(check, Reading(outcome, cited(said, words)))
        self._quoted(stated)
        self._denies(words)

    def _beside_settings(self, words: str) -> None:
        """Symptoms that the words plainly tell of once the names of settings are left out."""
        from medic.match import complaints
        from medic.match.text import WHOLE
        from medic.told.unfit import without_settings

        bare = without_settings(words, self.index)
        for match, also in complaints(bare, self.index) if bare != words else ():
            if match.score >= WHOLE and not also:
                known = self.reported.get(match.name)
                quote = known.quote if known else cited(match.quote, self.words)
                self.reported[match.name] = Reading("present", quote, (), plain=True)

    def _denies(self, words: str) -> None:
        """Symptoms that the words say are not there."""
        from medic.match import denied
        from medic.told.absent import symptoms

        called = self.index.told["called"]
        for name, quote in symptoms(words, called):
            self.denied.setdefault(name, quote)
        for name in sorted(denied(words, self.index) - called.keys()):
            self.denied.setdefault(name, denying(name, words, self.index))

    def _quoted(self, words: str) -> None:
        """Messages that a sentence quotes: what they show is told, not seen."""
        from medic.match import quoted

        for hit in quoted(words, self.index):
            said = Reading("present", hit.source.text.strip())
            if hit.symptom:
                self.reported.setdefault(hit.symptom, said)
            if hit.check:
                self.answered[hit.check] = Reading(hit.outcome, said.quote)

    def choose(self, name: str, words: str = "") -> None:
        """Takes a symptom that the user chose, and the words for it.

        An empty name keeps the words alone. Who complains no longer says "none of these".
        """
        self.words = f"{self.words}\n{words}".strip()
        if name:
            self.refused = False
            self.denied.pop(name, None)
            self.chosen.setdefault(name, words.strip())

    def withdraw(self, name: str, words: str = "") -> None:
        """Takes back a complaint and the last words that were the same."""
        self.chosen.pop(name, None)
        self.reported.pop(name, None)
        self.denied.pop(name, None)
        head, _, tail = f"\n{self.words}".rpartition(f"\n{words.strip()}")
        if words.strip() and not tail.strip():
            self.words = head.strip()

    def drop(self, quote: str) -> None:
        """Takes the lines with these words out of what is compared with the causes."""
        said = " ".join(quote.split())
        lines = self.words.splitlines()
        self.words = "\n".join(n for n in lines if not said or said not in " ".join(n.split()))

    def unsay(self, line: str) -> None:
        """Takes out a whole line that was said: all that was read from it, and its likeness."""
        said = " ".join(line.split())
        for kept in (self.reported, self.answered):
            for name in [n for n, r in kept.items() if " ".join(r.quote.split()) in said]:
                del kept[name]
        for name in [n for n, quote in self.denied.items() if " ".join(quote.split()) in said]:
            del self.denied[name]
        self.drop(line)

    def forget(self) -> None:
        self.words, self.refused = "", False
        self.held.clear()
        for kept in (self.chosen, self.reported, self.answered, self.denied, self.ruled):
            kept.clear()

    def heard(self) -> list[Heard]:
        """All of it as findings; what was chosen counts more than what was read out of words."""
        chosen, denied = self.chosen.items(), self.denials.items()
        found = [_heard(Seen(name, "present", "person"), quote) for name, quote in chosen]
        found += [_heard(Seen(name, "absent", "prose"), quote) for name, quote in denied]
        if self.at_ease:
            return found
        for name, said in self.reported.items():
            if name not in self.chosen:
                how = "person" if said.plain else "prose"  # its own words are as good as a choice
                found.append(_heard(Seen(name, "present", how, said.also), said.quote))
        one = self.answered[TELLTALE].quote if TELLTALE in self.answered else ""
        for check, said in self.answered.items():  # one sentence is one finding
            at = said.quote if said.quote == one else ""
            found.append(_heard(Seen(check, said.outcome, "prose", at=at), said.quote))
        return found

    def likeness(
        self, text: str, seen: Collection[tuple[str, str]] = (), *, alone: bool = True
    ) -> Mapping[str, float]:
        """How much a text reads like each cause's own description: log ratios, best first; ``alone``:
        no file is held against it. Half of it for a cause that a finding about ranks rules out, of
        ``seen``: the lines of the ranks that waited are most of a log, and what it reads like.
        """
        if not text.strip():
            return {}
        from medic.match import alike
        from medic.told.absent import without_gone
        from medic.told.bare_words import share_of, spoken_for
        from medic.told.unfit import read_alike, without_settings

        read = read_alike(without_gone(text, self.index.told["called"]), self.index)
        found = alike(read, self.index)
        bare = without_settings(read, self.index)
        told = self._symptoms()
        if told and bare != read:
            # A setting is no fault: its name speaks for causes of the symptom.
            plainly = {n for n, said in self.reported.items() if said.plain} | set(self.chosen)
            own = {c for name in told if name in plainly for c in self.index.showing(name)}
            other = alike(bare, self.index)
            found = {n: r if n in own else min(r, other.get(n, 0.0)) for n, r in found.items()}
        answered = {name: said.outcome for name, said in self.answered.items()}
        share = share_of(read, told, answered, self.index, alone=alone)
        if not share and answered:
            return spoken_for(answered, self.index)
        found = {n: r for n, r in found.items() if not excluded(self.index, answered, n)}
        return {n: share * (r / 2 if self._refuted(n, seen) else r) for n, r in found.items()}

    def _symptoms(self) -> list[str]:
        """The symptoms that the words tell of."""
        meant = {n for name, said in self.reported.items() for n in (name, *said.also)}
        return sorted((meant | set(self.chosen)) & self.index.raw["symptoms"].keys())

    def _refuted(self, cause: str, seen: Collection[tuple[str, str]]) -> bool:
        ties = self.index.ties
        return any(
            weight == "rules-out" and (c, o) in seen and ties.checks[c].family == RANKS
            for c, o, weight in ties.causes[cause].links
        )


def _heard(seen: Seen, quote: str) -> Heard:
    return Heard(seen, Finding(seen.name, seen.outcome, source=Source(text=quote)))
