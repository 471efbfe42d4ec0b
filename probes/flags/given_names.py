"""Names of variables that a shell, a scheduler, a cluster or a user gives to a script."""

from __future__ import annotations

import re

from medic.text.patterns import regex

from .flag_values import READ_BY_BOARDS, behind_flags
from .script_text import ScriptText

# Names that the shell, a scheduler, a cluster or a library's user sets: of schedulers those of their
# manuals, SM_ of SageMaker, AZ_ of Azure Batch, LS_ of LSF, VK_ of Volcano, PJM_ of Fujitsu's.
ENVIRONMENT = regex(
    r"^(?:SLURM|SLURMD|SBATCH|SRUN|PBS|LSB|LSF|SGE|OMPI|PMI|PMIX|MPI|CUDA|NVIDIA|NCCL|TORCH|PYTORCH|HF|"
    r"HUGGING|TRANSFORMERS|WANDB|AWS|GCP|AZURE|AZUREML|CONDA|VIRTUAL|PET|GLOO|OMP|MKL|MASTER|LOCAL|"
    r"NODE|NUM(?=_(?:NODE|GPU|PROC|MACHINE|TASK|RANK|CPU|TRAINER|DEVICE|NPU|CARD))|"
    r"GPU(?!_(?:MEM|UTIL|BATCH))|GPUS|NNODES|NPROC|WORLD|KUBERNETES|KUBEFLOW|ARNOLD|METIS|MLP|DLC|PAI|VC|XDG|"
    r"GIT|CI|GITHUB|TRITON|RAY|TPU|XLA|HOST|HIP|ROCR|ASCEND|HCCL|SINGULARITY|APPTAINER|DOCKER|"
    r"SM|SAGEMAKER|AZ|LS|VK|FLUX|PJM|ALPS|SKYPILOT|BASH|LC|COMET|MLFLOW|TENSORBOARD|JOB|TASK(?=_(?:ID|INDEX|RANK|TYPE))|SCRATCH|WORK|PROJECT|STORE|CLUSTER|COBALT)_|"
    r"^(?:HOME|USER|PATH(?!_TO)|PWD|OLDPWD|HOSTNAME|TMPDIR|TMP|TEMP|SHELL|LANG|TERM|LOGNAME|UID|EUID|"
    r"RANDOM|SECONDS|LINENO|PPID|RANK|WORLD_SIZE|NNODES|NPROC|NPROC_PER_NODE|NODES|NGPUS|GPUS|"
    r"SCRATCH|WORK|STORE|PROJECT|DSDIR|PYTHON|PYTHONPATH|LD_LIBRARY_PATH|HOSTFILE|PORT|DEVICES|"
    r"LAUNCHER|DEBUG|SEED|TOKEN|INDEX|AIP)\w*$|"
    # Whole names: Grid Engine (qsub manual, ENVIRONMENTAL VARIABLES), PBS (NCPUS), SageMaker, Vertex
    # AI and Kubeflow (TF_CONFIG, CLUSTER_SPEC, JAXJob's COORDINATOR_ADDRESS).
    r"^(?:NHOSTS|NSLOTS|NQUEUES|PE|PE_HOSTFILE|QUEUE|REQUEST|RESTARTED|ARC|ENVIRONMENT|NCPUS|"
    r"TRAINING_JOB_NAME|TF_CONFIG|CLUSTER_SPEC|COORDINATOR_ADDRESS|COORDINATOR_PORT|PROCESS_ID)$"
)
# Those of them that are spelt right wherever they stand.
WELL_KNOWN = frozenset(
    """
    RANK WORLD_SIZE LOCAL_RANK NODE_RANK GROUP_RANK MASTER_ADDR MASTER_PORT NNODES NPROC_PER_NODE
    NUM_NODES NUM_GPUS GPUS_PER_NODE LOCAL_WORLD_SIZE TEMPDIR HOME USER PATH PWD HOSTNAME TMPDIR
    WANDB_API_KEY CUDA_VISIBLE_DEVICES LD_LIBRARY_PATH PYTHONPATH
    """.split()  # noqa: SIM905
)
# Those that nobody writes into a script.
_SECRET = regex(r"KEY|TOKEN|SECRET|PASS", re.I)
_GROUP = regex(r"^(?:WANDB|TENSORBOARD)_")
_ADDRESS = frozenset(("MASTER_ADDR", "MASTER_PORT"))
# What a launch is told of its machines, the same on each of them: set by a cluster or by the script.
OF_A_LAUNCH = frozenset(
    """
    MASTER_ADDR MASTER_PORT NNODES NUM_NODES N_NODES GPUS_PER_NODE NUM_GPUS N_GPUS NGPUS
    NUM_GPUS_PER_NODE NPROC_PER_NODE NUM_PROCESSES
    """.split()  # noqa: SIM905
)
# Names that Slurm gives to none of its jobs (sbatch manual, output environment variables).
_BATCH = regex(r"(?m)^#SBATCH\s")
_OF_RANKS = frozenset(("WORLD_SIZE", "RANK", "LOCAL_RANK", "NODE_RANK", "PORT"))


def may_be_given(script: ScriptText, variable: str) -> bool:
    """Whether a scheduler, a launcher or a user's environment has it: not where the script sets
    another name of the same group itself (WANDB_PROJECT beside WANDB_RUN_DIR). None is in small
    letters."""
    if _SECRET.search(variable) or not ENVIRONMENT.match(variable):
        return bool(_SECRET.search(variable))
    ranks = variable in (OF_A_LAUNCH | _OF_RANKS) - _ADDRESS
    if ranks and _BATCH.search(script.text):
        return False
    if variable in OF_A_LAUNCH:
        beside = _ADDRESS if variable in _ADDRESS else OF_A_LAUNCH
        return script.set_alone.isdisjoint(beside)
    group = _GROUP.match(variable)
    board = variable.startswith("TENSORBOARD_") and variable not in READ_BY_BOARDS
    if board and behind_flags(script, variable):
        return False  # a name of the script's own making
    return group is None or not any(name.startswith(group[0]) for name in script.set_alone)
