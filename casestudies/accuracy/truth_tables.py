"""The tables of the presets `truth` and `noise`."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from casestudies.accuracy.real_tables import learners_of, mean_of, spread_of, values_of
from casestudies.evaluation.evaluation import Row
from splc.io.tables import Cell, Table

# Probabilities of a sign, and that from which on a sign counts as settled, if enough of the folds have the term.
SETTLED, SUPPORT = 0.95, 0.75
BINS = ((0.5, 0.8), (0.8, 0.95), (0.95, 0.99), (0.99, math.inf))
KINDS = ("additive", "multiplicative")


def tables_of(rows: Sequence[Row]) -> tuple[Table, ...]:
    """Return a table per kind of system, and one of the probabilities of signs."""
    found = [kind_table(rows, kind) for kind in KINDS]
    if any(row.get("influences") for row in rows):
        found.append(sign_table(rows))
    return tuple(found)


def kind_table(rows: Sequence[Row], kind: str) -> Table:
    """Return errors and found terms on additive or multiplicative systems: a row per learner."""
    lines: list[tuple[Cell, ...]] = []
    for learner in learners_of(rows):
        mine = [row for row in rows if (row["learner"], row["kind"]) == (learner, kind)]
        errors = values_of(mine, "error")
        scored = [row for row in mine if row.get("true terms") is not None]
        lines.append(
            (
                learner, len(mine), float(np.median(errors)) if errors else None, spread_of(errors),
                mean_of(values_of(mine, "terms")),
                len(scored) if values_of(mine, "terms") else None,
                *(_share(scored, f"true {name} found", f"true {name}") for name in ("terms", "sets")),
                *(mean_of(values_of(scored, f"false {name}")) for name in ("terms", "sets")),
                mean_of(values_of(mine, "covered")),
                mean_of(values_of(mine, "seconds")),
            )
        )  # fmt: skip
    columns = (
        "learner", "systems", "median error %", "mean error %", "terms", "same form", "true terms found %",
        "true sets found %", "false terms", "false sets", "90 % intervals cover %", "seconds",
    )  # fmt: skip
    return Table(columns, tuple(lines), f"{kind.capitalize()} systems: errors against the true values; terms found")


def sign_table(rows: Sequence[Row]) -> Table:
    """Return how often signs of true terms are right, by the probability that the learner states."""
    lines: list[tuple[Cell, ...]] = []
    for learner in learners_of(rows):
        mine = [row for row in rows if row["learner"] == learner and row.get("influences") is not None]
        for low, high in BINS if mine else ():
            number = total(mine, f"P {low:g}")
            text = f"from {low:g}" if math.isinf(high) else f"{low:g} to {high:g}"
            share = (100 * total(mine, f"P {low:g} {part}") / number if number else None for part in ("sum", "right"))
            lines.append((learner, text, int(number), *share))
        if mine:
            for what, whole, part in (
                ("influence in its 90 % interval", "influences", "influences covered"),
                ("true among terms of a settled sign", "settled", "settled and true"),
            ):
                lines.append((learner, what, int(total(mine, whole)), None, _share(mine, part, whole)))
    columns = ("learner", "probability of the sign", "terms", "mean probability %", "right %")
    return Table(columns, tuple(lines), "Influences of true terms: stated probabilities and how often they are right")


def noise_table(rows: Sequence[Row]) -> Table:
    """Return the share of data sets without influences for which a learner prints terms."""
    lines: list[tuple[Cell, ...]] = []
    for learner in learners_of(rows):
        for style in (None, *dict.fromkeys(row["style"] for row in rows)):
            mine = [row for row in rows if row["learner"] == learner and style in (None, row["style"])]
            terms = values_of(mine, "terms")
            some = [each for each in terms if each > 0]
            share = 100 * len(some) / len(terms) if terms else None
            lines.append((learner, style or "all", len(terms), len(some), share, mean_of(some)))
    columns = ("learner", "systems", "data sets", "with terms", "with terms %", "terms where there are some")
    return Table(columns, tuple(lines), "Pure noise: data sets of 20 to 120 rows whose models have terms")


def total(rows: Sequence[Row], key: str) -> float:
    """Return the sum of the defined numbers under a key."""
    return sum(values_of(rows, key))


def _share(rows: Sequence[Row], part: str, whole: str) -> float | None:
    """Return a sum in percent of another one."""
    number = total(rows, whole)
    return 100 * total(rows, part) / number if number else None
