"""The main figures of what was measured and learned beyond the thesis, one column per case."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from casestudies.evaluation.evaluation import Row, rows_of
from splc.io.tables import Cell, Table

FOLDER = Path(__file__).parents[1]
CASES = ("SMG2000 1-D", "SMG2000 2-D", "SMG2000 3-D", "BoomerAMG")
# The number of runs that a formula and a learner share.
FEW = 9


def _figures(name: str, kept: Callable[[Row], bool], keys: Mapping[str, Sequence[str]]) -> list[tuple[Cell, ...]]:
    """Return a line per title: the least of the means of its columns, for each system in the order of the rows."""
    rows = rows_of(FOLDER / name / "table.csv")
    systems = list(dict.fromkeys(row["system"] for row in rows))
    found: list[tuple[Cell, ...]] = []
    for title, columns in keys.items():
        own = [[row for row in rows if row["system"] == system and kept(row)] for system in systems]
        means = (min(float(np.mean([row[key] for row in each])) for key in columns) for each in own)
        found.append((title, *means))
    return found


def _is_of(counts: str, row: Row) -> bool:
    return bool(row["counts"] == counts)


def figures() -> Table:
    """Return the main figures: runs in new blocks, counts and costs, and formulas with a few runs."""
    lines = _figures(
        "two_cores/blocks",
        lambda row: row["fold"] != "day 2",
        {"stated for a run in a new block": ["stated"], "true, blocks held out": ["true"]},
    )
    for title, counts in (("formula", "formula of the thesis"), ("models of counts", "models of counts")):
        keys = {f"{title}, unit costs estimated": ["held-out error"]}
        lines += _figures("counts/costs", partial(_is_of, counts), keys)
    lines += _figures("counts/costs", lambda _: True, {"another run of a configuration": ["repeated error"]})
    lines += _figures(
        "grey_box/few",
        lambda row: row["rows"] == FEW,
        {
            f"{FEW} runs: formula with its best factor": ["factor, relative", "factor, log"],
            f"{FEW} runs: learned alone": ["alone"],
            f"{FEW} runs: learned with the formula": ["with formula"],
        },
    )
    return Table(("error (%)", *CASES), tuple(lines), "Beyond the thesis: errors on what was not learned from")
