"""The preset `synthetic-quoted`: what Learning Cost-Effective Sampling Strategies states of its Fig. 5, beside ours.

*Like for like*: functions with small terms are not left out, as the paper names no such rule. *Cost*: the paper has two
definitions. Section IV takes the value of the function for the cost of a point, section III.B core hours, p times the
value. Points are taken in the order of core hours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from casestudies.evaluation.evaluation import Row
from casestudies.scaling_evaluation.scaling import ScalingEvaluation
from casestudies.scaling_evaluation.sparse_functions import BANDS, LEAST, NUMBERS, SparseScore, evaluate_sparse
from splc.io.tables import Table


@dataclass(frozen=True)
class Quotation:
    """A number of section IV."""

    # What it is about.
    parameters: int
    repetitions: int
    noise: float
    points: int
    band: float  # the largest relative error of the predictions that count
    share: float  # the published percentage of models
    cost: float | None = None  # the published cost in percent of all points; None: not stated

    @property
    def cell(self) -> dict[str, Any]:
        """The measurements that it is about."""
        return {"parameters": self.parameters, "repetitions": self.repetitions, "noise": self.noise}


# The paper's words: "over 92", "almost 97", "about 86", "over 92"; "more than 93", "over 98", 82, 86.5; 93,
# "almost 74", 77, 85; 76, 90, "around 60", "around 71" ("less than 0.45 %"), "about 90"; "almost 69", "over 87",
# "over 95".
QUOTATIONS = (
    Quotation(1, 4, 0.05, 5, 0.05, 92),
    Quotation(1, 4, 0.05, 5, 0.10, 97),
    Quotation(1, 2, 0.05, 5, 0.05, 86),
    Quotation(1, 2, 0.05, 5, 0.10, 92),
    Quotation(2, 4, 0.05, 25, 0.05, 93),
    Quotation(2, 4, 0.05, 25, 0.10, 98),
    Quotation(2, 4, 0.05, 11, 0.05, 82, 12.7),
    Quotation(2, 4, 0.05, 11, 0.10, 86.5, 12.7),
    Quotation(3, 4, 0.05, 125, 0.05, 93),
    Quotation(3, 4, 0.05, 15, 0.05, 74, 1.8),
    Quotation(3, 4, 0.05, 25, 0.05, 77, 2.4),
    Quotation(3, 4, 0.05, 25, 0.15, 85, 2.4),
    Quotation(4, 2, 0.05, 625, 0.05, 76),
    Quotation(4, 6, 0.05, 625, 0.05, 90),
    Quotation(4, 6, 0.05, 17, 0.20, 60),
    Quotation(4, 6, 0.05, 25, 0.20, 71, 0.45),
    Quotation(4, 6, 0.05, 250, 0.20, 90, 4.74),
    Quotation(4, 2, 0.01, 17, 0.05, 69),
    Quotation(4, 2, 0.01, 25, 0.05, 87),
    Quotation(4, 6, 0.01, 250, 0.05, 95),
)
COLUMNS = ("parameters", "repetitions", "noise %", "points", "within %", "published %")
LIKE, WITHOUT = "like for like %", "without small terms %"
COSTS = ("published cost %", "cost %, value", "cost %, core hours", "cost %, core hours, without small terms")
SUMS = ("sums %", "sums %, without small terms")


@dataclass(frozen=True)
class QuotedEvaluation(ScalingEvaluation):
    """The default learner where the paper states a number: functions with small terms, and without."""

    preset: ClassVar[str] = "synthetic-quoted"

    functions: int | None = None  # functions per number of parameters; None: as many as `sparse_functions.NUMBERS` has
    seed: int = 1  # of the draws

    def shared(self) -> dict[str, Any]:
        """Return the settings that decide the rows of every cell, in JSON's types."""
        return {"functions": self.functions, "seed": self.seed}

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task: the measurements that quotations are about."""
        found: list[dict[str, Any]] = []
        for each in QUOTATIONS:
            if each.cell not in found:
                found.append(each.cell)
        for cell in found:
            yield ", ".join(f"{value:g} {name}" for name, value in cell.items()), cell

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return a row per quotation."""
        quotations = [each for each in QUOTATIONS if each.cell == cell]
        points = sorted({each.points for each in quotations})
        scores: list[dict[int, SparseScore]] = []
        sums = []
        for least in (0.0, LEAST):
            found, drawn = evaluate_sparse(
                cell["parameters"],
                number=self.functions,
                seed=self.seed,
                points=points,
                noise=cell["noise"],
                repetitions=cell["repetitions"],
                least=least,
            )
            scores.append({score.points: score for score in found})
            sums.append(100 * float(drawn.sums.mean()))
        like, without = scores
        return [_row(each, like[each.points], without[each.points], sums) for each in quotations]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the table of all quotations."""
        columns = (*COLUMNS, LIKE, WITHOUT, *COSTS, *SUMS)
        numbers = " / ".join(f"{NUMBERS[m] if self.functions is None else self.functions:,}" for m in NUMBERS)
        caption = f"Fig. 5 where the paper states numbers ({numbers} functions of 1 / 2 / 3 / 4 parameters)"
        return (Table(columns, tuple(tuple(row[name] for name in columns) for row in rows), caption),)


def _row(quotation: Quotation, like: SparseScore, without: SparseScore, sums: Sequence[float]) -> dict[str, Any]:
    band = BANDS.index(quotation.band)
    about = (quotation.parameters, quotation.repetitions, 100 * quotation.noise, quotation.points, 100 * quotation.band)
    costs = (quotation.cost, like.value_cost, like.cost, without.cost)
    return {
        **dict(zip(COLUMNS, (*about, quotation.share), strict=True)),
        LIKE: like.within[band],
        WITHOUT: without.within[band],
        **dict(zip(COSTS, costs, strict=True)),
        **dict(zip(SUMS, sums, strict=True)),
    }
