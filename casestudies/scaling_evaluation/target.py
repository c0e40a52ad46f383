"""The preset `suggest-target`: the cost of measurements until the value at a target is known (`splc suggest`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from casestudies.evaluation.evaluation import Row
from casestudies.evaluation.panels import panels_picture
from casestudies.pictures import plain_number
from casestudies.scaling_evaluation.synthetic import SyntheticEvaluation
from casestudies.scaling_evaluation.target_functions import target_functions
from casestudies.scaling_evaluation.target_runs import STRATEGIES, UNTIL, TargetExperiment, run
from splc.errors import plural
from splc.io.tables import Cell, Table
from splc.plotting.charts.chart import LOOKS
from splc.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COSTS, INTERVALS = "pictures/cost.png", "pictures/interval.png"
# The cost that counts where a strategy does not get there: that of the whole grid, in percent.
NEVER = 100.0


@dataclass(frozen=True)
class TargetEvaluation(SyntheticEvaluation):
    """Strategies that choose points for the prediction at a target."""

    preset: ClassVar[str] = "suggest-target"

    functions: int | None = 20  # functions per number of parameters
    seed: int = 14  # of the draws
    noise: tuple[float, ...] = (0.02,)  # largest relative deviations of a measurement; one evaluation each
    repetitions: tuple[int, ...] = (4,)  # measurements per point; one evaluation each
    parameters: tuple[int, ...] = (2, 3)  # numbers of parameters, 1 to 4

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task."""
        for noise in self.noise:
            for repetitions in self.repetitions:
                for parameters in self.parameters:
                    for strategy in STRATEGIES:
                        cell = {"noise": noise, "repetitions": repetitions, "parameters": parameters}
                        title = f"{plural(parameters, 'parameter', 'parameters')}, {strategy}, ±{100 * noise:g} %"
                        yield title, {**cell, "strategy": strategy}

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return a row for each step of each function; all strategies get the same measurements."""
        parameters = cell["parameters"]
        number = 20 if self.functions is None else self.functions
        drawn = target_functions(parameters, number, np.random.default_rng([self.seed, parameters]))
        found = []
        for place in range(number):
            experiment = TargetExperiment.of(
                drawn.points,
                drawn.values[place],
                float(drawn.at_target[place]),
                cell["noise"],
                cell["repetitions"],
                (self.seed, parameters, place),
            )
            about = {**cell, "function": place, "kind": drawn.kinds[place]}
            found += [{**about, **step} for step in run(experiment, cell["strategy"])]
        return found

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return a table of costs, and one of the stops."""
        lines: list[tuple[Cell, ...]] = []
        stops: list[tuple[Cell, ...]] = []
        for noise, repetitions, parameters in _settings(rows):
            for strategy in STRATEGIES:
                mine = _runs(rows, noise, repetitions, parameters, strategy)
                costs = np.array([cost_of(steps) for steps in mine])
                counted = np.where(np.isfinite(costs), costs, NEVER)
                lines.append(
                    (
                        parameters, repetitions, 100 * noise, strategy, len(mine), int(np.isfinite(costs).sum()),
                        _short(np.median(counted)), _short(np.exp(np.log(counted).mean())), _short(counted.mean()),
                    )
                )  # fmt: skip
                ends = [steps[-1] for steps in mine if steps[-1]["done"]]
                if strategy == "suggest":
                    stops.append(
                        (
                            parameters, repetitions, 100 * noise, len(mine), len(ends),
                            sum(error_of(row) <= UNTIL for row in ends),
                            sum(row["lower"] <= 1 <= row["upper"] for row in ends),
                            _short(max(map(error_of, ends), default=0.0)),
                            _short(float(np.median([row["cost %"] for row in ends])) if ends else NEVER),
                        )
                    )  # fmt: skip
        shared = ("parameters", "repetitions", "noise ± %")
        costs_of = ("strategy", "functions", "kept", "median cost %", "geometric mean cost %", "mean cost %")
        ends_of = (
            "functions", "stopped", "within 5 %", "interval holds", "largest error %", "median cost %",
        )  # fmt: skip
        return (
            Table((*shared, *costs_of), tuple(lines), "Cost from which on the error at the target is at most 5 %"),
            Table((*shared, *ends_of), tuple(stops), "Stops of suggest with --until 5%"),
        )

    def pictures(self, rows: Sequence[Row]) -> dict[str, bytes]:
        """Return the shares of functions by cost, and intervals at the target as points are added."""
        return {COSTS: _cost_picture(rows), INTERVALS: _interval_picture(rows)}

    def picture_names(self) -> tuple[str, ...]:
        """Return the names of all pictures."""
        return (COSTS, INTERVALS)


def error_of(row: Row) -> float:
    """Return the relative error at the target in percent."""
    return float(100 * abs(row["predicted"] - 1))


def cost_of(steps: Sequence[Row]) -> float:
    """Return the cost from which on the error at the target is at most 5 %; infinite if it is larger at the end."""
    found = np.inf
    for row in reversed(steps):
        if error_of(row) > UNTIL:
            break
        found = row["cost %"]
    return float(found)


def _settings(rows: Sequence[Row]) -> list[tuple[float, int, int]]:
    return list(dict.fromkeys((row["noise"], row["repetitions"], row["parameters"]) for row in rows))


def _runs(rows: Sequence[Row], noise: float, repetitions: int, parameters: int, strategy: str) -> list[list[Row]]:
    """Return the steps of each function."""
    found: dict[int, list[Row]] = {}
    for row in rows:
        if (row["noise"], row["repetitions"], row["parameters"], row["strategy"]) == (
            noise, repetitions, parameters, strategy,
        ):  # fmt: skip
            found.setdefault(row["function"], []).append(row)
    return list(found.values())


def _cost_picture(rows: Sequence[Row]) -> bytes:
    """Return a picture with a panel per number of parameters: the share of functions by cost."""
    from matplotlib.ticker import FuncFormatter

    panels = {_title(*each): each for each in _settings(rows)}

    def draw(axes: Axes, name: str) -> None:
        for look, strategy in zip(LOOKS, STRATEGIES, strict=False):
            mine = [cost_of(steps) for steps in _runs(rows, *panels[name], strategy)]
            costs = sorted(each for each in mine if np.isfinite(each))
            shares = [100 * (place + 1) / len(mine) for place in range(len(costs))]
            if costs:
                axes.step(
                    [*costs, 2 * NEVER], [*shares, shares[-1]], where="post", color=look.color, linestyle=look.dashes,
                    zorder=look.height, label=strategy,
                )  # fmt: skip
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(FuncFormatter(plain_number))
        axes.set_ylim(0, 102)
        axes.set_title(f"{name}: functions whose error is and stays within 5 % (%)", fontsize=8)

    return panels_picture(list(panels), draw, xlabel="cost of the measurements (% of the whole grid)", legend=True)


def _interval_picture(rows: Sequence[Row]) -> bytes:
    """Return a picture of the first two functions of each number of parameters: predictions and intervals."""
    from matplotlib.ticker import FuncFormatter

    chosen = {
        f"{_title(*each)}, function {place + 1}": steps
        for each in _settings(rows)
        for place, steps in enumerate(_runs(rows, *each, "suggest")[:2])
    }

    def draw(axes: Axes, name: str) -> None:
        look, steps = LOOKS[0], chosen[name]
        at = np.arange(1, len(steps) + 1)
        lower, upper, predicted = (np.clip(_column(steps, key), 0.1, 10) for key in ("lower", "upper", "predicted"))
        axes.fill_between(at, lower, upper, color=look.color, alpha=0.2, linewidth=0, label="90 % interval")
        axes.plot(at, predicted, color=look.color, marker=look.marker, markersize=4, label="predicted")
        axes.axhline(1, color="black", linewidth=0.8, label="true")
        axes.set_yscale("log")
        axes.set_ylim(0.1, 10)
        axes.yaxis.set_major_formatter(FuncFormatter(plain_number))
        axes.set_title(f"{name}: value at the target / true value", fontsize=8)

    return panels_picture(list(chosen), draw, xlabel="measured points and repetitions", legend=True)


def _column(steps: Sequence[Row], key: str) -> Array:
    return np.array([row[key] for row in steps], dtype=float)


def _title(noise: float, repetitions: int, parameters: int) -> str:
    return f"{plural(parameters, 'parameter', 'parameters')}, ±{100 * noise:g} %, {repetitions} repetitions"


def _short(value: float) -> float:
    return float(f"{value:.3g}")
