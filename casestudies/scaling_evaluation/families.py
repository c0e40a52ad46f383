"""The preset `synthetic-families`: models of one parameter under many truths, kinds of noise and sets of points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from casestudies.evaluation.evaluation import Row
from casestudies.png import small_png
from casestudies.scaling_evaluation.family_functions import NOISES, PLACES, POINTS, TRUTHS, draw, scores
from casestudies.scaling_evaluation.scaling import ScalingEvaluation
from splc.io.tables import Cell, Table

DEFAULT, EXTRAP = "default", ("Extra-P 4.2.5, basic", "Extra-P 4.2.5, refining")
LEARNERS: Mapping[str, str] = {DEFAULT: "default", EXTRAP[0]: "basic", EXTRAP[1]: "extrap"}
SHARES = ("exact", "within 2", "within 10")
_PLAIN_NOISE, _PLAIN_POINTS = NOISES[0], next(iter(POINTS))
_PICTURE = "pictures/families.png"


@dataclass(frozen=True)
class FamilyEvaluation(ScalingEvaluation):
    """The default learner against Extra-P's two modelers, in families of functions."""

    preset: ClassVar[str] = "synthetic-families"

    functions: int = 400  # functions per family
    seed: int = 14  # of the draws. No setting of a learner was chosen by what the preset's seed gives

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task: all truths with all noises, and with all sets of points."""
        for truth in TRUTHS:
            families = [(noise, _PLAIN_POINTS) for noise in NOISES]
            families += [(_PLAIN_NOISE, points) for points in POINTS if points != _PLAIN_POINTS]
            for noise, points in families:
                yield f"{truth}, {noise}, {points}", {"truth": truth, "noise": noise, "points": points}

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return a row per learner."""
        drawn = draw(cell["truth"], cell["noise"], cell["points"], self.functions, self.seed)
        return [
            {**cell, "learner": label, **scores(drawn, {"method": method}, label == DEFAULT)}
            for label, method in LEARNERS.items()
        ]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the number of families in which the default is behind or intervals are off, and a row per family."""
        lines: list[tuple[Cell, ...]] = []
        behind = dict.fromkeys(SHARES, 0)
        low, high = dict.fromkeys(PLACES, 0), dict.fromkeys(PLACES, 0)
        for family, mine, best in self._families(rows):
            worse = [share for share in SHARES if self._is_behind(mine[share], best[share])]
            for share in worse:
                behind[share] += 1
            for place in PLACES:
                low[place] += mine[place] < 85
                high[place] += mine[place] > 97
            pairs = (f"{mine[share]:.0f} / {best[share]:.0f}" for share in SHARES)
            lines.append((*family, *pairs, *(mine[place] for place in PLACES), ", ".join(worse)))
        number = len(lines)
        summary: list[tuple[Cell, ...]] = [
            ("more than two standard errors behind", *behind.values(), *[None] * len(PLACES)),
            ("intervals that hold in less than 85 %", *[None] * len(SHARES), *low.values()),
            ("intervals that hold in more than 97 %", *[None] * len(SHARES), *high.values()),
        ]
        drawn = f"{self.functions:,} functions each, seed {self.seed}"
        title = f"Default / the better of Extra-P's modelers, and 90 % intervals that hold, in % ({drawn})"
        return (
            Table(("families", *SHARES, *PLACES), tuple(summary), f"Of {number} families ({drawn})"),
            Table(("truth", "noise", "points", *SHARES, *PLACES, "behind"), tuple(lines), title),
        )

    def pictures(self, rows: Sequence[Row]) -> dict[str, bytes]:
        """Return a picture: shares by truth, and coverage by noise."""
        from casestudies.pictures import grouped_bars

        families = list(self._families(rows))
        panels: dict[str, dict[str, dict[str, float]]] = {}
        for share, title in (("exact", "Exact lead exponents, %"), ("within 10", "Within 10 % at four times, %")):
            panels[title] = {
                label: {
                    truth: float(
                        np.mean([(mine, best)[at][share] for family, mine, best in families if family[0] == truth])
                    )
                    for truth in TRUTHS
                }
                for at, label in enumerate(("default", "the better of Extra-P's modelers"))
            }
        panels["90 % intervals of the default that hold, %"] = {
            place: {
                noise: float(np.mean([mine[place] for family, mine, _ in families if family[1] == noise]))
                for noise in NOISES
            }
            for place in PLACES
        }
        return {_PICTURE: small_png(grouped_bars(panels, f"{self.functions:,} functions per family", "png"))}

    def picture_names(self) -> tuple[str, ...]:
        """Return the name of the picture."""
        return (_PICTURE,)

    def shared(self) -> dict[str, Any]:
        """Return the settings that decide the rows of every cell, in JSON's types."""
        return {"functions": self.functions, "seed": self.seed}

    def _families(self, rows: Sequence[Row]) -> Iterator[tuple[tuple[str, str, str], Row, dict[str, float]]]:
        """Yield truth, noise and points of each family, the default's scores, and the better ones of Extra-P."""
        found: dict[tuple[str, str, str], dict[str, Row]] = {}
        for row in rows:
            found.setdefault((row["truth"], row["noise"], row["points"]), {})[row["learner"]] = row
        for family, learners in found.items():
            yield family, learners[DEFAULT], {share: max(learners[each][share] for each in EXTRAP) for share in SHARES}

    def _is_behind(self, mine: float, best: float) -> bool:
        """Return whether a share is more than two standard errors below another."""
        return mine < best - 2 * float(np.sqrt((mine * (100 - mine) + best * (100 - best)) / self.functions))
