"""The preset `applications`: predictions and intervals on functions like those of applications."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from casestudies.evaluation.evaluation import Row
from casestudies.png import small_png
from casestudies.scaling_evaluation.application_functions import APPLICATIONS, BANDS, METHODS, NOISES, evaluate
from casestudies.scaling_evaluation.scaling import ScalingEvaluation
from splc.io.tables import Cell, Table

WITHIN = tuple(f"within {100 * band:g} %" for band in BANDS)
HOLDS, WIDTH = "90 % intervals hold", "half width %"
_PICTURE = "pictures/applications.png"


@dataclass(frozen=True)
class ApplicationEvaluation(ScalingEvaluation):
    """The default learner and Extra-P's, on functions from published models of applications."""

    preset: ClassVar[str] = "applications"

    functions: int = 100  # functions of each published model in every cell
    seed: int = 21  # of the draws

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task."""
        for name, application in APPLICATIONS.items():
            for layout in application.layouts:
                for noise in NOISES:
                    yield f"{name}, {layout}, {noise}", {"application": name, "points": layout, "noise": noise}

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return a row per method."""
        found = []
        for method in METHODS:
            score = evaluate(
                cell["application"], cell["points"], cell["noise"], method, number=self.functions, seed=self.seed
            )
            shares = dict(zip(WITHIN, score.within, strict=True))
            found.append(
                {**cell, "method": method, "models": score.models, **shares, HOLDS: score.covered, WIDTH: score.width}
            )
        return found

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return a table: predictions of all methods, and intervals of the default."""
        lines: list[tuple[Cell, ...]] = []
        for _, cell in self.cells():
            own = {row["method"]: row for row in rows if cell.items() <= row.items()}
            texts = (" / ".join(f"{own[method][name]:.0f}" for name in WITHIN) for method in METHODS)
            default = own["default"]
            lines.append((*cell.values(), default["models"], *texts, round(default[HOLDS]), round(default[WIDTH], 1)))
        columns = ("application", "points", "noise", "models", *METHODS, "interval holds %", WIDTH)
        title = f"% of predictions within 5 / 10 / 20 %, and 90 % intervals ({self._drawn()})"
        return (Table(columns, tuple(lines), title),)

    def shared(self) -> dict[str, Any]:
        """Return the settings that decide the rows of every cell, in JSON's types."""
        return {"functions": self.functions, "seed": self.seed}

    def picture_names(self) -> tuple[str, ...]:
        """Return the name of the picture."""
        return (_PICTURE,)

    def pictures(self, rows: Sequence[Row]) -> dict[str, bytes]:
        """Return predictions within 10 % of all methods, and intervals that hold, with a misfit (`few`: few points)."""
        from casestudies.pictures import grouped_bars

        def shares(method: str, name: str) -> dict[str, float]:
            return {
                f"{row['application']}{'' if row['points'] == 'all' else ' few'}": float(row[name])
                for row in rows if (row["method"], row["noise"]) == (method, NOISES[-1])
            }  # fmt: skip

        panels = {
            "Predictions within 10 %, % (noise and misfit)": {method: shares(method, WITHIN[1]) for method in METHODS},
            "90 % intervals that hold, %": {"default": shares("default", HOLDS)},
        }
        return {_PICTURE: small_png(grouped_bars(panels, self._drawn(), "png"))}

    def _drawn(self) -> str:
        return f"{self.functions} functions of each published model, seed {self.seed}"
