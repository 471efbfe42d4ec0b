"""The files under edit: their bytes as read, their trees, and the edits collected so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from medic.errors import EditRefused
from medic.facts import Document
from medic.records import dataclass, field
from medic.run_config import Edit, Scalar, Span, Syntax

Read = Callable[[str], bytes]
Path = tuple[str, ...]
Parse = Callable[..., Document]  # (data, file, syntax) -> Document


@dataclass
class Expected:
    """What must be different after the edits: key path -> value, groups that are gone or have
    another path. ``joined``: commands of a script become one; ``parted``: so many more of them.
    """

    values: dict[Path, Scalar] = field(default_factory=dict)
    gone: set[Path] = field(default_factory=set)
    moved: dict[Path, Path] = field(default_factory=dict)
    joined: bool = False
    parted: int = 0


# Configurations that a script writes stand in the script.
_DATA, _SCRIPTS = ("json", "yaml", "toml"), (".sh", ".bash", ".slurm", ".sbatch")


@dataclass
class _Open:
    data: bytes
    document: Document
    syntax: Syntax
    edits: dict[tuple[int, int], str] = field(default_factory=dict)
    expected: Expected = field(default_factory=Expected)


class Sources:
    """Reads each file once. Raises EditRefused for a file that cannot be edited."""

    def __init__(self, read: Read, parse: Parse) -> None:
        self._read = read
        self._parse = parse
        self._open: dict[str, _Open] = {}

    def open(self, file: str, syntax: Syntax) -> Document:
        if file not in self._open:
            if file.startswith("<"):
                raise EditRefused("pasted text is no file", "粘贴的内容不是文件")
            in_script = syntax in _DATA and file.endswith(_SCRIPTS)
            if syntax == "text" or file.endswith(".py") or in_script:
                raise EditRefused("not edited: change it by hand", "不自动修改，请手工更改")
            try:
                data = self._read(file)
            except OSError as problem:
                words = problem.strerror or "cannot be read"
                raise EditRefused(words, words) from None
            self._open[file] = _Open(data, self._parse(data, file, syntax), syntax)
        return self._open[file].document

    def data(self, file: str) -> bytes:
        """The bytes of an open file, or of one that an open script sources. Raises EditRefused."""
        if file not in self._open:
            self.open(file, "shell")
        return self._open[file].data

    def raw(self, span: Span) -> str:
        """The text at a span of an open file. Raises EditRefused if the file is shorter now."""
        data = self.data(span.file)
        if span.end > len(data):
            raise EditRefused("the file changed since it was read", "文件在读取之后被改动")
        return data[span.start : span.end].decode("utf-8", "replace")

    def add(self, file: str, start: int, end: int, text: str) -> None:
        """One edit. The same bytes may be edited twice only in the same way."""
        edits = self._open[file].edits
        known = edits.get((start, end))
        if known == text:
            return
        clash = known is not None and start != end
        clash = clash or any(s < end and start < e for s, e in edits if (s, e) != (start, end))
        if clash:
            raise EditRefused("two changes meet in one place", "两处修改相互冲突")
        edits[start, end] = (known or "") + text if start == end else text

    def expect(self, file: str, path: Path, value: Scalar) -> None:
        self._open[file].expected.values[path] = value

    def expect_gone(self, file: str, path: Path) -> None:
        self._open[file].expected.gone.add(path)

    def expect_moved(self, file: str, path: Path, new: Path) -> None:
        self._open[file].expected.moved[path] = new

    def expect_joined(self, file: str) -> None:
        self._open[file].expected.joined = True

    def expect_parted(self, file: str) -> None:
        self._open[file].expected.parted += 1

    # --- results ----------------------------------------------------------------------------

    def edits(self) -> Iterator[Edit]:
        for file, opened in sorted(self._open.items()):
            for (start, end), text in sorted(opened.edits.items()):
                yield Edit(file, start, end, text)

    def edited(self) -> Iterator[tuple[Document, Document, Expected, dict[tuple[int, int], str]]]:
        """(before, after, what was expected, edits) of every file that has edits."""
        for file, opened in self._open.items():
            if opened.edits:
                after = apply_to(
                    opened.data, [Edit(file, s, e, t) for (s, e), t in sorted(opened.edits.items())]
                )
                tree = self._parse(after, file, opened.syntax)
                yield opened.document, tree, opened.expected, opened.edits


def apply_to(data: bytes, edits: list[Edit]) -> bytes:
    """The bytes of one file after its edits, which must not overlap. Raises ValueError."""
    parts: list[bytes] = []
    at = 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        if not at <= edit.start <= edit.end <= len(data):
            raise ValueError(f"edits overlap or lie outside of {edit.file}")
        parts += [data[at : edit.start], edit.text.encode()]
        at = edit.end
    return b"".join((*parts, data[at:]))
