"""What the probe of the data lacks where it says that it read none."""

from medic.i18n import Text

NEEDS = Text(
    "data files (JSON lines, parquet, tar, .bin/.idx)",
    "数据文件（JSON lines、parquet、tar、.bin/.idx）",
)
