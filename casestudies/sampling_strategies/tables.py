"""The tables: median errors by strategy and size, and ratios to the errors of random configurations."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from casestudies.evaluation.evaluation import Row
from casestudies.sampling_strategies.strategies import BINARY, NUMERIC, RANDOM
from splc.io.tables import Cell, Table

# Size → strategy → rows.
Groups = Mapping[tuple[str, str], Mapping[str, list[Row]]]


def groups_of(rows: Sequence[Row], own: bool) -> Groups:
    """Return (system, size) → strategy → rows, of designs with sizes of their own or of all others, in order."""
    found: dict[tuple[str, str], dict[str, list[Row]]] = {}
    for row in rows:
        found.setdefault((row["system"], str(row["size"])), {}).setdefault(row["strategy"], []).append(row)
    return {key: group for key, group in found.items() if (key[1] in group) == own}


def median_of(rows: Sequence[Row]) -> float:
    """Return the median error over the seeds."""
    return float(np.median([row["error"] for row in rows]))


def size_text(rows: Sequence[Row]) -> str:
    """Return the number of configurations; the least and the greatest where it depends on the seed."""
    numbers = sorted({row["rows"] for row in rows})
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"


def kind_of(system: str) -> str:
    """Return the kind of the options of a system."""
    return "binary options" if system in BINARY else "numeric options" if system in NUMERIC else "both kinds of options"


def ratio_table(rows: Sequence[Row]) -> Table:
    """Return error / error of random configurations by strategy, geometric means over the systems of a kind."""
    groups = groups_of(rows, own=False)
    columns = list(dict.fromkeys((kind_of(system), size) for system, size in groups))
    strategies = list(dict.fromkeys(name for group in groups.values() for name in group))
    lines: list[tuple[Cell, ...]] = []
    for strategy in strategies:
        cells: list[Cell] = []
        for column in columns:
            own = [group for (system, size), group in groups.items() if (kind_of(system), size) == column]
            ratios = [median_of(group[strategy]) / median_of(group[RANDOM]) for group in own if strategy in group]
            cells.append(math.exp(np.mean(np.log(ratios))) if ratios else None)
        lines.append((strategy, *cells))
    titles = (f"{kind}, {size}" for kind, size in columns)
    caption = "Error / error of random configurations of the same number, geometric mean over the systems"
    return Table(("strategy", *titles), tuple(lines), caption)


def kind_tables(rows: Sequence[Row]) -> list[Table]:
    """Return a table of median errors for each kind of options: a row per system and size, a column per strategy."""
    tables = []
    groups = groups_of(rows, own=False)
    for kind in dict.fromkeys(kind_of(system) for system, _ in groups):
        mine = {key: group for key, group in groups.items() if kind_of(key[0]) == kind}
        strategies = list(dict.fromkeys(name for group in mine.values() for name in group))
        lines: list[tuple[Cell, ...]] = [
            (
                system,
                size_text(group[RANDOM]) + ("" if size.isdecimal() else f" ({size})"),
                *(median_of(group[name]) if name in group else None for name in strategies),
            )
            for (system, size), group in mine.items()
        ]
        columns = ("system", "configurations", *strategies)
        tables.append(Table(columns, tuple(lines), f"Systems with {kind}: error in %, median over the seeds"))
    return tables


def own_table(rows: Sequence[Row]) -> Table:
    """Return the median errors of designs with sizes of their own, beside those of random configurations."""
    lines: list[tuple[Cell, ...]] = []
    for (system, design), group in groups_of(rows, own=True).items():
        ours, random = (median_of(group[name]) for name in (design, RANDOM))
        lines.append((system, design, size_text(group[design]), ours, random, ours / random))
    columns = ("system", "design", "configurations", "error %", "error % (random)", "error / error (random)")
    return Table(columns, tuple(lines), "Designs with sizes of their own, and random configurations of the same number")


def all_tables(rows: Sequence[Row]) -> tuple[Table, ...]:
    """Return all tables."""
    return ratio_table(rows), *kind_tables(rows), own_table(rows)
