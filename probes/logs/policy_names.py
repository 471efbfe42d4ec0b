"""Names of the metrics of policy gradients, as verl, TRL, OpenRLHF and NeMo-RL write them."""

from __future__ import annotations

from medic.text.patterns import regex

# What held-out prompts say of the policy: verl's "val-core/SET/acc/mean@4" and "val/test_score/SET",
# TRL's "eval_reward", OpenRLHF's "eval_SET_pass1", and what people call a win rate or a gold reward.
HELD = regex(
    r"^(?:val(?:id(?:ation)?)?(?:-core)?|eval(?:uation)?|test|held_?out|dev)[/_.](?!rewards?[/_.](?:"
    r"chosen|rejected|margins?|accuracies))(?:[\w.+-]{1,40}[/_.]){0,3}"
    r"(?:acc(?:uracy)?|score|rewards?|win_?rate|pass(?:@?\d*|_rate)|solve_rate|success_rate|"
    r"correct(?:ness)?)(?:[/_.]mean)?(?:@\d{1,4})?$|"
    r"^val(?:idation)?/test_score/[\w./+-]{1,60}$|"
    r"^(?:(?:gold|true)_(?:rewards?|scores?)|win_?rate)(?:[/_.]mean)?$"
)

POLICY: dict[str, str] = {
    **dict.fromkeys(
        ["entropy", "entropy_loss", "policy_entropy", "policy_entropy_avg", "mean_entropy"],
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
        ["kl", "kl_loss", "mean_kl", "ref_kl", "kl_mean", "kl_to_reference", "policy_kl"], "kl"
    ),
    # TRL's PPO sums over the tokens of an answer.
    "objective_kl": "sequence_kl",
    # Between the weights before an update and after it.
    **dict.fromkeys(["ppo_kl", "approx_kl", "approxkl", "policy_approxkl_avg"], "update_kl"),
    **dict.fromkeys(
        [
            "pg_clipfrac",
            "clipfrac",
            "clip_frac",
            "clip_fraction",
            "policy_clipfrac_avg",
            "ppo_clip_ratio",
            "clip_ratio",
            "clip_ratio_region_mean",
        ],
        "clip_share",
    ),
    **dict.fromkeys(
        ["pg_loss", "policy_loss", "actor_loss", "act_loss", "loss_policy_avg"], "policy_loss"
    ),
    **dict.fromkeys(
        [
            "response_length_mean",
            "response_length",
            "completions_mean_length",
            "completion_length",
            "mean_response_length",
            "mean_generation_length",
            "response_len_mean",
            "glen",
        ],
        "response_length",
    ),
    **dict.fromkeys(
        [
            "completions_clipped_ratio",
            "response_length_clip_ratio",
            "response_clip_ratio",
            "clipped_ratio",
            "truncated",
            "truncated_ratio",
            "truncation_rate",
            "rollout_truncated_ratio",
        ],
        "cut_share",
    ),
    **dict.fromkeys(
        ["response_length_max", "completions_max_length", "response_len_max"], "response_longest"
    ),
    **dict.fromkeys(["frac_reward_zero_std"], "equal_groups"),
    **dict.fromkeys(["reward_std", "rewards_std", "group_reward_std"], "reward_spread"),
    **dict.fromkeys(["critic_advantages_max", "advantages_max"], "advantage_max"),
}
