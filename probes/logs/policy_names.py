"""Names of the metrics of policy gradients, as verl, TRL, OpenRLHF and NeMo-RL write them."""

from __future__ import annotations

POLICY: dict[str, str] = {
    **dict.fromkeys(
        ["entropy", "entropy_loss", "policy_entropy", "objective_entropy", "mean_entropy"],
        "entropy",
    ),
    **dict.fromkeys(
        [
            "critic_score_mean",
            "critic_rewards_mean",
            "reward",
            "rewards",
            "reward_mean",
            "mean_reward",
            "avg_reward",
            "score_mean",
            "objective_rlhf_reward",
            "objective_scores",
        ],
        "reward",
    ),
    **dict.fromkeys(
        ["kl", "kl_loss", "objective_kl", "mean_kl", "ref_kl", "kl_mean", "kl_to_reference"], "kl"
    ),
    **dict.fromkeys(
        [
            "response_length_mean",
            "response_length",
            "completions_mean_length",
            "completion_length",
            "mean_response_length",
            "mean_generation_length",
            "glen",
        ],
        "response_length",
    ),
    **dict.fromkeys(
        [
            "completions_clipped_ratio",
            "response_length_clip_ratio",
            "clipped_ratio",
            "truncated_ratio",
            "truncation_rate",
            "rollout_truncated_ratio",
        ],
        "cut_share",
    ),
    **dict.fromkeys(["frac_reward_zero_std"], "equal_groups"),
    **dict.fromkeys(["reward_std", "rewards_std", "group_reward_std"], "reward_spread"),
    **dict.fromkeys(["critic_advantages_max", "advantages_max"], "advantage_max"),
}
