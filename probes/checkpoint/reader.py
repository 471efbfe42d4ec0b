"""One checkpoint as an index of its tensors, whatever its format."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from medic.errors import Unreadable
from medic.facts import CheckpointIndex, TensorInfo
from medic.probe import Look
from medic.records import dataclass, field, replace

from . import distributed, ranks, safetensors_header, shards, torch_file
from .folder import states_beside, step_beside, step_of_name
from .sniff import sniff
from .source import Damaged, PointerFile, UnknownFormat, open_file
from .states import Parts, split
from .units import Unit
from .walk import UnknownOpcode

_CLAIMS = (".pt", ".pth", ".ckpt")


@dataclass(frozen=True)
class Whole:
    """What one file holds."""

    format: str
    parts: Parts
    listed: tuple[str, ...] = ()


def refuse_empty(index: CheckpointIndex) -> None:
    """Raises UnknownFormat for a file that was read to its end and holds no tensor and no state."""
    if not index.tensors and not any(index.states.values()) and not index.missing_shards:
        raise UnknownFormat(
            f"a {index.format} file without a tensor: no checkpoint",
            f"{index.format} 文件，其中没有张量：不是检查点",
        )


@dataclass
class Reader:
    """Reads checkpoints through ``look``; nothing but headers is read, nothing is called."""

    look: Look
    listed: dict[str, None] = field(default_factory=dict)

    def read(self, unit: Unit) -> CheckpointIndex:
        """The checkpoint's index. Raises Unreadable (Damaged, PointerFile, UnknownFormat)."""
        if unit.kind == "distributed":
            return self._with_neighbours(self._distributed(unit), unit)
        found = self._single(unit) if unit.kind == "file" else self._sharded(unit)
        return self._with_neighbours(found, unit)

    def _single(self, unit: Unit) -> CheckpointIndex:
        whole = self._file(unit.path)
        return CheckpointIndex(
            file=unit.name,
            format=whole.format,
            tensors=whole.parts.tensors,
            group=whole.parts.group,
            top_level=whole.parts.top_level,
            states=whole.parts.states,
            missing_shards=ranks.absent_optimizers(unit.path, whole.parts.data_ranks),
            globals_listed=whole.listed,
            step=whole.parts.step,
            part=ranks.parallel(unit.path, whole.parts.model_ranks),
            hollow=whole.parts.hollow,
        )

    def _distributed(self, unit: Unit) -> CheckpointIndex:
        folder = distributed.read_folder(self.look, unit.path)
        return CheckpointIndex(
            file=unit.name,
            format="torch distributed",
            tensors=folder.parts.tensors,
            group=folder.parts.group,
            top_level=folder.parts.top_level,
            states=folder.parts.states,
            missing_shards=folder.missing,
            globals_listed=folder.listed,
            step=folder.parts.step,
            ranks=folder.ranks or None,
        )

    def _sharded(self, unit: Unit) -> CheckpointIndex:
        missing: tuple[str, ...] = ()
        if unit.kind == "index":
            with open_file(self.look, unit.path) as file:
                sniff(file, unit.path)
                wanted = shards.read_index(file)
        else:
            wanted, missing = shards.numbered(unit.files)
        tensors, absent = shards.join(unit.folder, wanted, self._shard)
        return CheckpointIndex(
            file=unit.name,
            format="sharded",
            tensors=tensors,
            missing_shards=(*missing, *absent),
            globals_listed=tuple(self.listed),
        )

    def _shard(self, path: str) -> Mapping[str, TensorInfo]:
        name = Path(path).name
        try:
            whole = self._file(path)
        except (Damaged, PointerFile) as problem:
            raise type(problem)(f"{name}: {problem.en}", f"{name}:{problem.zh}") from None
        self.listed.update(dict.fromkeys(whole.listed))
        return whole.parts.tensors

    def _file(self, path: str) -> Whole:
        with open_file(self.look, path) as file:
            kind = sniff(file, path)
            if kind == "safetensors":
                tensors = safetensors_header.read_header(file)
                return Whole("safetensors", Parts("", tensors, (), {}, None))
            if kind == "zip":
                return _whole(torch_file.read_zip(file, self.look.cancelled))
            if kind == "pickle":
                return _whole(self._pickle(file, path))
        if kind == "tar":
            raise Unreadable("legacy format, not opened", "旧格式，未打开")
        raise UnknownFormat("a JSON file, no checkpoint", "JSON 文件，不是检查点")

    def _pickle(self, file: BinaryIO, path: str) -> torch_file.Saved:
        """A stray first byte can make any file look like a pickle: doubt falls on the guess."""
        try:
            return torch_file.read_pickle(file, self.look.cancelled)
        except Damaged as problem:
            file.seek(0)
            certain = file.read(1) == b"\x80" and not isinstance(problem, UnknownOpcode)
            if certain and path.lower().endswith(_CLAIMS):
                raise
            raise UnknownFormat(
                f"no checkpoint format that medic knows ({problem.en})",
                f"不是可识别的检查点格式（{problem.zh}）",
            ) from None

    def _with_neighbours(self, index: CheckpointIndex, unit: Unit) -> CheckpointIndex:
        """States that lie in files of their own count as the checkpoint's."""
        beside = states_beside(unit.folder)
        states = {s: beside[s] or index.states.get(s, False) for s in beside}
        step = index.step
        if step is None:
            step = step_beside(self.look, unit.folder)
        return replace(index, states=states, step=step_of_name(unit.path) if step is None else step)


def _whole(saved: torch_file.Saved) -> Whole:
    return Whole(saved.format, split(saved.root), saved.listed)
