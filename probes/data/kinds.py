"""What is odd about a record, in words."""

from __future__ import annotations

from medic.i18n import Text

_KINDS = {
    "broken-line": Text("not valid JSON", "不是合法的 JSON"),
    "not-utf-8": Text("not UTF-8", "不是 UTF-8"),
    "open-quote": Text("a quote that is never closed", "引号没有闭合"),
    "bad-cell": Text("a cell that cannot be read", "单元格无法解析"),
    "no-records": Text("no record in it", "其中没有任何记录"),
    "more-cells": Text("more cells than columns", "单元格多于列数"),
    "no-object": Text("no JSON object", "不是 JSON 对象"),
    "pointer": Text(
        "a git-lfs pointer or a web page in the place of the file",
        "是 git-lfs 指针或网页，不是文件本身",
    ),
    "zeros": Text("zero bytes: never written", "全为零字节：数据没有写入"),
    "cut-off": Text("cut off", "文件不完整"),
    "bad-index": Text("a broken index", "索引损坏"),
    "bin-cut-off": Text("a .bin that is too short", ".bin 文件过短"),
    "bin-missing": Text("no .bin beside the .idx", ".idx 旁缺少 .bin"),
    "missing-shard": Text("a shard is missing", "缺少分片"),
    "not-an-image": Text("no image behind the name", "扩展名是图片而内容不是"),
    "empty-member": Text("an empty member", "成员为空"),
    "id-is-no-number": Text("token ids that are no numbers", "token id 不是数字"),
    "negative-id": Text("a token id below zero", "token id 小于 0"),
    "empty": Text("empty or only white space", "为空或只有空白"),
    "null-word": Text("nothing but nan, null or None", "内容只有 nan、null 或 None"),
    "columns-apart": Text("the text stands in another column", "文本写在另一列"),
    "zero-run": Text("a long run of zero ids", "有一长段全为 0 的 id"),
    "member-lacks": Text(
        "a member that the other samples have is not there", "缺少其他样本都有的成员"
    ),
    "control-only": Text("only control characters", "只有控制字符"),
    "empty-answer": Text("an empty answer", "回答为空"),
    "garbled": Text("garbled text (wrong encoding)", "乱码（编码错误）"),
    "base64-like": Text("base64 or hexadecimal", "base64 或十六进制"),
    "binary-like": Text("bytes, not text", "是二进制而非文本"),
    "no-answer-left": Text("the prompt alone fills the sequence", "提示本身就占满序列"),
    "no-label": Text("every label is -100", "标签全为 -100"),
    "chosen-equals-rejected": Text("chosen and rejected are equal", "chosen 与 rejected 相同"),
    "rejected-is-reference": Text("the rejected answer is the right one", "rejected 正是标准答案"),
    "rejected-scores-higher": Text(
        "the rejected answer has the higher score", "rejected 的分数更高"
    ),
    "two-user-turns": Text("two user turns in a row", "连续两个 user 轮次"),
    "two-assistant-turns": Text("two assistant turns in a row", "连续两个 assistant 轮次"),
    "begins-with-assistant": Text("begins with the assistant", "以 assistant 开头"),
    "system-not-first": Text("a system turn that is not the first", "system 轮次不在开头"),
    "only-system": Text("nothing but a system turn", "只有 system 轮次"),
    "no-assistant-turn": Text("no assistant turn", "没有 assistant 轮次"),
    "empty-assistant-turn": Text("an empty assistant turn", "assistant 轮次为空"),
    "empty-user-turn": Text("an empty user turn", "user 轮次为空"),
    "turn-without-role": Text("a turn without a role", "轮次缺少角色"),
    "turn-is-no-object": Text("a turn that is no object", "轮次不是对象"),
    "no-turns": Text("a conversation without turns", "对话没有轮次"),
}


def kind_words(kind: str) -> Text:
    """A note's kind in words; "type: NAME" and "unknown-role NAME" keep their name."""
    plain = kind.removeprefix("roles: ")
    if plain in _KINDS:
        return _KINDS[plain]
    if plain.startswith("type: "):
        name = plain[6:]
        return Text(f"types of {name} differ", f"{name} 的类型不一致")
    if plain.startswith("unknown-role "):
        name = plain[13:]
        return Text(f"unknown role {name}", f"未知角色 {name}")
    return Text(plain, plain)
