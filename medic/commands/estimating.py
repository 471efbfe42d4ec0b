"""What ``medic memory`` does, apart from its options: a start of plain words loads no parser."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from medic.commands.given import case_of, console, knowledge
from medic.commands.words import ANY, FLAG, said
from medic.errors import Exit, UsageError

if TYPE_CHECKING:
    from medic.case.collect import Case

OPTIONS = {
    "--set": ANY,
    "--gpu": ANY,
    "--model": ANY,
    "--max-micro-batch": FLAG,
    "--max-seq": FLAG,
    "--json": FLAG,
    "--format": ("text", "json"),
    "--redact": FLAG,
    "--lang": ("en", "zh"),
}


def run(words: Sequence[str]) -> int | None:
    """The command on these words; None where its parser has to read them."""
    found = said(words, OPTIONS)
    if found is None:
        return None
    files, values = found
    if "help" in values.get("--set", []):  # the option itself lists the fields
        return None
    last = {name: of[-1] for name, of in values.items()}
    return show(
        files,
        values.get("--set", []),
        gpu=last.get("--gpu", ""),
        model=last.get("--model", ""),
        inverse=asked("--max-micro-batch" in last, "--max-seq" in last),
        as_json="--json" in last or last.get("--format") == "json",
        redact="--redact" in last,
    )


def asked(micro_batch: bool, sequence: bool) -> tuple[str, ...]:
    """The fields whose largest value is wanted."""
    return ("micro_batch_size",) * micro_batch + ("sequence_length",) * sequence


def _case(files: Sequence[str], given: Sequence[str]) -> Case:
    """The case of the files; a model's name, or a field, in the place of one is told how it is given."""
    try:
        return case_of(files, given)
    except UsageError as problem:
        from medic.memory.named import model_of
        from medic.run_config import FIELDS

        missing = [word for word in files if not Path(word).exists()]
        models = [word for word in missing if model_of(knowledge(), word)]
        fields = [word for word in missing if word.partition("=")[0] in FIELDS and "=" in word]
        if fields:
            raise UsageError(
                f"{problem.en}; a field is given as --set {fields[0]}",
                f"{problem.zh}；字段请用 --set {fields[0]} 给出",
                at=problem.at,
            ) from None
        if not models:
            raise
        raise UsageError(
            f"{problem.en}; the model is given as --model {models[0]}",
            f"{problem.zh}；模型请用 --model {models[0]} 给出",
            at=problem.at,
        ) from None


def show(
    files: Sequence[str],
    given: Sequence[str],
    *,
    gpu: str,
    model: str,
    inverse: tuple[str, ...],
    as_json: bool,
    redact: bool,
) -> int:
    """Prints the estimate. Returns the exit code: 1 where it will not fit, 2 where not even a lower
    bound can be said; raises UsageError where nothing could be read."""
    if not (files or given or model):
        raise UsageError("give a config, --model or --set", "请给出配置文件、--model 或 --set 之一")
    from medic.sizing import size_run

    out = console(redact=redact)
    case = _case(files, given)
    sizing = size_run(case, knowledge(), gpu=gpu, model=model, inverse=inverse)
    if files and not sizing.read and not case.text:
        why = sizing.not_read[0] if sizing.not_read else None
        raise UsageError(
            f"no file could be read{': ' + why.en if why else ''}",
            f"没有可读取的文件{'：' + why.zh if why else ''}",
            at=why.file if why else "",
        )
    if as_json:
        from medic.report.dumps import dumps
        from medic.report.memory_json import json_data

        out.raw(dumps(json_data(sizing)))
    else:
        from medic.report.memory_text import full

        full(out, sizing)
    if sizing.found.low is None:  # neither fits nor does not: a script must not go on as if it did
        return Exit.USAGE
    return Exit.FINDING if sizing.fits is False else Exit.OK
