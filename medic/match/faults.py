"""What is wrong with a signature: for authors of knowledge."""

from __future__ import annotations

import re
from collections.abc import Iterator

from medic.errors import KnowledgeError
from medic.match.marks import Watched
from medic.match.scan import Matcher
from medic.patterns import regex
from medic.records import replace

# A literal of at least this many bytes lets RE2 skip most lines at once.
LITERAL = 4
_NO_LITERAL = regex(r"\\[dDwWsSbBAzpP]|\[\^?\]?[^\]]*\]|\(\?P?<\w+>|\(\?[a-zA-Z:]+|[.^$*+?{}()|]")


def signature_faults(own: Watched) -> Iterator[str]:
    """Why a signature is no good: its pattern, the lines it must match and must not."""
    signature = own.signature
    matcher = Matcher([own._replace(signature=replace(signature, at_least=1))])
    if max(map(len, literals(signature.pattern)), default=0) < LITERAL:
        yield f"{signature.id}: no literal of {LITERAL} bytes"
    if signature.unless and not signature.shared:
        yield f"{signature.id}: only a shared one has what it is doubted unless"
    if not signature.match or not signature.no_match:
        yield f"{signature.id}: needs a line that it matches and one that it does not"
    try:
        for line in signature.match:
            found = [h for h in matcher.scan_text(line).hits if h.signature == signature.id]
            if not found:
                yield f"{signature.id} misses {line!r}"
            elif found[0].benign:
                yield f"{signature.id} calls {line!r} {found[0].benign}"
        for line in signature.no_match:
            found = [h for h in matcher.scan_text(line).hits if h.signature == signature.id]
            if not all(h.benign for h in found):
                yield f"{signature.id} takes {line!r}"
    except KnowledgeError as problem:
        yield problem.en


def literals(pattern: str) -> list[str]:
    """Runs of a pattern that stand for themselves."""
    bare = _NO_LITERAL.sub("\0", pattern)
    return re.sub(r"\\(.)", r"\1", bare).split("\0")
