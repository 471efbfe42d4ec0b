"""What is changed by hand: a plan in a Python program, which medic never edits, and groups and lists of an
axolotl file."""

from __future__ import annotations

from medic.i18n import Text
from medic.memory import plugins
from medic.memory.remedies import Advice
from medic.report.blocks import Blocks
from medic.run_config import Change, RunConfig

LOOP = "own-loop"
# Of a loop of one's own, where no argument of a trainer is the field's.
CALLS = {
    "fused_loss": "liger_kernel.transformers.AutoLigerKernelForCausalLM.from_pretrained(…)",
    "activation_checkpointing": "model.gradient_checkpointing_enable()",
    "micro_batch_size": "DataLoader(…, batch_size={new})",
    "attention": 'from_pretrained(…, attn_implementation="{new}")',
    "precision": 'with torch.autocast("cuda", dtype=torch.bfloat16): …',
    "sequence_length": "max_length={new}",
    "adamw_8bit": "bitsandbytes.optim.AdamW8bit(…)",
    "torch.optim.adamw_fused": "torch.optim.AdamW(…, fused=True)",
}


def in_groups(blocks: Blocks, advice: Advice, config: RunConfig) -> None:
    """The lines of an axolotl file that the advised changes take where a value alone does nothing."""
    fields = {c.field for one in advice.plan for c in one.changes}
    fields |= {"fused_loss"} & {c.field for one in advice.alone for c in one.changes}
    told = plugins.lines(config, fields)
    if not told:
        return
    blocks.heading(
        Text(
            "In the axolotl file, by hand (one of these lines alone does nothing)",
            "在 axolotl 文件中手工加入（只写其中一行不起作用）",
        )
    )
    for line in told:
        blocks.console.out(f"    {line}")


def in_code(blocks: Blocks, advice: Advice, config: RunConfig) -> None:
    """The plan's changes as lines of a training loop of one's own; nothing of any other run."""
    if config.framework != LOOP or not advice.plan or not advice.fits:
        return
    blocks.heading(Text("In the program, by hand", "在程序中手工修改"))
    for one in advice.plan:
        for change in one.changes:
            blocks.paragraph(_told(change, config), "    ", "  ")


def _told(change: Change, config: RunConfig) -> Text | str:
    origin = config.origin(change.field)
    stated = origin is not None and origin.syntax == "python"
    where = origin.where() if origin is not None and stated else _program(config)
    if change.field == "gradient_accumulation_steps":
        line = Text(
            "{w}: one optimizer step for every {n} micro batches",
            "{w}：每 {n} 个微批次执行一次优化器更新",
        )
        return line.fill(w=where, n=change.new)
    call = CALLS.get(change.field) or CALLS.get(str(change.new)) or f"{change.field}={change.new}"
    return f"{where}: {call.format(new=change.new)}"


def _program(config: RunConfig) -> str:
    """The Python file whose calls state the run."""
    places = (s.origin for s in config.settings if s.origin.syntax == "python")
    return next((o.span.file for o in places if o.span is not None), "")
