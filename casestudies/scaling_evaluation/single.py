"""The preset `synthetic-single`: models of one parameter (Following the Blind Seer, Fig. 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from casestudies.evaluation.evaluation import Row
from casestudies.png import small_png
from casestudies.scaling_evaluation.single_functions import KINDS, LEARNERS, NOISE, POINTS, evaluate
from casestudies.scaling_evaluation.synthetic import SyntheticEvaluation
from splc.io.tables import Cell, Table

SHARES = {
    "exact": "Models with exactly the lead exponents of the function, %",
    "within": "Predictions within the noise at four times the largest x, %",
    "covered": "90 % intervals that hold a new measurement at four times the largest x, %",
}


@dataclass(frozen=True)
class SingleEvaluation(SyntheticEvaluation):
    """Learners of one parameter, on seven classes of functions at four sets of five points."""

    preset: ClassVar[str] = "synthetic-single"

    functions: int = 1000  # functions per class
    seed: int = 20170828  # of the draws. No setting of a learner was chosen by what the preset's seed gives
    # largest relative deviations of a measurement, and of a prediction that counts; one evaluation each
    noise: tuple[float, ...] = (NOISE,)
    # labels of the learners, see `casestudies.scaling_evaluation.single_functions.LEARNERS`
    learners: tuple[str, ...] = tuple(LEARNERS)

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task."""
        for noise in self.noise:
            for kind in KINDS:
                for learner in self.learners:
                    yield f"{learner}: {kind}, ±{100 * noise:g} %", {"noise": noise, "kind": kind, "learner": learner}

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the row of a class and a learner."""
        learner = {cell["learner"]: LEARNERS[cell["learner"]]}
        scores = evaluate(
            learner, number=self.functions, seed=self.seed, kinds=[cell["kind"]], noise=cell["noise"], intervals=True
        )
        return [{"noise": cell["noise"], **asdict(score)} for score in scores]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return a table per noise and kind of share: learners × classes."""
        found = []
        for noise in self.noise:
            for share, title in SHARES.items():
                shares = _shares(rows, noise, share)
                lines: list[tuple[Cell, ...]] = [
                    (each, *(shares[each][kind] for kind in KINDS))
                    for each in self.learners
                    if share != "covered" or any(value is not None for value in shares[each].values())
                ]
                found.append(Table(("learner", *KINDS), tuple(lines), f"{title} ({self._drawn(noise)})"))
        return tuple(found)

    def pictures(self, rows: Sequence[Row]) -> dict[str, bytes]:
        """Return a picture per noise: exact lead exponents above, predictions below."""
        from casestudies.pictures import grouped_bars

        found = {}
        for noise, name in zip(self.noise, self.picture_names(), strict=True):
            panels = {title: _shares(rows, noise, share) for share, title in SHARES.items() if share != "covered"}
            found[name] = small_png(grouped_bars(panels, self._drawn(noise), "png"))
        return found

    def _drawn(self, noise: float) -> str:
        each = f"{self.functions:,} functions per class × {len(POINTS)} sets of points"
        return f"{each}, ±{100 * noise:g} % noise, seed {self.seed}"


def _shares(rows: Sequence[Row], noise: float, share: str) -> dict[str, dict[str, float]]:
    """Return learner → class → share."""
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        if row["noise"] == noise:
            found.setdefault(row["learner"], {})[row["kind"]] = row[share]
    return found
