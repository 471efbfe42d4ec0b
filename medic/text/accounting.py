"""How lines of Slurm's accounting look: sacct, squeue, scontrol show job, its mails."""

from __future__ import annotations

# Titles of a table and what stands below them, rows, blocks, mails; as in RE2, at a line's start.
ACCOUNTED = (
    r"^\s*JobID(?:Raw)?[\s|]|^-{3,}(?: +-{3,})+\s*$|^\s*JobId=\d|^\s*JobState=[A-Z]|^Slurm Job_id=\d|"
    r"^\s*(?:\d{1,12}(?:[_.+]\w+)?[\s|].*)?\b(?:OUT_OF_ME\w*|NODE_FAIL|PREEMPTED|TIMEOUT|CANCELLED"
    r"(?: by \d+)?|COMPLETED|FAILED)\+?(?:\s*$|[\s|]+\d)"
)

# Lines of a table of ``df``, and the rows of ``du -h``.
DISK_ROWS = (
    r"^Filesystem\s.*\bMounted on$|"
    r"^\S+(?:\s+[a-z]\S*)?(?:\s+\d[\d.]*[KMGTP]?){3}\s+\d{1,3}%\s+/|"
    r"^\d[\d.]*[KMGTP]\s+\S*/\S*$"
)
# A table of losses as notebooks show it: its head, the rule below, and its rows.
TABLE_ROWS = (
    r"^\|?\s*(?:[Ss]tep|[Ee]poch)\s*[|\t]\s*(?:[Tt]rain|[Vv]alid)\w*[ _][Ll]oss\b|"
    r"^\|?\s*:?-{2,}:?\s*\|[\s:|-]*$|^\|?\s*\d{1,7}\s*[|\t]\s*(?:-?\d+\.\d|nan\b|No log\b)"
)
