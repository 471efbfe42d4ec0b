"""The one argument of a probe: what it may ask of the case and the knowledge."""

from __future__ import annotations

import io
import os
import stat
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from medic.case.collect import Case
from medic.errors import Unreadable
from medic.facts import Document, FileKind, GivenFile, LogHits
from medic.index.knowledge import Index
from medic.probe import Part, Probe, Scan

T = TypeVar("T")
FRESH_SECONDS = 900.0  # older logs say nothing about this machine's present state
MAX_CONFIG = 2 * 1024 * 1024
MAX_SOURCED = 256 * 1024
MAX_OPEN = 512 * 1024 * 1024
PARSING = 20.0  # seconds that a probe waits for another one to read the same file


def open_regular(path: str) -> BinaryIO:
    """A regular file opened read-only, never blocking on a pipe or device. Raises Unreadable."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | os.O_CLOEXEC)
    except OSError as problem:
        words = problem.strerror or "cannot be opened"
        raise Unreadable(words, words, at=path) from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise Unreadable("not a regular file", "不是普通文件", at=path)
    return os.fdopen(handle, "rb")


class CaseLook:
    """Implements ``medic.probe.Look`` over a case."""

    def __init__(
        self, case: Case, index: Index, facts: dict[type[Any], Any], cancel: threading.Event
    ) -> None:
        self._case = case
        self._index = index
        self._facts = facts
        self._cancel = cancel
        self._allowed: frozenset[type[Any]] | None = None
        self.parts: Sequence[Part] = ()
        self.read: dict[str, int] = {}

    def for_probe(self, probe: Probe) -> CaseLook:
        """The same look, limited to the facts that the probe declared."""
        other = CaseLook(self._case, self._index, self._facts, self._cancel)
        other.read = self.read
        other._allowed = frozenset({*probe.needs, *probe.wants, *probe.gives})
        other._shared = self._shared
        other.parts = probe.parts
        return other

    @cached_property
    def _shared(self) -> dict[str, Any]:
        return {}

    # --- facts and files --------------------------------------------------------------------

    def fact(self, kind: type[T]) -> T:
        if self._allowed is not None and kind not in self._allowed:
            raise ValueError(f"undeclared fact {kind.__name__}")
        found: T = self._facts[kind]
        return found

    def has(self, kind: type[Any]) -> bool:
        return kind in self._facts and (self._allowed is None or kind in self._allowed)

    def files(self, *kinds: FileKind) -> Sequence[GivenFile]:
        return [f for f in self._case.files if f.kind in kinds]

    @property
    def text(self) -> str:
        return self._case.text

    def open(self, path: str, limit: int = MAX_OPEN) -> BinaryIO:
        if path in self._case.parts:
            return io.BytesIO(self._case.parts[path].encode())
        file = open_regular(path)
        size = os.fstat(file.fileno()).st_size
        if size > limit:
            file.close()
            raise Unreadable(f"larger than {limit:,} bytes", f"超过 {limit:,} 字节", at=path)
        self.read[path] = size
        return file

    def _log_file(self, path: str) -> BinaryIO:
        if path in self._case.parts:
            # Ended, so that its last line is read with those above it.
            return io.BytesIO(f"{self._case.parts[path]}\n".encode())
        file = open_regular(path)
        self.read[path] = os.fstat(file.fileno()).st_size
        return file

    # --- reading ----------------------------------------------------------------------------

    @cached_property
    def _matcher(self) -> Any:
        shared = self._shared
        if "matcher" not in shared:
            from medic.match import matcher_of

            shared["matcher"] = matcher_of(self._index)
        return shared["matcher"]

    def prepare(self) -> None:
        """Makes the signatures ready in the background: logs will be scanned."""
        self._matcher.prepare()

    def lines(self, path: str) -> Iterator[tuple[int, str]]:
        from medic.match import iter_lines

        with self._log_file(path) as file:
            yield from iter_lines(file, path)

    def _name(self, path: str) -> str:
        """How a file is shown; looked up for each of thousands of logs."""
        names: dict[str, str] | None = self._shared.get("names")
        if names is None:
            names = self._shared["names"] = {f.path: f.name for f in self._case.files}
        return names.get(path) or Path(path).name

    def scan(self, path: str) -> Scan:
        """Made once: what a log said and where its lines begin is asked again."""
        scans: dict[str, Scan] = self._shared.setdefault("scans", {})
        if path not in scans:
            with self._log_file(path) as file:
                scans[path] = self._matcher.scan_file(file, self._name(path))
        return scans[path]

    def scan_settings(self, path: str) -> Scan:
        """What a configuration or script itself says, as a log would."""
        matcher = self._shared.get("matcher")
        if matcher is None:  # no log was read: all signatures would cost a start
            from medic.match import settings_matcher_of

            matcher = settings_matcher_of(self._index)
        with self._log_file(path) as file:
            scan: Scan = matcher.scan_file(file, self._name(path))
        return scan

    def scan_text(self, text: str, name: str = "-") -> Scan:
        scan: Scan = self._matcher.scan_file(io.BytesIO(text.encode()), name)
        return scan

    def parse(self, path: str) -> Document:
        """Read once, whether it can be read or not: several probes look at the same file."""
        documents: dict[str, Document | Unreadable] = self._shared.setdefault("documents", {})
        locks: dict[str, threading.Lock] = self._shared.setdefault("parsing", {})
        lock = locks.setdefault(path, threading.Lock())
        if not lock.acquire(timeout=PARSING):  # its probe has been given up
            raise Unreadable("takes too long to read", "读取耗时过长", at=path)
        try:
            if path not in documents:
                documents[path] = self._parsed(path)
        finally:
            lock.release()
        found = documents[path]
        if isinstance(found, Unreadable):
            # Each probe raises one of its own: several may do so at the same time.
            raise type(found)(found.en, found.zh, at=found.at)
        return found

    def _parsed(self, path: str) -> Document | Unreadable:
        try:
            return self._parse(path)
        except Unreadable as problem:
            return problem.with_traceback(None)

    def _parse(self, path: str) -> Document:
        from medic.syntax import NONE_SET, parse
        from medic.syntax.shell_environment import places_of_this_shell

        known = places_of_this_shell() if self._case.this_host else NONE_SET
        if path in self._case.parts:
            return parse(self._case.parts[path].encode(), path, variables=known)
        chosen = self._case.chosen.get(path)
        with self.open(path, MAX_CONFIG) as file:
            return parse(file.read(), path, variables=known, find=self._sourced, chosen=chosen)

    def _sourced(self, script: str, name: str) -> tuple[str, bytes] | None:
        """A file that a script sources, where it lies beside it or is given."""
        from medic.case.sourced import sourced

        path = sourced(script, name, [f.path for f in self._case.files])
        try:
            with self.open(path, MAX_SOURCED) if path is not None else io.BytesIO() as file:
                return None if path is None else (path, file.read())
        except Unreadable:
            return None

    # --- knowledge --------------------------------------------------------------------------

    def nearest(self, word: str, names: Sequence[str], limit: int = 1) -> list[str]:
        from medic.nearest import nearest

        return nearest(word, names, limit)

    def threshold(self, name: str) -> float:
        return self._index.thresholds[name]

    @property
    def frameworks(self) -> Sequence[Any]:
        return self._index.all_frameworks

    @property
    def gpus(self) -> Sequence[Any]:
        return list(self._index.gpus.values())

    def with_named_sizes(self, run_config: Any) -> Any:
        from medic.memory.named import with_named_sizes

        return with_named_sizes(run_config, self._index)

    @property
    def variables(self) -> frozenset[str]:
        return self._index.variables

    @property
    def accepted(self) -> Mapping[str, tuple[str, str]]:
        return {
            says: (term["accepts"], ", ".join(term["read_by"]))
            for term in self._index.raw["terms"].values()
            if term["kind"] == "variable" and term.get("accepts") and term.get("read_by")
            for says in term["says"]
        }

    @property
    def unread(self) -> Mapping[str, str]:
        return {
            says: name
            for name, term in self._index.raw["terms"].items()
            if term["kind"] == "variable" and term.get("myth") and not term.get("read_by")
            for says in term["says"]
        }

    @property
    def checks(self) -> frozenset[str]:
        return self._index.lint_names

    @property
    def given(self) -> Mapping[str, Any]:
        return self._case.given

    def estimate_memory(self, run_config: Any, capacity: int | None, *, usual: bool = False) -> Any:
        from medic.facts import Launches
        from medic.memory.estimate import estimate
        from medic.memory.habits import settled
        from medic.memory.named import with_model
        from medic.memory.preferences import staged
        from medic.memory.usual import usual_estimate

        config = staged(with_model(run_config, self._index)[0], self._facts.get(Launches))
        if usual:
            return usual_estimate(config, capacity)[1]
        return estimate(settled(config)[0], capacity)

    # --- host -------------------------------------------------------------------------------

    def cancelled(self) -> bool:
        return self._cancel.is_set()

    @property
    def host_is_the_runs(self) -> bool | None:
        """True only if the log is of this host and younger than 15 minutes, or the user says so."""
        if self._case.this_host is not None:
            return self._case.this_host
        logs = self._facts.get(LogHits)
        if not isinstance(logs, LogHits) or not logs.host or logs.last_time is None:
            return None
        import socket

        here = socket.gethostname().split(".")[0] == logs.host.split(".")[0]
        return here and time.time() - logs.last_time < FRESH_SECONDS
