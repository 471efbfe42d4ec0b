"""How many tokens a text has: by a tokenizer.json that is at hand, or by a stated ratio."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from medic.i18n import Text
from medic.records import dataclass

# Usual sub-word vocabularies: about 4 characters of Latin text a token, 1.5 of Chinese, Japanese
# or Korean (OpenAI, Qwen and Llama-3 tokenizers lie within a third of these).
LATIN, WIDE = 4.0, 1.5
# No usual tokenizer puts more characters into a token on the mean of a text: what is too long even
# so is surely too long.
LATIN_MOST, WIDE_MOST = 6.5, 2.6
ESTIMATED = Text(
    "estimated: 4 Latin or 1.5 CJK characters a token",
    "估算：每个 token 约 4 个拉丁字符或 1.5 个中日韩字符",
)
COUNTED = Text("tokens of {file}", "按 {file} 分词")
IDS = Text("token ids", "token id")
MAX_TOKENIZER = 64 * 1024 * 1024
BINS = (0, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072)


@dataclass(frozen=True)
class Counter:
    """``count`` gives tokens of a text; ``least`` a number that the true one does not fall below."""

    unit: Text
    count: Callable[[str], int]
    least: Callable[[str], int]


def counter(folders: list[str]) -> Counter:
    """By the ``tokenizer.json`` of the first folder that has one, if ``tokenizers`` is installed."""
    for folder in folders:
        found = _of_file(Path(folder) / "tokenizer.json")
        if found is not None:
            return found
    return Counter(ESTIMATED, estimate, at_least)


def _of_file(path: Path) -> Counter | None:
    try:
        if not path.is_file() or path.stat().st_size > MAX_TOKENIZER:
            return None
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(path))
    except Exception:  # noqa: BLE001 - tokenizers raises bare Exception; the estimate stands
        return None

    def count(text: str) -> int:
        return len(tokenizer.encode(text, add_special_tokens=False).ids)

    return Counter(COUNTED.fill(file=path.name), count, count)


def _wide(text: str) -> int:
    if text.isascii():
        return 0
    return sum(0x2E80 <= ord(c) <= 0x9FFF or 0xAC00 <= ord(c) <= 0xD7AF for c in text)


def estimate(text: str) -> int:
    wide = _wide(text)
    return round((len(text) - wide) / LATIN + wide / WIDE)


def at_least(text: str) -> int:
    wide = _wide(text)
    return int((len(text) - wide) / LATIN_MOST + wide / WIDE_MOST)


def bin_of(length: int) -> int:
    """Index into BINS of the bin that a length falls into."""
    found = 0
    for n, begin in enumerate(BINS):
        if length >= begin:
            found = n
    return found
