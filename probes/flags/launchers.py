"""Programs that start a training script, and how the words before the script are to be read.

The option lists are those of torch/distributed/run.py, deepspeed/launcher/runner.py,
accelerate/commands/launch.py and of the manuals of Slurm, Open MPI, coreutils and uv. An option
that is not listed takes a value, unless the word after it is plainly the next program.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from medic.records import dataclass, field
from medic.text.patterns import regex


@dataclass(frozen=True)
class Program:
    """A program that starts another one.

    ``flags`` take no value, ``several`` that many values. ``sub`` are the words one of which must
    follow the name, ``positional`` how many more words stand before what it starts.
    """

    flags: frozenset[str] = frozenset()
    several: Mapping[str, int] = field(default_factory=dict)
    sub: tuple[str, ...] = ()
    positional: int = 0
    glued: bool = False  # short options carry their value: -N2


def _program(
    flags: str = "",
    *,
    sub: str = "",
    positional: int = 0,
    glued: bool = False,
    valued: str = "",
    **several: int,
) -> Program:
    """``valued``: options with a value that may be called like a program: ``--extra vllm``."""
    doubled = {f"{dash}{name}": n for name, n in several.items() for dash in ("-", "--")}
    doubled |= dict.fromkeys(valued.split(), 1)
    return Program(frozenset(flags.split()), doubled, tuple(sub.split()), positional, glued)


TORCHRUN = _program("--standalone -m --module --no-python --run-path --use-env -h --help")

# What distributes the ranks itself; the first word that is no option is the script.
LAUNCHERS: Mapping[str, Program] = {
    "torchrun": TORCHRUN,
    "deepspeed": _program(
        "--module --no-python --no-local-rank --no-ssh --no-ssh-check --force-multi --save-pid "
        "--elastic-training --bind-cores-to-rank -h --help"
    ),
    "accelerate": _program(
        "-q --quiet --cpu --multi-gpu --tpu --ipex --enable-cpu-affinity --dynamo-use-fullgraph "
        "--dynamo-use-dynamic --dynamo-use-regional-compilation --use-deepspeed --use-fsdp "
        "--use-megatron-lm --use-xpu --use-mps-device --use-parallelism-config --same-network "
        "-m --module --no-python --tpu-cluster --no-tpu-cluster --tpu-use-sudo --downcast-bf16 "
        "--debug --fp8-use-autocast-during-eval -h --help",
        sub="launch",
    ),
    "colossalai": _program("-m", sub="run"),
    "composer": _program("-m --module_mode -v --verbose -c --command_mode"),
    "fabric": _program(sub="run"),
    "tune": Program(TORCHRUN.flags, sub=("run",)),
}
ALIASES = {
    "ds": "deepspeed",
    "mpiexec": "mpirun",
    "orterun": "mpirun",
    "singularity": "apptainer",
    "mamba": "conda",
    "micromamba": "conda",
    "sh": "bash",
    "zsh": "bash",
    "dash": "bash",
    "podman": "docker",
}

# ``python -m NAME`` that stands for a launcher.
MODULES: Mapping[str, tuple[str, ...]] = {
    "torch.distributed.run": ("torchrun",),
    "torch.distributed.launch": ("torchrun",),
    "torch.distributed.elastic.run": ("torchrun",),
    "deepspeed.launcher.runner": ("deepspeed",),
    "deepspeed": ("deepspeed",),
    "accelerate.commands.launch": ("accelerate", "launch"),
    "accelerate.commands.accelerate_cli": ("accelerate",),
    "accelerate": ("accelerate",),
}

# Command line programs of frameworks: the word after the name says what they do.
FRAMEWORKS: Mapping[str, frozenset[str]] = {
    "llamafactory-cli": frozenset({"train"}),
    "lmf": frozenset({"train"}),
    "swift": frozenset({"sft", "pt", "rlhf"}),
    "megatron": frozenset({"sft", "pt", "rlhf"}),
    "axolotl": frozenset({"train"}),
    "trl": frozenset({"sft", "dpo", "grpo", "kto", "rloo", "reward"}),
    "litgpt": frozenset(
        {
            "pretrain",
            "finetune",
            "finetune_lora",
            "finetune_full",
            "finetune_adapter",
            "finetune_adapter_v2",
        }
    ),
    "xtuner": frozenset({"train"}),
    "oumi": frozenset({"train"}),
    "vllm": frozenset({"serve"}),
}

# Programs that are a training script under a name of their own.
TRAINERS = frozenset(("fairseq-train",))

_TORCHRUN_OPTIONS = frozenset(
    """
    nnodes nproc-per-node rdzv-backend rdzv-endpoint rdzv-id rdzv-conf standalone max-restarts
    monitor-interval start-method role log-dir redirects tee local-ranks-filter node-rank
    master-addr master-port local-addr numa-binding signals-to-handle
    """.split()  # noqa: SIM905
)
# Options that belong before the script, without their dashes.
LAUNCHER_OPTIONS: Mapping[str, frozenset[str]] = {
    "torchrun": _TORCHRUN_OPTIONS,
    "tune": _TORCHRUN_OPTIONS,
    "deepspeed": frozenset(
        """
        hostfile include exclude num-nodes num-gpus num-accelerators master-port master-addr
        node-rank launcher launcher-args no-local-rank no-ssh force-multi bind-cores-to-rank
        """.split()  # noqa: SIM905
    ),
    "accelerate": frozenset(
        """
        config-file num-processes num-machines machine-rank main-process-ip main-process-port
        multi-gpu mixed-precision use-deepspeed use-fsdp gpu-ids dynamo-backend zero-stage
        deepspeed-config-file num-cpu-threads-per-process same-network rdzv-backend
        """.split()  # noqa: SIM905
    ),
}


def lost_option(launcher: str, word: str) -> str:
    """The option of a launcher that a word without dashes is: ``nnodes=2``; "" if it is none."""
    name = word.partition("=")[0]
    spelt = name.replace("_", "-")
    plain = spelt in LAUNCHER_OPTIONS.get(launcher, ()) and ("-" in spelt or spelt == "nnodes")
    return name if plain else ""


# What starts a launcher or Python: resource managers first, then small helpers.
WRAPPERS: Mapping[str, Program] = {
    "srun": _program(
        "-E --preserve-env -H --hold -I --immediate -K --kill-on-bad-exit -k --no-kill -l --label "
        "-O --overcommit -Q --quiet -s --oversubscribe -u --unbuffered -v --verbose -X "
        "--disable-status -Z --no-allocate --exclusive --overlap --pty --exact --contiguous "
        "--propagate --no-container-mount-home --container-mount-home --container-writable "
        "--container-remap-root --no-container-remap-root --no-container-entrypoint --spread-job",
        glued=True,
    ),
    "mpirun": _program(
        "--allow-run-as-root -allow-run-as-root --oversubscribe -oversubscribe --tag-output "
        "-tag-output --display-map --report-bindings -report-bindings -v -q -l --verbose "
        "--nooversubscribe --merge-stderr-to-stdout",
        mca=2,
        gmca=2,
        genv=2,
        env=2,
    ),
    "horovodrun": _program("--verbose --disable-cache --gloo --mpi --check-build"),
    "bash": _program("-c -l -lc -cl -e -x -u -i -ec -xc -ex --login --norc --noprofile"),
    "env": _program("-i -0 -v --ignore-environment"),
    "uv": _program(
        "--no-sync --isolated --frozen --locked --active --all-extras --no-project --offline -q "
        "--quiet --no-dev --exact --no-cache -n -v --verbose --all-groups --no-env-file -m "
        "--module -s --script",
        sub="run",
        valued="--extra --with --group --no-extra --only-group --package",
    ),
    "conda": _program("--no-capture-output --live-stream -v --dev", sub="run"),
    "poetry": _program("-q -v", sub="run"),
    "pdm": _program("-q -v", sub="run"),
    "pipenv": _program("-q -v", sub="run"),
    "pixi": _program("-q -v --frozen --locked", sub="run"),
    "rye": _program("-v", sub="run"),
    "nohup": _program(),
    "exec": _program("-c -l"),
    "time": _program("-p -v"),
    "command": _program("-p"),
    "sudo": _program("-E -n -H -i -S -b --preserve-env"),
    "nice": _program(glued=True),
    "ionice": _program("-t", glued=True),
    "setsid": _program("-f -c -w"),
    "stdbuf": _program(glued=True),
    "unbuffer": _program(),
    "numactl": _program("-l --localalloc -a --all", glued=True),
    "taskset": _program("-a -c --cpu-list", positional=1),
    "timeout": _program("--foreground --preserve-status -v", positional=1),
    "chrt": _program("-f -r -b -o", positional=1),
    "apptainer": _program(
        "--nv --rocm --contain --cleanenv -e -c -C --writable", sub="exec run", positional=1
    ),
    "docker": _program(
        "--rm -it -i -t -d --privileged --init --detach", sub="run exec", positional=1
    ),
    "enroot": _program("-w -r --rw --root", sub="start", positional=1),
    "ssh": _program("-A -t -tt -q -n -T -x", positional=1),
    "nsys": _program(sub="profile"),
    "ncu": _program("-f --force-overwrite"),
    "py-spy": _program("--native -n -s --subprocesses", sub="record"),
    "memray": _program("--native -f --follow-fork", sub="run"),
    "coverage": _program("-a -p", sub="run"),
    "kernprof": _program("-l -v"),
    "ray": _program("--no-wait --verbose -v --log-color", sub="job", positional=1),
    "tini": _program("-s -g -v"),
    "dumb-init": _program("-c"),
}

# Options of the interpreter; -W and -X take a value.
PYTHON_FLAGS = frozenset(
    "-u -O -OO -B -s -S -I -E -v -x -q -b -d -P".split()  # noqa: SIM905
)
PYTHON = regex(r"^(?:python|pypy)(?:\d+(?:\.\d+)*)?t?$")

# ``python -m NAME`` and scripts that train nothing.
NO_TRAINING = frozenset(
    """
    pip venv virtualenv ensurepip http json zipfile tarfile pytest unittest build twine site timeit
    compileall py_compile nltk spacy wandb tensorboard ipykernel jupyter pdb cProfile setup.py
    """.split()  # noqa: SIM905
)
TRAINS = regex(
    r"train|tun(?:e|ing)|sft|dpo|ppo|grpo|rlhf|orpo|kto|distill|lora|run_|main|gpt|llm|launch",
    re.IGNORECASE,
)
