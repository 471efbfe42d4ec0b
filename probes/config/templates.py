"""The probe of chat templates: the one a model is trained with and the one that it is served with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from medic.errors import Unreadable
from medic.facts import Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip
from medic.records import dataclass
from medic.run_config import Scalar, Span

NAME = "prompt-template-differs"
_TEMPLATES = ("template", "chat_template")
_MODELS = ("model_name_or_path", "base_model", "model", "model_path")
_ADAPTERS = ("adapter_name_or_path", "adapters", "ckpt_dir", "adapter")
_FAMILY = Text("the form of {family} ({model})", "{family} 的格式（{model}）")
_MARKS = Text(
    "the tokenizer of {family} ({model}), which cuts the marks of that template to pieces",
    "{family}（{model}）的分词器，它会把该模板的标记切碎",
)
_NEEDS = Text("the configurations of training and of inference, both", "训练与推理两份配置")


@dataclass(frozen=True)
class Use:
    """A file or a command that names a template: its values by key, and where the template is."""

    values: Mapping[str, Scalar]
    key: str
    span: Span
    name: str
    line: str

    def first(self, names: Sequence[str]) -> str:
        found = (str(self.values[name]) for name in names if self.values.get(name))
        return next(found, "").rstrip("/")

    @property
    def template(self) -> str:
        return str(self.values[self.key])

    @property
    def trains(self) -> bool:
        return bool({"output_dir", "learning_rate", "num_train_epochs"} & self.values.keys())


def run(look: Look) -> Iterator[Finding | Skip]:
    uses = [*_files(look), *_commands(look)]
    foreign = list(_foreign(uses))
    yield from foreign
    trained = [use for use in uses if use.trains]
    served = [use for use in uses if not use.trains]
    pairs = [(a, b) for a in trained for b in served if _same_model(a, b)]
    fired = [(a, b) for a, b in pairs if a.template != b.template]
    for train, serve in fired:
        values = {"key": serve.key, "value": serve.template, "trained": train.template}
        source = Source(serve.name, serve.span.line, text=serve.line)
        also = Source(train.name, train.span.line)
        yield Finding(NAME, "fires", values, source, span=serve.span, more=(also,))
    if pairs and not fired and not foreign:
        yield Finding(NAME, "passes")
    elif not pairs and not foreign:
        yield Skip(needs=_NEEDS, check=NAME)


def _foreign(uses: Sequence[Use]) -> Iterator[Finding]:
    """A model that is trained on in the form of another family, as both names say."""
    for use in (use for use in uses if use.trains and use.key == "template"):
        from .template_families import families, knows_a_form

        model = use.first(_MODELS)
        found = families(use.template, model)
        if found is not None:
            form = _FAMILY if knows_a_form(model) else _MARKS
            trained = form.fill(family=found[1], model=model.rpartition("/")[2])
            values = {"key": use.key, "value": use.template, "trained": trained}
            source = Source(use.name, use.span.line, text=use.line)
            yield Finding(NAME, "fires", values, source, span=use.span)


def _same_model(train: Use, serve: Use) -> bool:
    """Whether what is served is what the training writes, or its base with the adapter of it."""
    out = str(train.values.get("output_dir") or "").rstrip("/")
    served = (serve.first(_ADAPTERS), serve.first(_MODELS))
    return bool(out) and any(path == out or path.startswith(f"{out}/") for path in served)


def _files(look: Look) -> Iterator[Use]:
    for given in look.files("config"):
        try:
            root = look.parse(given.path).root
        except Unreadable:
            continue
        leaves = {path: node for path, _, node in root.leaves()} if root is not None else {}
        values = {path[0]: node.value for path, node in leaves.items() if len(path) == 1}
        for key in _TEMPLATES:
            if values.get(key):
                yield Use(values, key, leaves[(key,)].span, given.name, f"{key}: {values[key]}")


def _commands(look: Look) -> Iterator[Use]:
    for given in look.files("script"):
        from .readers.command import flags

        try:
            commands = look.parse(given.path).commands
        except Unreadable:
            continue
        for command in commands:
            found = {flag.name.lstrip("-"): flag for flag in flags(command.words)}
            values = {name.replace("-", "_"): flag.value for name, flag in found.items()}
            for name, flag in found.items():
                if name.replace("-", "_") in _TEMPLATES and flag.value:
                    line = f"{flag.name} {flag.value}"
                    yield Use(values, name.replace("-", "_"), flag.span, given.name, line)


PROBE = Probe(
    name="config-templates",
    title=Text("chat templates", "对话模板"),
    tells=(NAME,),
    run=run,
    files=("config", "script"),
    without=(Skip(_NEEDS, NAME),),
    seconds=0.01,
    limit_seconds=5,
)
