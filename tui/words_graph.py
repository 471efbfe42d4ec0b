"""Texts of the graph view, of comparing, and of curves."""

from __future__ import annotations

from medic.i18n import Text

ALL_CAUSES = Text("All causes by family", "按类别列出全部原因")
SHOWN_BY = Text("{n} causes show it", "有 {n} 个原因会导致它")
OTHERS = Text("{n} more, {out} ruled out", "其余 {n} 个，其中 {out} 个已排除")
COUNT = Text("{live} possible, {out} ruled out", "{live} 个可能，{out} 个已排除")
AWAY = Text("does not apply here", "此处不适用")
WOULD_ALSO = Text("would also show: {titles}", "还会表现为：{titles}")
SEARCH = Text("search: {words}", "搜索：{words}")
FOUND = Text("{n} found", "找到 {n} 项")
LEGEND = Text(
    "{confirmed} established  {live} possible  {dimmed} ruled out  {away} not here",
    "{confirmed} 已确诊  {live} 可能  {dimmed} 已排除  {away} 不适用",
)
TITLE = Text("Graph: symptom, cause, remedy", "因果图：现象、原因、处置")
KEYS = (
    ("↑↓", Text("move", "移动")),
    ("←→", Text("fold", "折叠")),
    ("/", Text("search", "搜索")),
    ("c", Text("compare with the first", "与首要嫌疑比较")),
    ("x", Text("rule it out", "排除它")),
    ("esc", Text("back", "返回")),
)
COMPARE_ANOTHER = Text(
    "c compares another cause with the first suspect: move to one first",
    "c 用于把其他原因与首要嫌疑比较：请先移动到另一个原因",
)
RULE_OUT_WHAT = Text("x rules out a cause: move to one first", "x 用于排除原因：请先移动到一个原因")
NO_HIT = Text("nothing by that name", "没有匹配项")

# --- /compare -------------------------------------------------------------------------------

COMPARE_WHAT = Text(
    "/compare takes two causes, by code or name; without them the first two suspects.",
    "/compare 的参数是两个原因的编号或名称；不写则比较前两个嫌疑。",
)
NO_TWO = Text("There are no two suspects to compare.", "没有可比较的两个嫌疑。")
NO_CAUSE = Text("No cause “{word}”{hint}", "没有原因“{word}”{hint}")
BEARS = Text(
    "What was seen, for (+) or against (-) A and B:", "已见证据，对 A 与 B 的支持（+）或反对（-）："
)
NOTHING_PARTS = Text("Nothing that was seen parts them.", "已见证据无法区分二者。")
WOULD_PART = Text("What would part them:", "能区分二者的检查：")
IF_SEEN = Text("“{outcome}” -> {who}", "“{outcome}” -> {who}")
IN_SETTINGS = Text("In the settings, “{title}”", "配置中是否“{title}”")
IF_SO = Text("if so {who}", "是则 {who}")
IF_NOT = Text("if not {who}", "否则 {who}")
SPEAKS_A = Text("A", "A")
SPEAKS_B = Text("B", "B")
SAME_REMEDY = Text("The first remedy is the same for both: {title}", "二者的首选处置相同：{title}")
REMEDIES = Text("What to do:", "处置：")

# --- /curve ---------------------------------------------------------------------------------

NO_CURVE = Text(
    "No curve was read: it needs a log or metrics with steps.",
    "没有读到曲线：需要带步数的日志或指标文件。",
)
NO_METRIC = Text("no curve “{word}”; there are: {names}", "没有曲线“{word}”；可选：{names}")
CURVE_TITLE = Text("{name} over steps {first} to {last}", "{name}，第 {first} 至 {last} 步")
RANGE = Text(
    "last {value} at step {step}; {n} values", "最后为 {value}（第 {step} 步）；共 {n} 个值"
)
ONE_NOT_FINITE = Text("NaN or Inf at step {step}", "第 {step} 步的值为 NaN 或 Inf")
NOT_FINITE = Text(
    "{n} values are NaN or Inf, the first at step {step}",
    "{n} 个值为 NaN 或 Inf，首次在第 {step} 步",
)
DRAWN_BY = Text("/curve {name} draws it", "/curve {name} 可绘制曲线")
OTHER_CURVES = Text("also: /curve {names}", "还可以看：/curve {names}")
NO_LENGTHS = Text("No data file was read.", "没有读到数据文件。")
LENGTHS_OF = Text("{file}: tokens of {n} records", "{file}：{n} 条记录的 token 数")
LIMIT = Text(
    "The sequence length is {limit}; {n} records are longer (!).",
    "序列长度为 {limit}；{n} 条记录超过它（!）。",
)
DETAIL_MORE = Text("… d: more ({n} of {pages})", "… d：更多（{n}/{pages}）")
