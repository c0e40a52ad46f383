"""The results as text: the learning curve and the validation as CSV, and the tables of the page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from casestudies.sampling_agent.outcome import EpisodeOutcome
from casestudies.sampling_agent.training import Epoch
from casestudies.sampling_agent.validation import AGENT, AGENT_DRAWN, HEURISTIC, Validation

CURVE = (
    "epoch,epsilon,episodes,accurate_percent,reward,cost_percent,points,steps,"
    "compared_reward,compared_cost_percent,compared_accurate_percent,better"
)
VALIDATED = "policy,functions,accurate_percent,reward,cost_percent,points,steps,cheapest_lines_percent,single_rank"
PARAMETERS = ("p", "s", "n")
# What the paper says of its validation (III.D).
_PUBLISHED = "| the paper’s agent, 5% drawn | – | 0.96 | 3.85 | 14 | – | – | – |"


def curve_csv(epochs: Sequence[Epoch]) -> str:
    """Return the learning curve: rewards and costs are those of episodes with an accurate model."""
    lines = [CURVE]
    for each in epochs:
        own, compared = each.trained, each.compared
        numbers = [
            f"{each.epsilon:.4g}",
            str(len(own.accurate)),
            f"{100 * own.share:.4g}",
            f"{own.reward:.5f}",
            f"{100 * own.cost:.5g}",
            f"{own.points.mean():.5g}",
            f"{own.steps.mean():.5g}",
            f"{compared.score:.5f}",
            f"{100 * compared.cost:.5g}",
            f"{100 * compared.share:.4g}",
            str(int(each.better)),
        ]
        lines.append(f"{each.number},{','.join(numbers)}")
    return "\n".join(lines) + "\n"


def validation_csv(outcomes: Mapping[str, EpisodeOutcome]) -> str:
    """Return the outcome of each policy."""
    lines = [VALIDATED]
    for name, each in outcomes.items():
        rank = "" if np.isnan(each.single_rank) else f"{each.single_rank:.4f}"
        lines.append(
            f'"{name}",{len(each.accurate)},{100 * each.share:.4g},{each.reward:.5f},{100 * each.cost:.5g},'
            f"{each.points.mean():.5g},{each.steps.mean():.5g},{100 * each.cheapest.mean():.4g},{rank}"
        )
    return "\n".join(lines) + "\n"


def tables(validation: Validation) -> str:
    """Return the tables of the page."""
    lines = [
        "| policy | accurate (%) | reward | cost (%) | points | all three lines the cheapest (%) "
        "| rank of the lines | rank of single points |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, each in validation.outcomes.items():
        rank = "–" if np.isnan(each.single_rank) else f"{each.single_rank:.2f}"
        lines.append(
            f"| {name} | {100 * each.share:.1f} | {each.reward:.4f} | {100 * each.cost:.2f} | {each.points.mean():.2f} "
            f"| {100 * each.cheapest.mean():.1f} | {each.line_ranks.mean():.2f} | {rank} |"
        )
    lines += [_PUBLISHED, ""]
    number = len(validation.outcomes[AGENT].accurate)
    lines += [
        f"{number} functions, the same for all. Reward (1 − cost) and cost are means over the episodes with an "
        "accurate model, as in the paper. Ranks are among the actions allowed, by the cost that they add: 0 is the "
        "cheapest one, 1 the dearest, chance is about 0.5.",
        "",
        "| line along | where the agent takes it | of the functions (%) |",
        "|---|---|---:|",
    ]
    for at, shares in enumerate(validation.lines):
        for text, share in list(shares.items())[:3]:
            where = re.sub(r"x(\d)", lambda found: PARAMETERS[int(found[1]) - 1], text)
            lines.append(f"| {PARAMETERS[at]} | {where} | {100 * share:.1f} |")
    return "\n".join([*lines, "", verdict(validation), ""])


def verdict(validation: Validation) -> str:
    """Return a sentence about whether the agent found the heuristic."""
    agent, rule = validation.outcomes[AGENT], validation.outcomes[HEURISTIC]
    drawn = validation.outcomes[AGENT_DRAWN]
    lines = 100 * agent.cheapest.mean()
    found = "finds" if lines >= 95 else "finds in part" if agent.line_ranks.mean() < 0.15 else "does not find"
    text = (
        f"**The agent {found} the rule of the cheapest lines again**: it takes the cheapest line of every parameter "
        f"for {lines:.1f} % of the functions, the mean rank of its lines is {agent.line_ranks.mean():.2f}, and it "
        f"spends {100 * agent.cost:.2f} % ({100 * drawn.cost:.2f} % with drawn actions) where the heuristic spends "
        f"{100 * rule.cost:.2f} %."
    )
    taken = int((~np.isnan(agent.single_ranks)).sum())
    if not taken:
        return f"{text} It needed no single point, so nothing can be said of its choice of these."
    small = ", which are too few to tell" if taken < 30 else ""
    return f"{text} Single points were taken for {taken} functions{small}; their mean rank is {agent.single_rank:.2f}."
