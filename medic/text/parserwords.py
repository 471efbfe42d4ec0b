"""What parsers of YAML, JSON, TOML and Python say, in Chinese."""

from __future__ import annotations

from medic.text.patterns import regex

# (what PyYAML and libyaml, json, tomllib, CPython say; the same in Chinese). Groups fill {0}, {1}.
_SAID = (
    # YAML
    (
        r"mapping values are not allowed (?:here|in this context)",
        "这里不能再出现“键: 值”（缩进有误，或取值里的冒号需要加引号）",
    ),
    (r"could not find expected ':'", "这一行缺少冒号"),
    (r"did not find expected key", "缩进与上文不一致"),
    (r"expected <block end>, but found '?(.+?)'?", "缩进与上文不一致（遇到 {0}）"),
    (r"did not find expected '-' indicator", "列表项缺少 -，或缩进不一致"),
    (r"(?:did not find expected|expected) ',' or '(.)'(?:, but got .*)?", "缺少逗号或 {0}"),
    (
        r"found (?:a tab character .*|character '\\t' that cannot start any token)",
        "使用了制表符（Tab），YAML 缩进只能用空格",
    ),
    (r"found character '(.+)' that cannot start any token", "取值不能以 {0} 开头，请加引号"),
    (
        r"found character that cannot start any token",
        "这个字符不能作为开头（Tab 缩进，或取值需要加引号）",
    ),
    (r"found unexpected end of stream", "引号没有闭合，文件已结束"),
    (r"found unexpected document (?:separator|indicator)", "引号没有闭合，遇到了文档分隔符"),
    (r"(?:did not find expected|expected the) node content.*", "此处缺少内容"),
    (
        r"(?:did not find expected|expected) '?<document start>'?.*",
        "此处应是新的文档，缩进或结构有误",
    ),
    (r"found undefined alias(?: '?(.+?)'?)?", "引用的锚点没有定义"),
    (r"found duplicate anchor.*", "锚点重复定义"),
    (r"found unknown escape character.*", "双引号里有无效的转义字符"),
    (r"block sequence entries are not allowed .*", "列表项（-）不能出现在这里"),
    (r"sequence entries are not allowed .*", "列表项（-）不能出现在这里"),
    (
        r"did not find expected alphabetic or numeric character.*",
        "* 或 & 之后缺少名称，取值请加引号",
    ),
    (
        r"expected alphabetic or numeric character, but found '?(.+?)'?",
        "* 或 & 之后不能是 {0}，取值请加引号",
    ),
    (
        r"(?:control|special) characters are not allowed|unacceptable character.*",
        "含有不允许的控制字符",
    ),
    # JSON
    (r"Expecting ',' delimiter", "缺少逗号"),
    (r"Expecting ':' delimiter", "键后面缺少冒号"),
    (
        r"Expecting property name enclosed in double quotes",
        "此处应为双引号括起的键名（多余的逗号、注释或单引号都不允许）",
    ),
    (r"Expecting value", "此处缺少取值（多余的逗号，或 True、None 等写法都不允许）"),
    (r"Illegal trailing comma before end of (?:object|array)", "最后一项之后多了逗号"),
    (r"Unterminated string starting at", "字符串的引号没有闭合"),
    (r"Invalid control character at", "字符串里有换行或控制字符"),
    (r"Invalid \\\\?(?:escape|uXXXX escape).*", "字符串里有无效的转义"),
    (r"Unexpected UTF-8 BOM.*", "文件以字节序标记（BOM）开头"),
    (r"Extra data", "JSON 结束之后还有内容"),
    # TOML
    (r"Invalid value", "取值无效（字符串要加引号，布尔值写 true、false）"),
    (r"Expected '=' after a key in a key/value pair", "键后面缺少 ="),
    (r"Invalid statement", "这一行不是有效的写法"),
    (r"Expected newline or end of document after a statement", "取值之后多了内容"),
    (r"Cannot overwrite a value", "同一个键写了两次"),
    (r"Cannot declare (.+) twice", "{0} 声明了两次"),
    (r"Duplicate inline table key '?(.+?)'?", "键 {0} 写了两次"),
    (r"Unclosed array", "数组缺少 ]"),
    (r"Unclosed inline table", "内联表缺少 }}"),
    (r"Unterminated string", "字符串的引号没有闭合"),
    (r"Expected '(\]+)' at the end of a(?:n array)? table declaration", "表名之后缺少 {0}"),
    (r"Invalid initial character for a key part", "键名的开头字符无效"),
    (r"(?:Found invalid|Illegal) character '?(.+?)'?", "含有不允许的字符 {0}"),
    (r"Unescaped '\\\\?' in a string", "字符串里有无效的转义"),
    (r"Invalid date or datetime", "日期或时间无效"),
    # Python
    (r"invalid syntax\. Perhaps you forgot a comma\?", "语法错误，可能缺少逗号"),
    (r"invalid syntax|syntax error", "语法错误"),
    (r"'(.)' was never closed", "{0} 没有闭合"),
    (r"unmatched '(.)'", "多了一个 {0}"),
    (
        r"closing parenthesis '(.)' does not match opening parenthesis '(.)'(?: on line (\d+))?",
        "右括号 {0} 与左括号 {1} 不匹配",
    ),
    (r"unexpected indent", "多余的缩进"),
    (r"unindent does not match any outer indentation level", "缩进与外层都对不上"),
    (r"expected an indented block(?: after (.+))? on line (\d+)", "第 {1} 行之后缺少缩进的代码块"),
    (r"expected an indented block", "缺少缩进的代码块"),
    (r"expected ':'", "缺少冒号"),
    (r"unterminated (?:f-)?string literal.*", "字符串的引号没有闭合"),
    (r"unterminated triple-quoted (?:f-)?string literal.*", "三引号字符串没有闭合"),
    (r"EOL while scanning string literal", "字符串的引号没有闭合"),
    (r"unexpected EOF while parsing", "代码没有写完"),
    (r"inconsistent use of tabs and spaces in indentation", "缩进混用了 Tab 和空格"),
    (r"invalid (?:non-printable )?character '?(.+?)'?(?: \((U\+\w+)\))?", "含有无效字符 {0}"),
    (r"invalid decimal literal", "数字写法无效"),
    (r"leading zeros in decimal integer literals.*", "十进制整数不能以 0 开头"),
    (r"cannot assign to (.+?) here\. Maybe.*", "不能给它赋值，可能想写 =="),
    (r"positional argument follows keyword argument.*", "位置参数写在了关键字参数之后"),
    (r"keyword argument repeated: (\w+)", "关键字参数 {0} 重复"),
    (r"unexpected character after line continuation character", "续行的反斜杠之后还有字符"),
    (r"Missing parentheses in call to '(\w+)'.*", "{0} 缺少括号（Python 2 写法）"),
    (r"'(\w+)' outside (?:function|loop)", "{0} 写在了函数或循环之外"),
    (r"expected 'except' or 'finally' block", "try 缺少 except 或 finally"),
)
_KNOWN = tuple((regex(pattern), zh) for pattern, zh in _SAID)


def in_chinese(said: str) -> str:
    """What a parser says, in Chinese; its own words, quoted, where they are not known here."""
    text = said.strip().rstrip(".")
    for pattern, zh in _KNOWN:
        found = pattern.fullmatch(text)
        if found is not None:
            return zh.format(*(group or "" for group in found.groups()))
    return f"解析器提示“{said}”"
