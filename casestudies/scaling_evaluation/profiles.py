"""The preset `real-profiles`: the last point of lines of real profiles, predicted from the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from casestudies.evaluation.evaluation import Row
from casestudies.png import small_png
from casestudies.real_data import DATA
from casestudies.scaling_evaluation.families import LEARNERS
from casestudies.scaling_evaluation.profile_lines import BANDS, SETS, lines, scores
from casestudies.scaling_evaluation.scaling import ScalingEvaluation
from splc.errors import InputError
from splc.io.tables import Cell, Table

_WITHIN = tuple(f"within {100 * band:g}" for band in BANDS)
_PICTURE = "pictures/profiles.png"


@dataclass(frozen=True)
class ProfileEvaluation(ScalingEvaluation):
    """The default learner against Extra-P's two modelers, on lines of real profiles.

    The profiles are not part of the repository: `casestudies.real_data.DATA` is the folder that has them.
    """

    preset: ClassVar[str] = "real-profiles"

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task."""
        for name in SETS:
            yield name, {"set": name}

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return a row per learner.

        Raises:
            InputError: if the profiles are absent.
        """
        found = lines(cell["set"])
        if not found:
            raise InputError(f"there are no profiles {cell['set']!r} in {DATA}: this evaluation needs these files")
        return [{**cell, "learner": label, **scores(found, {"method": method})} for label, method in LEARNERS.items()]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return a table: sets × learners."""
        columns = ("set", "series", "learner", *_WITHIN, "held")
        found: list[tuple[Cell, ...]] = [tuple(row[name] for name in columns) for row in rows]
        title = "Predictions of the last point within 5, 10, 20 %, and 90 % intervals that hold it, %"
        return (Table(columns, tuple(found), title),)

    def pictures(self, rows: Sequence[Row]) -> dict[str, bytes]:
        """Return a picture: a panel per band."""
        from casestudies.pictures import grouped_bars

        panels = {
            f"{each} %, % of series": {
                label: {row["set"]: float(row[each]) for row in rows if row["learner"] == label} for label in LEARNERS
            }
            for each in _WITHIN
        }
        return {_PICTURE: small_png(grouped_bars(panels, "The last point of real profiles", "png"))}

    def picture_names(self) -> tuple[str, ...]:
        """Return the name of the picture."""
        return (_PICTURE,)
