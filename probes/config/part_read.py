"""Files of which a part alone is read: a second document behind ``---``."""

from __future__ import annotations

from medic.facts import Document, GivenFile
from medic.i18n import Text
from medic.probe import Unread

_SECOND = Text(
    "a second document begins here and was not checked; a loader of one document (yaml.safe_load, "
    "json.load) refuses the file",
    "这里开始了第二个文档，未检查；只读一个文档的加载方式（yaml.safe_load、json.load）会拒绝整个文件",
)
_ENDS = (".yaml", ".yml", ".json")
# Of Kubernetes' objects a file may hold several.
_OBJECTS = frozenset(("apiVersion", "kind"))


def several_documents(given: GivenFile, document: Document, *, known: bool) -> Unread | None:
    """``known``: the file is a framework's; of others only those that the user named are told."""
    found = next((p for p in document.problems if p.detail == "several-documents"), None)
    if found is None or not (known or given.named) or not given.name.lower().endswith(_ENDS):
        return None
    root = document.root
    keys = {str(key.value) for key, _ in root.items} if root is not None else set()
    if keys >= _OBJECTS:
        return None
    return Unread(f"{document.file}:{found.span.line}", _SECOND, partly=True)
