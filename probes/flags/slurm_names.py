"""Variables that Slurm sets for a job or a step, and names that are slips of them."""

from __future__ import annotations

from medic.text.slips import digits_of, is_swapped, one_apart

# sbatch and srun manuals, OUTPUT ENVIRONMENT VARIABLES; options that are read from variables, too.
_SET = frozenset(
    f"SLURM_{name}"
    for name in """
    ARRAY_JOB_ID ARRAY_TASK_COUNT ARRAY_TASK_ID ARRAY_TASK_MAX ARRAY_TASK_MIN ARRAY_TASK_STEP
    CLUSTER_NAME CONF CPU_BIND CPUS_ON_NODE CPUS_PER_GPU CPUS_PER_TASK DEBUG EXPORT_ENV GPU_BIND
    GPU_FREQ GPUS GPUS_ON_NODE GPUS_PER_NODE GPUS_PER_SOCKET GPUS_PER_TASK GTIDS HET_SIZE HINT
    JOB_ACCOUNT JOB_CPUS_PER_NODE JOB_DEPENDENCY JOB_END_TIME JOB_GPUS JOB_ID JOBID JOB_NAME
    JOB_NODELIST JOB_NUM_NODES JOB_PARTITION JOB_QOS JOB_RESERVATION JOB_START_TIME JOB_UID JOB_USER
    LAUNCH_NODE_IPADDR LOCALID MEM_PER_CPU MEM_PER_GPU MEM_PER_NODE NNODES NODEID NODELIST NPROCS
    NTASKS NTASKS_PER_CORE NTASKS_PER_GPU NTASKS_PER_NODE NTASKS_PER_SOCKET NODE_ALIASES PRIO_PROCESS
    PROCID PROFILE RESTART_COUNT SRUN_COMM_HOST SRUN_COMM_PORT STEP_GPUS STEP_ID STEPID
    STEP_LAUNCHER_PORT STEP_NODELIST STEP_NUM_NODES STEP_NUM_TASKS STEP_TASKS_PER_NODE SUBMIT_DIR
    SUBMIT_HOST TASK_PID TASKS_PER_NODE THREADS_PER_CORE TMPDIR TOPOLOGY_ADDR UMASK WORKING_CLUSTER
    """.split()  # noqa: SIM905
)
_LONG = 14  # letters of a name of which one may be another
_SHORT = 11  # and of one of which one may be left out, doubled or swapped


def slip_of(name: str) -> str:
    """The one variable of Slurm that a name is meant for: an underscore more or less, or a letter."""
    if not name.startswith("SLURM_") or name in _SET:
        return ""
    bare = name.replace("_", "")
    found = [one for one in _SET if one.replace("_", "") == bare]
    if not found and len(name) >= _SHORT:
        near = [o for o in _SET if one_apart(name, o) == 1 and digits_of(name) == digits_of(o)]
        # Nobody but Slurm has such names, but of a short one a letter may stand for another word.
        found = [
            o for o in near if len(name) >= _LONG or len(name) != len(o) or is_swapped(name, o)
        ]
    return found[0] if len(found) == 1 else ""
