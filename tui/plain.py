"""The same consultation as lines: for screen readers, pipes and terminals that draw nothing."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Concatenate, ParamSpec, cast

from medic.i18n import Lang, Text, use
from medic.report.bars import EMPTY, FULL
from medic.report.console import Console
from medic.text.pasted import readable

from . import awaited, jobs, words, words_keep, words_plain
from .consultation import Consultation
from .desk import Opening
from .events import Asked, Choices, Event, Given, Graphed, Previewed, Told, Working
from .failures import told
from .help_table import table
from .hints import hint
from .keys_told import as_word, in_block
from .keys_told import told as told_keys
from .lines import Block, Line, code, rows, said
from .offers import next_step
from .opening import opening, shown_root
from .typed import take
from .written import number as told_number
from .written import write_patch

if TYPE_CHECKING:
    from medic.session.diagnosis import Diagnosis

    from .graph_nodes import Graph
    from .offers import Offer

P = ParamSpec("P")
GATHER = 0.05  # seconds in which the lines of a paste follow one another
CHUNK = 1 << 16
_NO_BAR = str.maketrans("", "", FULL + EMPTY)


class PlainTalk:
    """Tells each block as it comes and reads a line at a time, or what was pasted at once."""

    def __init__(self, how: Opening, console: Console) -> None:
        self.choices: Choices | None = None
        self.over = False
        self._opening = how
        self._console = console
        self._offer: Offer | None = None  # previewed, and waits for a word
        self._codes = 0
        self.talk = Consultation(
            how.load,
            how.case,
            self.happened,
            resume=how.resume,
            which=how.which,
        )
        self.talk.demo = how.demo
        self._goes_on: Text | None = None

    def run(self) -> Diagnosis | None:
        """Talks until the user leaves or the input ends; what is believed then."""
        for block in opening(self._opening.case, which=self._opening.which):
            self.add(block)
        self.work(jobs.begin)
        while not self.over:
            self._console.out(self._prompt())
            text = read()
            if text is None:
                break
            if self._offer is not None:
                self._decide(self._offer, text.strip().lower())
            elif text.strip():
                take(self, readable(text))
        diary = self.talk.diary
        if diary.id and diary.problem is not None:
            told = words_keep.KEPT_IN_PART.fill(id=diary.id, why=diary.problem)
            self._console.talk(told)
        elif diary.id:
            self._console.talk(words_keep.KEPT.fill(id=diary.id))
        return self.talk.found

    def _prompt(self) -> Text:
        if self._offer is not None:
            return words_plain.DECIDE
        count = len(self.choices.options) if self.choices else 0
        question = self.choices is not None and self.choices.how is not None
        return told_keys(hint(count, next_step(self.talk), question=question), as_word)

    # --- what is told -------------------------------------------------------------------

    def happened(self, event: Event) -> None:
        if isinstance(event, Told):
            if not event.passing:
                self.add(event.block)
        elif isinstance(event, Asked):
            self.wait_for(event.choices)
        elif isinstance(event, Working):
            self._working(event)
        elif isinstance(event, Previewed):
            self._preview(event.offer)
        elif isinstance(event, Graphed):
            self._graph(event.graph)
        elif isinstance(event, Given):
            root, run = shown_root(event.case.root), event.case.run
            self._console.out(words_plain.LOOKED_AT.fill(root=f"{root}/{run}" if run else root))

    def _working(self, event: Working) -> None:
        """That something goes on, once: a line for each probe would bury what they find."""
        told, self._goes_on = self._goes_on, event.what
        if event.what in (words.LOADING, words.LOOKING) and event.what != told:
            self._console.talk(event.what)

    def add(self, block: Block) -> None:
        if block.who == "you":  # the terminal shows it already
            return
        if block.code:
            self._codes += 1
        number = self._codes if block.code else 0
        for row in rows(in_block(block, as_word), self._console.width, number):
            self._console.out("".join(text for text, _ in row).rstrip())

    def _preview(self, offer: Offer) -> None:
        fix = offer.fix
        costs = Line(words.COSTS.fill(say=fix.remedy.costs.say), "muted")
        if offer.instead is not None:
            self.add(said(offer.instead, "warn"))
        self.add(said(offer.full_title, "strong"))
        if offer.reads is not None:
            self.add(said(offer.reads, "warn"))
        self.add(Block("more", (*said(fix.text).lines, *map(told_number, fix.changes), costs)))
        self.add(code(fix.diff, diff=True))
        self._offer = offer

    def _decide(self, offer: Offer, word: str) -> None:
        self._offer = None
        if word == "a":
            self.work(jobs.apply, offer)
        elif word == "w":
            self.add(said(write_patch(offer)))
        else:
            self.add(said(words_plain.NOT_APPLIED))

    def _graph(self, graph: Graph) -> None:
        """What is unfolded, each row below what it belongs to."""
        shown: set[int] = {-1}
        for i, node in enumerate(graph.nodes):
            if node.parent not in shown:
                continue
            if node.open:
                shown.add(i)
            aside = f"  {node.aside}" if node.aside is not None else ""
            mark = node.mark.translate(_NO_BAR).strip()  # a bar is nothing to the ear
            self._console.out("  " * (node.depth + 1) + f"{mark} {node.text}{aside}".strip())

    # --- what the user does -------------------------------------------------------------

    def wait_for(self, choices: Choices | None) -> None:
        self.choices = choices

    def speak(self) -> None:
        """What is told from here on is made in the language that is in use."""

    def work(
        self, job: Callable[Concatenate[Consultation, P], None], *values: P.args, **named: P.kwargs
    ) -> None:
        """Does a job of the consultation at once; ctrl+c stops it."""
        try:
            said_now, diary = awaited.record_of(job, values), self.talk.diary
            path = awaited.kept_at_once(job, values, self._opening, diary.id)
            number = diary.hear(said_now, path) if said_now else 0
            awaited.do(self.talk, partial(job, **named) if named else job, values, number)
        except KeyboardInterrupt:
            self.talk.cancel.set()
            self.add(said(words_plain.STOPPED))
        except Exception as problem:  # noqa: BLE001 - told to the user; the talk goes on
            self.add(told(problem))

    def keep(self, block: Block) -> None:
        self.talk.diary.say(block)

    def action_do(self, word: str, argument: str = "") -> None:
        if word in ("help", "commands"):
            self.add(table())
        elif word == "quit":
            self.over = True
        elif word == "lang" and argument.strip() in ("en", "zh"):
            use(cast("Lang", argument.strip()))
        elif word in ("copy", "theme", "stop", "lang"):
            self.add(said(words_plain.ONLY_ON_SCREEN.fill(word=f"/{word}")))
        else:
            self.work(jobs.order, word, argument)


def read() -> str | None:
    """One line, on a terminal all lines of a paste; None at the end."""
    if sys.stdin is None:
        return None
    if not sys.stdin.isatty():
        line = sys.stdin.readline()
        return line or None
    fd = sys.stdin.fileno()
    data = os.read(fd, CHUNK)
    more = data
    while more and select.select([fd], [], [], GATHER)[0]:
        more = os.read(fd, CHUNK)
        data += more
    return data.decode("utf-8", "replace").rstrip("\n") + "\n" if data else None
