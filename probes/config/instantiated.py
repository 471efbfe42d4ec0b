"""The probe of what Hydra, OmegaConf and torchtune make of a file: arguments of a Trainer that is named
as ``_target_``, names of classes, and ``${…}`` that leads nowhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from medic.errors import Unreadable
from medic.facts import Node, Repair, Respelt
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, source_of
from medic.run_config import Edit, Span
from medic.text.patterns import regex
from medic.text.slips import one_apart

from ..flags.distance import only_nearest
from ..flags.lightning_keys import TRAINER

KEY, VALUE = "misspelt-config-key", "flag-value-not-accepted"
# lightning/pytorch/trainer/trainer.py, Trainer.__init__, of 1.0 to 2.5; names that Hydra takes out.
_TRAINERS = frozenset(
    ("lightning.pytorch.Trainer", "pytorch_lightning.Trainer", "lightning.Trainer", "pl.Trainer")
)
_ARGUMENTS = frozenset(TRAINER) | frozenset(
    """
    enable_autolog_hparams checkpoint_callback process_position num_processes gpus auto_select_gpus
    tpu_cores ipus log_gpu_memory progress_bar_refresh_rate track_grad_norm accelerators
    resume_from_checkpoint weights_summary weights_save_path truncated_bptt_steps
    replace_sampler_ddp terminate_on_nan auto_scale_batch_size auto_lr_find prepare_data_per_node
    flush_logs_every_n_steps stochastic_weight_avg multiple_trainloader_mode amp_backend amp_level
    move_metrics_to_cpu distributed_backend automatic_optimization
    _target_ _partial_ _recursive_ _convert_ _args_
    """.split()  # noqa: SIM905
)
_FOREIGN: Mapping[str, str] = {
    "gradient_accumulation_steps": "accumulate_grad_batches",
    "grad_accum_steps": "accumulate_grad_batches",
    "gradient_accumulation": "accumulate_grad_batches",
    "max_grad_norm": "gradient_clip_val",
    "grad_clip": "gradient_clip_val",
    "clip_grad": "gradient_clip_val",
    "gradient_clip": "gradient_clip_val",
    "gradient_clipping": "gradient_clip_val",
    "epochs": "max_epochs",
    "num_epochs": "max_epochs",
    "num_train_epochs": "max_epochs",
    "num_gpus": "devices",
    "nnodes": "num_nodes",
    "log_interval": "log_every_n_steps",
    "logging_steps": "log_every_n_steps",
}
_CLASSES = (
    "Adam", "AdamW", "SGD", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam", "RMSprop", "LBFGS",
    "ASGD", "Rprop", "SparseAdam", "Adafactor", "FullModelHFCheckpointer", "DistributedCheckpointer",
    "FullModelMetaCheckpointer", "FullModelTorchTuneCheckpointer", "CrossEntropyLoss",
    "CEWithChunkedOutputLoss", "LinearCrossEntropyLoss", "WandBLogger", "DiskLogger", "StdoutLogger",
    "TensorBoardLogger", "CometLogger", "AdamW8bit", "PagedAdamW8bit",
)  # fmt: skip
_SMALL = {name.lower(): name for name in _CLASSES}
_OF_LIBRARIES = regex(r"(?:torch\.optim|torchtune|torch\.nn|torchao|bitsandbytes)\.")
_BUILDER = regex(r"torchtune\.(?:models|datasets)\.(?:\w+\.)*([a-z][\w]*[A-Z]\w*)")
_ALMOST = regex(r"_+target_+|_target|target_")
_DOTTED = regex(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_LEADS = regex(r"\$\{([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\}")
_WORD = regex(r"\w+")
_SHORTEST, _LONG = 5, 9
_NO_ARGUMENT = Text(
    "{target} has no argument {key}; {meant} is meant", "{target} 没有参数 {key}，应为 {meant}"
)
_NO_TARGET = Text(
    "{key}: Hydra builds what _target_ names, this is a key like any other",
    "{key}：Hydra 只按 _target_ 实例化，这只是普通的键",
)
_NO_NAME = Text("{key}: there is no {name}; {meant} is meant", "{key}：没有 {name}，应为 {meant}")
_NOWHERE = Text(
    "{key}: ${{{path}}} leads to no key of this file; {meant} is meant",
    "{key}：${{{path}}} 在本文件中没有对应的键，应为 {meant}",
)
_OPEN = Text("{key}: ${{ is never closed", "{key}：${{ 没有闭合")
_WHY = Text("the name that is near", "相近的名称")


def run(look: Look) -> Iterator[Finding]:
    for given in look.files("config"):
        try:
            document = look.parse(given.path)
        except Unreadable:
            continue  # told by the probe of the files
        root = document.root
        if document.syntax == "yaml" and root is not None and _is_built(root):
            yield from _of_mapping(root, root)


def _is_built(root: Node) -> bool:
    """Whether OmegaConf reads the file: something in it is built, or Hydra puts it together."""
    names = {str(key.value) for key, _ in root.items}
    if (
        names & {"defaults", "hydra", "_target_", "_component_"}
        or {"trainer", "exp_manager"} <= names
    ):
        return True
    blocks = (value for _, value in root.items if value.kind == "mapping")
    return any(block.get("_target_") or block.get("_component_") for block in blocks)


def _of_mapping(node: Node, root: Node) -> Iterator[Finding]:
    target = node.get("_target_")
    named = str(target.value) if target is not None else ""
    for key, value in node.items:
        if (named in _TRAINERS and (found := _argument(key, named)) is not None) or (
            found := _almost_target(key, value)
        ):
            yield found
        if value.kind == "mapping":
            yield from _of_mapping(value, root)
        elif isinstance(value.value, str):
            yield from _of_text(key, value, root)
        for one in value.elements:
            if one.kind == "mapping":
                yield from _of_mapping(one, root)


def _argument(key: Node, target: str) -> Finding | None:
    name = str(key.value)
    if name in _ARGUMENTS or name.startswith("_"):
        return None
    meant = _FOREIGN.get(name) or only_nearest(name, _ARGUMENTS, _SHORTEST, _LONG)
    if not meant:
        return None
    return _fires(KEY, key, _NO_ARGUMENT.fill(target=target, key=name, meant=meant), meant)


def _almost_target(key: Node, value: Node) -> Finding | None:
    name = str(key.value)
    if name == "_target_" or not _ALMOST.fullmatch(name) or not isinstance(value.value, str):
        return None
    if not _DOTTED.fullmatch(value.value):
        return None
    return _fires(KEY, key, _NO_TARGET.fill(key=name), "_target_")


def _of_text(key: Node, value: Node, root: Node) -> Iterator[Finding]:
    text, name = str(value.value), str(key.value)
    if name in ("_target_", "_component_"):
        path, _, last = text.rpartition(".")
        meant = _class_of(text, last)
        if meant and meant != last:
            what = _NO_NAME.fill(key=name, name=last, meant=meant)
            yield _fires(VALUE, value, what, f"{path}.{meant}")
    if "\n" in text or "${" not in text:
        return
    if text.count("${") > text.count("}"):
        yield _fires(VALUE, value, _OPEN.fill(key=name), "")
        return
    for found in _LEADS.finditer(text):
        if meant := _meant(found[1], root):
            yield _fires(KEY, value, _NOWHERE.fill(key=name, path=found[1], meant=meant), "")


def _class_of(text: str, last: str) -> str:
    if not _OF_LIBRARIES.match(text):
        return ""
    builder = _BUILDER.fullmatch(text)
    return last.lower() if builder else _SMALL.get(last.lower(), "")


def _meant(path: str, root: Node) -> str:
    """The path that a path of the file is a slip of by one letter of one step; "" if it leads to
    something, or nothing is near."""
    node, steps = root, path.split(".")
    for at, step in enumerate(steps):
        if node.kind != "mapping":
            return ""
        below = node.get(step)
        if below is None:
            if not at and step in _groups(root):
                return ""
            names = [str(key.value) for key, _ in node.items]
            near = [n for n in names if len(n) >= _SHORTEST and one_apart(step, n) == 1]
            return ".".join((*steps[:at], near[0], *steps[at + 1 :])) if len(near) == 1 else ""
        node = below
    return ""


def _groups(root: Node) -> set[str]:
    """The words of a ``defaults`` list: what its files bring stands under them."""
    listed = root.get("defaults")
    elements = listed.elements if listed is not None else ()
    texts = [str(one.value) for one in elements if one.kind == "scalar"]
    texts += [str(key.value) for one in elements for key, _ in one.items]
    return {word for text in texts for word in _WORD.findall(text)}


def _fires(name: str, node: Node, what: Text, new: str) -> Finding:
    span: Span = node.span
    plain = new and not node.quoted and node.raw == str(node.value)
    edit = Edit(span.file, span.start, span.end, new)
    repair = Repair((Respelt((edit,)),), safe=False, why=_WHY) if plain else None
    source = source_of(span, node.raw)
    return Finding(name, "fires", {"what": what}, source, span=span, repair=repair)


PROBE = Probe(
    name="config-instantiated",
    title=Text("what the file builds", "配置所实例化的对象"),
    tells=(KEY, VALUE),
    run=run,
    files=("config",),
    seconds=0.01,
    limit_seconds=5,
)
