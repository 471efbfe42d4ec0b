"""Names of the metrics of preference training, as TRL, LLaMA-Factory and OpenRLHF write them."""

from __future__ import annotations

PREFERENCE: dict[str, str] = {
    **dict.fromkeys(["rewards_chosen", "chosen_reward", "chosen_rewards"], "chosen_reward"),
    **dict.fromkeys(
        ["rewards_rejected", "reject_reward", "rejected_reward", "rejected_rewards"],
        "rejected_reward",
    ),
    **dict.fromkeys(["rewards_margins", "reward_margin", "reward_margins"], "reward_margin"),
    **dict.fromkeys(
        ["rewards_accuracies", "reward_accuracies", "reward_accuracy"], "pair_accuracy"
    ),
    **dict.fromkeys(["logps_chosen", "chosen_logps"], "chosen_logps"),
    **dict.fromkeys(["logps_rejected", "rejected_logps"], "rejected_logps"),
}
