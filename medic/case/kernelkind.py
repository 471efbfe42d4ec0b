"""Whether a text is a kernel's log, by its name or its first lines, and what nvidia-smi prints in
place of a report."""

from __future__ import annotations

from pathlib import Path

from medic.text.patterns import regex

HEAD = 4096  # bytes
# dmesg, gpu13.dmesg, dmesg.gpu13, syslog.1: the command's or the file's own name tells enough.
_NAME = regex(r"(?:^|[._-])(?:dmesg|kmsg|journalctl|syslog)(?:$|[._-])")
_OTHER = regex(r"\.(?:c|cc|cpp|h|hpp|cu|cuh|rs|go|js|html|md|mp[34]|h5|m4|gguf|arrow|parquet)$")
# Names of which the lines are looked at: messages, node3.journal, kern.gpu13, console.
_MAY = regex(
    r"^[^.]+$|\.(?:journal|kern|kernel|messages|console|sys)$|\.[a-z]{1,20}[-_]?\d{1,6}$|\.\d{1,3}$"
)
# dmesg with seconds or with -T; syslog and journalctl with a host; ISO times of newer ones.
_LINE = regex(
    rb"(?:<\d{1,3}>)?\[ {0,8}\d{1,9}\.\d{6}\] "
    rb"|(?:<\d{1,3}>)?\[[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}\] "
    rb"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d [\w.-]{1,64} [\w./@()-]{1,64}(?:\[\d{1,8}\])?: "
    rb"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.,:+Z-]{0,16} [\w.-]{1,64} [\w./@()-]{1,64}(?:\[\d{1,8}\])?: "
    rb"|NVRM: "
)
# Words in names of a machine's logs and reports: a folder's other files are not named.
_TELLS = regex(
    r"(?:^|[._-])(?:dmesg|kmsg|journal|kern|syslog|messages|console|crash|diag|xid|mce"
    r"|sel|ipmi|smi|sosreport|bug-report)(?:$|[._-])"
)
UNKNOWN = (
    "not text that medic knows: give it by its name, or as text (journalctl --file, dmesg -T)",
    "不是可识别的文本：请直接给出该文件，或先转成文本（journalctl --file、dmesg -T）",
)
MOST = 0.6  # share of the first lines; others are continued ones and journalctl's "-- Boot"
# nvidia-smi's words where a card does not answer; and where its library or the driver does not, which
# it also says on a login node.
_NO_REPORT = regex(rb"^\s*Unable to determine the device handle for ")
_NO_DRIVER = regex(
    rb"^\s*(?:Failed to initialize NVML: |NVIDIA-SMI has failed because it couldn't communicate with )"
)


def may_be_kernels(name: str) -> bool:
    """Whether a file called so, in lower case, is worth a look: a folder may hold thousands."""
    if _OTHER.search(name):
        return False
    return _NAME.search(name) is not None or _MAY.search(name) is not None


def may_tell(path: str, size: int) -> bool:
    """Whether a file of no kind is, by its name, a log or a report of a machine."""
    name = path.replace("\\", "/").rpartition("/")[2].lower()
    return size > 0 and not _OTHER.search(name) and _TELLS.search(name) is not None


def is_kernel_log(name: str, head: bytes) -> bool:
    """``name``: of the file, in lower case; ``head``: its first bytes, HEAD of them are enough."""
    if head.startswith(b"\x1f\x8b") and _NAME.search(name):  # gzip, which logs are read from
        return True
    if b"\0" in head or not head.strip():
        return False
    return _NAME.search(name) is not None or has_kernel_lines(head)


def has_kernel_lines(head: bytes) -> bool:
    """Whether most of the first lines are those of dmesg, syslog or journalctl, whatever the file's name:
    no person writes so, though a kernel complains."""
    lines = [line for line in head[:HEAD].splitlines() if line.strip()]
    whole = lines[:-1] if len(head) >= HEAD else lines
    return bool(whole) and sum(_LINE.match(line) is not None for line in whole) >= MOST * len(whole)


def has_no_report(head: bytes) -> bool:
    """Whether nvidia-smi says in a first line that it cannot reach a GPU."""
    return any(_NO_REPORT.match(line) for line in head.splitlines()[:8])


def tells_no_driver(path: str) -> bool:
    """Whether a saved report is nvidia-smi's word, in a first line, that it reaches no driver at all."""
    try:
        with Path(path).open("rb") as file:
            return any(_NO_DRIVER.match(line) for line in file.read(HEAD).splitlines()[:8])
    except OSError:
        return False
