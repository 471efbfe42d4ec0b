"""Flags before the script: those of the launcher, misspelt, and those of the script."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from medic.facts import Launch, ParserSpec, Word
from medic.text.patterns import regex

from .distance import letters_apart
from .families import Given
from .flag_tables import Framework
from .glued_values import parted
from .key_names import names_of, normal
from .launchers import ALIASES, LAUNCHER_OPTIONS, LAUNCHERS, MODULES, lost_option
from .own_flags import Fault
from .shared_values import is_amount_or_place
from .suspects import script_parts

_FLAG = regex(r"^--([A-Za-z][\w.-]*)(?:=.*)?$", re.DOTALL)
# What may stand glued to its option: a count, a file, a word of the options that take one.
_VALUE = regex(r"\d+|gpu|auto|c10d|static|bf16|fp16|no")
# -nnodes 2: one dash. No launcher has a short option that takes the rest as its value.
_UNDASHED = regex(r"^-([a-z][a-z_-]{5,})(?:=.*)?$", re.DOTALL)
# Options of torch/distributed/run.py and deepspeed/launcher/runner.py that few commands give.
_MORE = frozenset(
    """
    log-line-prefix-template event-log-handler logs-specs duplicate-stdout-filters use-env run-path
    duplicate-stderr-filters node-rank virtual-local-rank rdzv-timeout save-pid elastic-training
    min-elastic-nodes max-elastic-nodes autotuning venv-script ssh-port bind-core-list module
    """.split()  # noqa: SIM905
)
_SHORTEST = 5
_HANDS_ON = ("axolotl",)
# All of accelerate/commands/launch.py that begins with none of the words below.
_ACCELERATE = frozenset(
    """
    quiet cpu num-cpu-threads-per-process enable-cpu-affinity use-parallelism-config use-megatron-lm
    tee log-dir role rdzv-conf max-restarts monitor-interval module no-python vm env
    main-training-function downcast-bf16 gradient-accumulation-steps gradient-clipping
    zero3-init-flag zero3-save-16bit-model debug use-mps-device fp16 same-network num-processes
    commands-file command-file no-tpu-cluster use-xpu
    """.split()  # noqa: SIM905
)
_ACCELERATES_WORDS = frozenset(
    """
    fsdp megatron parallelism fp8 tpu dynamo deepspeed offload zero mpirun xpu ipex aws sagemaker
    main machine rdzv use
    """.split()  # noqa: SIM905
)
# No launcher has these, and every training script may.
_SCRIPTS = frozenset(
    """
    learning-rate per-device-train-batch-size num-train-epochs model-name-or-path output-dir
    gradient-accumulation-steps micro-batch-size global-batch-size warmup-ratio weight-decay
    save-steps logging-steps max-steps lr-scheduler-type per-device-eval-batch-size eval-steps
    max-seq-length max-length max-train-steps num-warmup-steps preprocessing-num-workers train-file
    validation-file dataset-name dataset-path model-name data-path report-to run-name template dataset
    stage seed lr epochs optim deepspeed gradient-checkpointing finetuning-type lora-rank cutoff-len
    block-size train-type batch-size wandb
    """.split()  # noqa: SIM905
)


_ACCELERATES = frozenset(("gradient-accumulation-steps",))
# What options of launchers begin with: another one that does may be of another version's.
_LAUNCHERS_WORDS = frozenset(
    option.partition("-")[0] for options in LAUNCHER_OPTIONS.values() for option in options
)


def before_script(
    launch: Launch, tables: Mapping[str, Framework], spec: ParserSpec | None = None
) -> Iterator[Fault]:
    """What the launcher does not know, where it is plain what was meant; ``spec`` is the parser of
    the script, if it is at hand.
    """
    launcher, words = _handed(launch) or (launch.launcher, own_words(launch))
    script = (script_parts(launch)[-1:] or ("",))[0]
    if words is not None:
        own = {normal(name) for option in spec.options for name in option.names} if spec else ()
        yield from of_words(launcher, words, tables, script, own)


def of_words(
    launcher: str,
    words: Sequence[Word],
    tables: Mapping[str, Framework],
    script: str = "",
    own: Collection[str] = (),
) -> Iterator[Fault]:
    """The same of words that are the launcher's; ``script`` is what they start, if known, ``own``
    the names of its flags.
    """
    if launcher not in LAUNCHER_OPTIONS:
        return
    known = _known(launcher, tables)
    for at, word in enumerate(words):
        text = word.text
        match = _FLAG.match(text)
        name = normal(match[1]).replace("_", "-") if match else ""
        if match is None:
            lost = _UNDASHED.match(text)
            if lost is not None and lost[1].replace("_", "-") in LAUNCHER_OPTIONS[launcher]:
                yield Fault("unknown", Given(lost[1], word), "--" + lost[1])
            elif not _is_value(words, at, launcher) and (bare := lost_option(launcher, text)):
                yield Fault("unknown", Given(bare, word), "--" + bare)
            continue
        if any(one.startswith(name) for one in known):
            continue
        option, value = parted(match[1], {one.replace("-", "_") for one in known})
        if option and _VALUE.fullmatch(value):
            yield Fault("unknown", Given(match[1], word), f"--{option} {value}")
            continue
        near = [one for one in known if len(name) >= _SHORTEST and letters_apart(name, one, 1)]
        if len(near) == 1:
            meant = near[0].replace("-", "_") if "_" in match[1] else near[0]
            yield Fault("unknown", Given(match[1], word), "--" + meant)
        elif not near and script and _is_misplaced(launcher, name, tables, own):
            yield Fault("misplaced", Given(match[1], word), script)


def _is_misplaced(
    launcher: str, name: str, tables: Mapping[str, Framework], own: Collection[str]
) -> bool:
    """Whether the script reads a flag that the launcher stops at. One that nobody here knows may be
    of another version of the launcher, none of which has a dot in a name. Accelerate has some that
    scripts have as well, so only well-known ones count there, and those of the script's parser.
    """
    first, known = name.partition("-")[0], name.replace("-", "_") in own or "." in name
    if launcher == "accelerate":
        its = name in _ACCELERATE or first in _ACCELERATES_WORDS
        return name in _SCRIPTS - _ACCELERATES or (known and not its)
    if launcher not in ("torchrun", "deepspeed"):
        return False
    return _is_scripts(name, tables) or (known and first not in _LAUNCHERS_WORDS)


def _is_scripts(name: str, tables: Mapping[str, Framework]) -> bool:
    """Whether a flag is one of training scripts; those of a single word may be anybody's."""
    if name in _SCRIPTS:
        return True
    first, several, _ = name.partition("-")
    if not several or first in _LAUNCHERS_WORDS:
        return False
    if is_amount_or_place(name.replace("-", "_")):
        return True
    trainer, plain = tables.get("hf-trainer"), name.replace("-", "_")
    read = trainer is not None and plain in names_of(trainer, tables).leaves
    return read or any(plain in map(normal, _listed(one)) for one in tables.values())


def _listed(framework: Framework) -> Iterator[str]:
    """Flags that a framework's entry lists as its parsers spell them."""
    yield from framework.switches
    yield from framework.valued
    yield from framework.beside


def _is_value(words: Sequence[Word], at: int, launcher: str) -> bool:
    """Whether a word is what the option before it takes: ``--rdzv_conf rdzv_backend=c10d``."""
    before = words[at - 1].raw if at else ""
    return before.startswith("-") and "=" not in before and before not in LAUNCHERS[launcher].flags


def _handed(launch: Launch) -> tuple[str, Sequence[Word]] | None:
    """``axolotl train c.yml --launcher torchrun -- --nproc_per_node 8``: what the launcher gets."""
    texts = [word.value or "" for word in launch.arguments]
    if launch.launcher not in _HANDS_ON or "--launcher" not in texts[:-1] or "--" not in texts:
        return None
    return texts[texts.index("--launcher") + 1], launch.arguments[texts.index("--") + 1 :]


def own_words(launch: Launch) -> Sequence[Word] | None:
    """The words of the launcher itself, without those of what starts it."""
    words = launch.launcher_words
    for at in range(len(words) - 1, -1, -1):
        text = words[at].value or ""
        name = PurePosixPath(text).name
        if ALIASES.get(name, name) == launch.launcher or text in MODULES:
            return words[at + 1 :]
    return None


def _known(launcher: str, tables: Mapping[str, Framework]) -> frozenset[str]:
    own = {flag.lstrip("-") for flag in LAUNCHERS[launcher].flags}
    names: frozenset[str] = frozenset()
    if launcher == "accelerate" and launcher in tables:
        names = frozenset(n.replace("_", "-") for n in names_of(tables[launcher], tables).leaves)
    return LAUNCHER_OPTIONS[launcher] | own | names | _MORE
