"""The output of `splc tune --replay`."""

from __future__ import annotations

from dataclasses import dataclass

from splc.cli.show.blocks import Column, columns, counted, show_rows
from splc.cli.terminal import say
from splc.data.property_unit import quantity
from splc.io.json_object import JsonObject, at, each
from splc.io.numbers import percentage
from splc.tuning.replay import Replay
from splc.workflows.tune import ReplayResult

# A configuration counts as equally good if it is worse than the best one by at most this percentage.
NEAR = 1.0


class ReplayObject(JsonObject):
    """A replay: its values in the order of measurement, and how good the configuration is that it found."""

    seed: int
    budget: int
    values: list[float | None]
    best: float | None
    rank_percent: float | None
    regret: float | None
    hypervolume_percent: float | None


class TuneReplaysObject(JsonObject, schema="splc.tune.replays/1"):
    """Replays of tuning runs on the rows of a table."""

    nfp: str
    unit: str | None
    maximize: bool
    configurations: int
    optimum: float | None
    front: int | None
    random_hypervolume_percent: dict[str, float] = at(
        lambda result: {str(budget): share for budget, share in result.random.items()}
    )
    replays: list[ReplayObject]
    interrupted: bool
    notes: list[str] = each("notes", "text")


@dataclass(frozen=True)
class BudgetSummary:
    """The replays with one budget.

    Attributes:
        budget: the budget.
        rank: the mean share of better configurations, in percent.
        random: that of as many random runs.
        regret: the mean regret in percent; None where it is not defined.
        worst: the largest one.
        near: the share of replays within 1 % of the best; None where it is not defined.
        total: the mean sum of all values, such as the time that the runs take.
    """

    budget: int
    rank: float
    random: float
    regret: float | None
    worst: float | None
    near: float | None
    total: float

    @classmethod
    def of(cls, budget: int, replays: list[Replay]) -> BudgetSummary:
        """Return the summary of replays with one budget."""
        n = len(replays)
        regrets = [replay.regret for replay in replays if replay.regret is not None]
        defined = len(regrets) == n
        return cls(
            budget,
            sum(replay.rank_percent or 0.0 for replay in replays) / n,
            100 / (budget + 1),
            sum(regrets) / n if defined else None,
            max(regrets) if defined else None,
            100 * sum(regret <= NEAR for regret in regrets) / n if defined else None,
            sum(sum(value for value in replay.values if value is not None) for replay in replays) / n,
        )


def show(result: ReplayResult) -> None:
    """Print how good the found configurations are, by budget, and each replay if there is one budget."""
    by_budget: dict[int, list[Replay]] = {}
    for replay in result.replays:
        by_budget.setdefault(replay.budget, []).append(replay)
    detailed = len(by_budget) == 1 and len(result.replays) > 1
    if result.front is not None:
        _show_fronts(result, by_budget, detailed=detailed)
        return
    assert result.optimum is not None
    say(
        f"best {result.nfp} of {counted(result.configurations, 'configuration')}: "
        f"{quantity(result.optimum, result.unit)}"
    )
    if detailed:
        shown = (*columns("seed, best"), *columns("better = rank_percent, regret", _percent))
        show_rows(result.replays, shown)
        say()
    rows = [BudgetSummary.of(budget, replays) for budget, replays in by_budget.items()]
    time = Column("all runs take", "total", lambda value: quantity(value, result.unit, 3), right=True)
    show_rows(
        rows,
        (
            Column("runs", "budget"),
            *columns("better configurations = rank, of random runs = random", _percent),
            *columns("regret, largest regret = worst, within 1 % = near", _percent),
            *((time,) if result.unit in ("s", "ms", "µs", "ns", "min", "h") else ()),
        ),
    )


def _show_fronts(result: ReplayResult, by_budget: dict[int, list[Replay]], *, detailed: bool) -> None:
    """Print how much of the table's Pareto front is found, by budget."""
    names = " and ".join(f"{'greatest' if goal.maximize else 'least'} {goal.nfp}" for goal in result.goals)
    front = counted(result.front or 0, "configuration")
    say(f"front of {names}: {front} of {result.configurations:,}")
    if detailed:
        show_rows(result.replays, (*columns("seed"), *columns("hypervolume = hypervolume_percent", _percent)))
        say()
    rows = []
    for budget, replays in by_budget.items():
        shares = [replay.hypervolume_percent or 0.0 for replay in replays]
        mean = sum(shares) / len(shares)
        rows.append({"budget": budget, "mean": mean, "least": min(shares), "random": result.random[budget]})
    show_rows(
        rows,
        (
            Column("runs", "budget"),
            *columns("hypervolume of the front = mean, least, of random runs = random", _percent),
        ),
    )


def _percent(value: float) -> str:
    return percentage(value, 2)
