"""The evaluation: every cell with everything switched on, then with one switch off after the other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, ClassVar

import splc.learning
import splc.scaling
import splc.tuning
from casestudies.ablation import cells
from casestudies.ablation.cells import CELLS, figures_of
from casestudies.ablation.switches import SWITCHES, switched_off
from casestudies.evaluation.evaluation import Evaluation, Row, hash_of
from splc.io.tables import Table

# The run with everything switched on.
NOTHING = "nothing"
FIGURES = ("error", "printed", "terms", "covered")
# Errors below this, in percent, are alike: they are roundoff.
LEAST = 0.1
# What is worth less, on the mean and in its worst cell, in percent, goes.
MEAN, WORST = 1.0, 3.0
# Fewer changed cells do not show what something is worth.
FEWEST = 3
COLUMNS = (
    "switched off", "cells", "error, mean", "worst", "best", "printed, mean", "its worst", "its best", "terms",
    "intervals hold", "CPU", "worth", "file",
)  # fmt: skip


@dataclass(frozen=True)
class AblationEvaluation(Evaluation):
    """The errors of a package with one of its special cases switched off."""

    preset: ClassVar[str] = "ablation"
    # Where the code has changed, finished tasks are run again.
    folders: ClassVar[tuple[Path, ...]] = tuple(
        Path(str(each.__file__)).parent for each in (splc.learning, splc.scaling, splc.tuning)
    )

    package: str = "learning"  # the package, a key of `SWITCHES`
    most: int | None = None  # at most so many switches, the first ones; None: all

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task: a switch, on all cells."""
        for name in (NOTHING, *list(SWITCHES[self.package])[: self.most]):
            yield name, {"switch": name}

    def shared(self) -> dict[str, Any]:
        """Return what decides the rows of every cell: the package, and the source of the cells."""
        return {"package": self.package, "cells": hash_of(Path(cells.__file__))}

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return a row per cell."""
        # What is read and drawn before is not in the CPU time.
        work = list(CELLS[self.package]())
        with switched_off(SWITCHES[self.package].get(cell["switch"], {})):
            return [{"switch": cell["switch"], "cell": name, **figures_of(each)} for name, each in work]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the table of changes."""
        return (changes_table(rows, self.package),)


# The mean, the worst and the best change over cells; None without a figure.
Change = tuple[float, float, float] | tuple[None, None, None]


def changes_table(rows: Sequence[Row], package: str) -> Table:
    """Return a line per switch: what errors, terms, coverage and CPU time become without it."""
    shares = package in ("scaling", "several")
    by_switch: dict[str, dict[str, Row]] = {}
    for row in rows:
        by_switch.setdefault(row["switch"], {})[row["cell"]] = row
    base = by_switch.pop(NOTHING)
    lines = []
    for name, found in by_switch.items():
        pairs = [(base[cell], row) for cell, row in found.items()]
        error, printed = (changes(pairs, figure, shares) for figure in ("error", "printed"))
        terms, covered = (changes(pairs, figure, True)[0] for figure in ("terms", "covered"))
        ratio = sum(after["cpu"] for _, after in pairs) / sum(before["cpu"] for before, _ in pairs)
        changed = sum(any(before.get(each) != after.get(each) for each in FIGURES) for before, after in pairs)
        files = {"/".join(part for part in path.split(".")[:-1] if part.islower()) for path in SWITCHES[package][name]}
        worth = worth_of(error, printed, covered)
        worth = "rare" if worth and changed < FEWEST else worth
        lines.append((name, changed, *error, *printed, terms, covered, ratio, worth, ", ".join(sorted(files))))
    unit = "percentage points" if shares else "percent"
    return Table(COLUMNS, tuple(lines), f"Changes in {unit} where one thing is switched off; above 0 errors are larger")


def changes(pairs: Sequence[tuple[Row, Row]], figure: str, shares: bool) -> Change:
    """Return the mean, the worst and the best change of a figure over cells; `shares`: differences, else ratios."""
    known = [(before[figure], after[figure]) for before, after in pairs if after.get(figure) is not None]
    if not known:
        return None, None, None
    if shares:
        found = [after - before for before, after in known]
        return fmean(found), max(found), min(found)
    logs = [math.log(max(after, LEAST) / max(before, LEAST)) for before, after in known]
    return 100 * math.expm1(fmean(logs)), 100 * math.expm1(max(logs)), 100 * math.expm1(min(logs))


def worth_of(error: Change, printed: Change, covered: float | None) -> str:
    """Return `nothing` if errors and intervals are as good without something; `mixed` if only single cells change.

    These are better then by as much as others are worse, and the mean is the same.
    """
    known = [(each[0], each[1], each[2]) for each in (error, printed) if each[0] is not None]
    if abs(covered or 0.0) >= MEAN or any(mean >= MEAN for mean, _, _ in known):
        return ""
    if all(worst < WORST for _, worst, _ in known):
        return "nothing"
    return "mixed" if all(worst < WORST or -best >= worst for _, worst, best in known) else ""
