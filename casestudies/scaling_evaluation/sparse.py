"""The preset `synthetic-sparse`: models from few points (Learning Cost-Effective Sampling Strategies, Fig. 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from casestudies.evaluation.evaluation import Row
from casestudies.png import small_png
from casestudies.scaling_evaluation.sparse_functions import BANDS, NUMBERS, POINTS, evaluate_sparse
from casestudies.scaling_evaluation.synthetic import SyntheticEvaluation
from splc.errors import plural
from splc.io.tables import Cell, Table

if TYPE_CHECKING:
    from casestudies.pictures import Stack

WITHIN = tuple(f"within {100 * band:g} %" for band in BANDS)
LEFT_OUT = "left out: "


@dataclass(frozen=True)
class SparseEvaluation(SyntheticEvaluation):
    """The default learner, on functions of one to four parameters, from the cheapest points and from all."""

    preset: ClassVar[str] = "synthetic-sparse"

    functions: int | None = None  # functions per number of parameters; None: as many as `sparse_functions.NUMBERS` has
    seed: int = 1  # of the draws
    noise: tuple[float, ...] = (0.01, 0.02, 0.05)  # largest relative deviations of a measurement; one evaluation each
    repetitions: tuple[int, ...] = (2, 4, 6)  # measurements per point; one evaluation each
    parameters: tuple[int, ...] = tuple(POINTS)  # numbers of parameters, 1 to 4

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task."""
        for noise in self.noise:
            for repetitions in self.repetitions:
                for parameters in self.parameters:
                    cell = {"noise": noise, "repetitions": repetitions, "parameters": parameters}
                    yield f"{_what(cell)}, ±{100 * noise:g} %", cell

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return a row for each number of points."""
        scores, drawn = evaluate_sparse(
            cell["parameters"],
            number=self.functions,
            seed=self.seed,
            noise=cell["noise"],
            repetitions=cell["repetitions"],
        )
        return [
            {
                **cell,
                "points": score.points,
                "models": score.models,
                **dict(zip(WITHIN, score.within, strict=True)),
                "sums within 5 %": score.sums,
                "products within 5 %": score.products,
                "cost %": score.cost,
                "sums %": 100 * float(drawn.sums.mean()),
                **{LEFT_OUT + reason: number for reason, number in drawn.left_out.items()},
            }
            for score in scores
        ]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return a table per noise, and one of the drawn functions."""
        columns = (
            "parameters", "repetitions", "points", *WITHIN, "sums within 5 %", "products within 5 %", "cost %",
        )  # fmt: skip
        found = []
        for noise in self.noise:
            mine = [row for row in rows if row["noise"] == noise]
            # As in the paper's figure: by the number of parameters, then of repetitions.
            mine.sort(key=lambda row: (self.parameters.index(row["parameters"]), row["repetitions"], row["points"]))
            lines = tuple(tuple(row[name] for name in columns) for row in mine)
            found.append(Table(columns, lines, f"% of models by their error at the next point ({self._drawn(noise)})"))
        return (*found, self._left_out(rows))

    def pictures(self, rows: Sequence[Row]) -> dict[str, bytes]:
        """Return a picture per noise: a row of panels per number of parameters, a column per number of repetitions."""
        from casestudies.pictures import stacked_bars

        found = {}
        for noise, name in zip(self.noise, self.picture_names(), strict=True):
            panels = [
                [_stack(rows, {"noise": noise, "parameters": parameters, "repetitions": each})
                 for each in self.repetitions]
                for parameters in self.parameters
            ]  # fmt: skip
            found[name] = small_png(stacked_bars(panels, WITHIN, self._drawn(noise), "png"), 32)
        return found

    def _drawn(self, noise: float) -> str:
        each = " / ".join(f"{self._number(m):,}" for m in self.parameters)
        what = f"{' / '.join(map(str, self.parameters))} parameter{'s' * (self.parameters != (1,))}"
        return f"{each} functions of {what}, ±{100 * noise:g} % noise, seed {self.seed}"

    def _number(self, parameters: int) -> int:
        return NUMBERS[parameters] if self.functions is None else self.functions

    def _left_out(self, rows: Sequence[Row]) -> Table:
        """Return the numbers of drawn and rejected functions, which do not depend on noise and repetitions."""
        first = {row["parameters"]: row for row in reversed(rows)}
        reasons = [name for name in rows[0] if name.startswith(LEFT_OUT)]
        lines: list[tuple[Cell, ...]] = [
            (m, self._number(m), first[m]["sums %"], *(first[m][reason] for reason in reasons)) for m in self.parameters
        ]
        return Table(("parameters", "functions", "sums %", *reasons), tuple(lines), "The functions")


def _what(cell: Mapping[str, Any]) -> str:
    size = plural(cell["parameters"], "parameter", "parameters")
    return f"{size}, {plural(cell['repetitions'], 'repetition', 'repetitions')}"


def _stack(rows: Sequence[Row], cell: Mapping[str, Any]) -> Stack:
    """Return the bars of a panel."""
    from casestudies.pictures import Stack

    mine = [row for row in rows if all(row[name] == value for name, value in cell.items())]
    return Stack(
        _what(cell),
        tuple(f"{row['points']}\n{row['cost %']:.3g} %" for row in mine),
        tuple(tuple(row[name] for name in WITHIN) for row in mine),
    )
