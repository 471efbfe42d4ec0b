"""Commands that a launcher refuses, or that Hydra does: no rank, a recipe of one GPU, a flag."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Launch, Word
from medic.i18n import Text
from medic.text.patterns import regex

from .arguments import VALUE, Fault
from .distance import letters_apart
from .option_words import is_given, option_word

_RANKS = ("-np", "-n", "--np", "-c")
_NO_RANK = Text("{flag} 0 starts no process", "{flag} 0 不会启动任何进程")
# torchtune _cli/run.py: a recipe whose registry entry has supports_distributed=False is refused
# beside the options of torchrun.
_ALONE = regex(r"^\w+_single_device(?:\.py)?$")
_ONE_GPU = Text(
    "{recipe} does not support distributed training: tune run refuses {flag}",
    "{recipe} 不支持分布式训练：tune run 会拒绝 {flag}",
)
# hydra/_internal/utils.py get_args_parser: what else begins with a dash is unrecognized.
_OF_HYDRA = frozenset(
    """
    --help --hydra-help --version --cfg --resolve --package --run --multirun --shell-completion
    --config-path --config-name --config-dir --experimental-rerun --info
    """.split()  # noqa: SIM905
)
_HYDRA_PROGRAM = regex(r"^(?:verl\.trainer\.main_\w+|(?:\S*/)?verl/trainer/main_\w+\.py)$")
_LONG = regex(r"^(--[A-Za-z][\w-]*)(?:=.*)?$")
_NO_FLAG = Text(
    "{script} takes name=value; Hydra refuses {flag}",
    "{script} 只接受 name=value 形式；Hydra 会拒绝 {flag}",
)
# torch/distributed/elastic/rendezvous/registry.py; a plugin may add further ones, of any name.
_BACKENDS = ("c10d", "static", "etcd", "etcd-v2")
_NO_BACKEND = Text(
    "torch has no rendezvous backend {value}; {meant} is meant",
    "torch 没有名为 {value} 的 rendezvous 后端，应为 {meant}",
)
# torch/distributed/run.py: --standalone is --rdzv-backend=c10d --rdzv-endpoint=localhost:0
_ALONE_WITH_MANY = Text(
    "--standalone meets on a free port of its own node: of --nnodes={n} no other node can join",
    "--standalone 在本节点的随机端口上会合：--nnodes={n} 中的其他节点无法加入",
)
_TORCHRUN = ("torchrun", "tune")


def refused(launch: Launch) -> Iterator[Fault]:
    """Whatever else the command says, it ends before a step."""
    yield from _no_rank(launch)
    yield from _one_gpu(launch)
    yield from _no_flags(launch)
    if launch.launcher in _TORCHRUN:
        yield from _meeting(launch)


def _no_rank(launch: Launch) -> Iterator[Fault]:
    if launch.launcher != "mpirun":
        return
    for name in _RANKS:
        found = option_word(launch.launcher_words, name)
        if found is not None and found[1] == "0":
            yield _fault(_NO_RANK.fill(flag=name), found[0], name)


def _one_gpu(launch: Launch) -> Iterator[Fault]:
    recipe = (launch.script.value or "") if launch.script else ""
    if launch.launcher != "tune" or not _ALONE.match(recipe):
        return
    for word in launch.launcher_words:
        flag = (word.value or "").partition("=")[0]
        if flag.replace("_", "-") in ("--nproc-per-node", "--nnodes"):
            yield _fault(_ONE_GPU.fill(recipe=recipe, flag=flag), word, flag)
            return


def _meeting(launch: Launch) -> Iterator[Fault]:
    """Where the nodes of torchrun meet: by no backend that there is, or each by itself."""
    words = launch.launcher_words
    backend, nodes = option_word(words, "--rdzv-backend"), option_word(words, "--nnodes")
    if backend is not None and backend[1] not in _BACKENDS:
        near = [one for one in _BACKENDS if letters_apart(backend[1], one, 1)]
        if len(near) == 1:
            what = _NO_BACKEND.fill(value=backend[1], meant=near[0])
            yield _fault(what, backend[0], "--rdzv-backend")
    if nodes is not None and is_given(words, "--standalone"):
        least = nodes[1].partition(":")[0]
        if least.isdecimal() and int(least) > 1:
            yield _fault(_ALONE_WITH_MANY.fill(n=nodes[1]), nodes[0], "--standalone")


def _no_flags(launch: Launch) -> Iterator[Fault]:
    script = (launch.script.value or "") if launch.script else ""
    if not _HYDRA_PROGRAM.match(script):
        return
    for word in launch.arguments:
        found = _LONG.match(word.value or "")
        # argparse takes an option by its beginning, too.
        if found is not None and not any(one.startswith(found[1]) for one in _OF_HYDRA):
            yield _fault(_NO_FLAG.fill(script=script, flag=found[1]), word, found[1])


def _fault(what: Text, word: Word, flag: str) -> Fault:
    return Fault(VALUE, what, word.literal or word.span, flag)
