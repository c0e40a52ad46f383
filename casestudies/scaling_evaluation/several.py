"""The preset `synthetic-several`: predictions and intervals of two to four parameters on a broad range of functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, ClassVar

from casestudies.evaluation.evaluation import Row
from casestudies.png import small_png
from casestudies.scaling_evaluation.scaling import ScalingEvaluation
from casestudies.scaling_evaluation.several_functions import (
    BANDS,
    LAYOUTS,
    METHODS,
    NOISES,
    PARAMETERS,
    STRUCTURES,
    TARGETS,
    evaluate_several,
)
from splc.io.tables import Cell, Table

WITHIN = tuple(f"within {100 * band:g} %" for band in BANDS)
HOLDS, WIDTH = "90 % intervals hold", "half width %"


@dataclass(frozen=True)
class SeveralEvaluation(ScalingEvaluation):
    """The default learner and Extra-P's, from grids and from few points, with five kinds of noise."""

    preset: ClassVar[str] = "synthetic-several"

    functions: int = 8  # functions per structure in every cell
    seed: int = 2  # of the draws

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task."""
        for parameters in PARAMETERS:
            for points in LAYOUTS:
                for noise in NOISES:
                    cell = {"parameters": parameters, "points": points, "kind of noise": noise}
                    yield f"{parameters} parameters, {points}, {noise}", cell

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return a row per method and target: means over all structures."""
        found = []
        for method in METHODS:
            scores = [
                evaluate_several(
                    cell["parameters"],
                    cell["points"],
                    structure,
                    cell["kind of noise"],
                    number=self.functions,
                    seed=self.seed,
                    intervals=method == "default",
                    method=method,
                )
                for structure in STRUCTURES
            ]
            for own in zip(*scores, strict=True):
                shares = [fmean(each) for each in zip(*(score.within for score in own), strict=True)]
                covered = [score.covered for score in own if score.covered is not None]
                widths = [score.width for score in own if score.width is not None]
                found.append(
                    {
                        **cell,
                        "method": method,
                        "target": own[0].target,
                        "models": sum(score.models for score in own),
                        **dict(zip(WITHIN, shares, strict=True)),
                        HOLDS: fmean(covered) if covered else None,
                        WIDTH: sorted(widths)[len(widths) // 2] if widths else None,
                    }
                )
        return found

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return a table of predictions and one of intervals, over all kinds of noise, and intervals by noise."""
        places = [(parameters, points, target) for parameters in PARAMETERS for points in LAYOUTS
                  for target in TARGETS]  # fmt: skip
        predicted: list[tuple[Cell, ...]] = []
        held: list[tuple[Cell, ...]] = []
        for place in places:
            mine = [row for row in rows if (row["parameters"], row["points"], row["target"]) == place]
            texts = []
            for method in METHODS:
                own = [row for row in mine if row["method"] == method]
                texts.append(" / ".join(f"{fmean(row[name] for row in own):.0f}" for name in WITHIN))
            predicted.append((*place, *texts))
            own = [row for row in mine if row["method"] == "default"]
            by_noise = [fmean(row[HOLDS] for row in own if row["kind of noise"] == noise) for noise in NOISES]
            held.append((*place, fmean(by_noise), *by_noise))
        first = ("parameters", "points", "target")
        return (
            Table((*first, *METHODS), tuple(predicted), f"% of predictions within 5 / 10 / 20 % ({self._drawn()})"),
            Table((*first, "all", *NOISES), tuple(held), f"% of 90 % intervals that hold ({self._drawn()})"),
        )

    def shared(self) -> dict[str, Any]:
        """Return the settings that decide the rows of every cell, in JSON's types."""
        return {"functions": self.functions, "seed": self.seed}

    def picture_names(self) -> tuple[str, ...]:
        """Return the name of the picture."""
        return ("pictures/several.png",)

    def pictures(self, rows: Sequence[Row]) -> dict[str, bytes]:
        """Return predictions within 10 % of all methods, and intervals that hold, at four times the largest values."""
        from casestudies.pictures import grouped_bars

        def shares(method: str, name: str) -> dict[str, float]:
            return {
                f"{parameters}, {points}": fmean(
                    row[name] for row in rows
                    if (row["parameters"], row["points"], row["target"], row["method"])
                    == (parameters, points, "4x", method)
                )
                for parameters in PARAMETERS for points in LAYOUTS
            }  # fmt: skip

        panels = {
            "Predictions within 10 % at four times the largest values, %": {
                method: shares(method, WITHIN[1]) for method in METHODS
            },
            "90 % intervals that hold there, %": {"default": shares("default", HOLDS)},
        }
        return {self.picture_names()[0]: small_png(grouped_bars(panels, self._drawn(), "png"))}

    def _drawn(self) -> str:
        return f"{self.functions * len(STRUCTURES)} functions per cell, {len(NOISES)} kinds of noise, seed {self.seed}"
