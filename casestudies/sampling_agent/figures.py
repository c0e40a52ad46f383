"""The learning curve (Fig. 4 of the paper), and the agent's points and costs beside the heuristic's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from casestudies.pictures import BLACK, DARK, FAINT, GREY, LIGHT
from casestudies.png import small_png
from casestudies.sampling_agent.training import Epoch
from casestudies.sampling_agent.validation import AGENT, CHANCE, HEURISTIC, Validation
from splc.plotting.style import drawing, new_figure, saved


def learning_curve(epochs: Sequence[Epoch], validation: Validation | None = None) -> bytes:
    """Return the reward and the cost of each epoch as PNG.

    `epochs`: in order.
    """
    with drawing():
        figure = new_figure(8, 3.6)
        rewards, costs = figure.subplots(1, 2)
        numbers = [each.number for each in epochs]
        for axes, name, key, factor in ((rewards, "reward, 1 − c", "reward", 1), (costs, "cost c in %", "cost", 100)):
            own = [factor * getattr(each.trained, key) for each in epochs]
            compared = [factor * getattr(each.compared, key) for each in epochs]
            axes.plot(numbers, own, color=DARK, label="training, with drawn actions")
            axes.plot(numbers, compared, color=LIGHT, linewidth=0.8, label="compared after each epoch, none drawn")
            if validation is not None:
                level = factor * getattr(validation.outcomes[HEURISTIC], key)
                axes.axhline(level, color=BLACK, linestyle="--", linewidth=0.8, label="heuristic")
            axes.set(xlabel="epoch", ylabel=name)
            axes.grid(color=FAINT)
            axes.set_axisbelow(True)
        costs.set_ylim(bottom=0)
        rewards.legend(loc="lower right", fontsize=8)
        return small_png(saved(figure, "png"))


def against_heuristic(validation: Validation) -> bytes:
    """Return the cost of each function, and how many points were taken, by the agent and by the heuristic, as PNG."""
    outcomes = validation.outcomes
    with drawing():
        figure = new_figure(8, 3.6)
        costs, points = figure.subplots(1, 2)
        for name, color in ((CHANCE, GREY), (AGENT, DARK), (HEURISTIC, LIGHT)):
            own = np.sort(100 * outcomes[name].costs)
            costs.plot(own, 100 * (np.arange(len(own)) + 1) / len(own), color=color, label=name)
        costs.set(xscale="log", xlabel="cost c in % of all points", ylabel="% of the functions with at most this cost")
        costs.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        costs.grid(color=FAINT)
        costs.legend(fontsize=8)
        names = (CHANCE, AGENT, HEURISTIC)
        largest = max(int(outcomes[name].points.max()) for name in names)
        smallest = min(int(outcomes[name].points.min()) for name in names)
        where = np.arange(smallest, largest + 1)
        for at, (name, color) in enumerate(zip(names, (GREY, DARK, LIGHT), strict=True)):
            shares = [100 * float((outcomes[name].points == each).mean()) for each in where]
            points.bar(where + 0.27 * (at - 1), shares, width=0.27, color=color, label=name)
        points.set(xlabel="points taken", ylabel="% of the functions")
        points.grid(color=FAINT, axis="y")
        points.set_axisbelow(True)
        points.legend(fontsize=8)
        return small_png(saved(figure, "png"))
