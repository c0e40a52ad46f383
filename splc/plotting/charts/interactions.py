"""Interactions of pairs of options as a heat map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from splc.io.numbers import share_text
from splc.plotting.charts.chart import Axis, Chart, HeatCells, Panel

# The greatest number of options.
MAX_OPTIONS = 12


def interaction_chart(options: Sequence[str], shares: Mapping[frozenset[str], float], quantity: str) -> Chart:
    """Return a chart of the shares of pairs of options; options of no pair are left out.

    Args:
        options: the options, the most important first.
        shares: two options → the share of their interaction in the variance, in percent.
        quantity: what is predicted.
    """
    pairs = {names: share for names, share in shares.items() if len(names) == 2}
    shown = [name for name in options if any(name in names for names in pairs)][:MAX_OPTIONS]
    count = len(shown)
    shades = np.full((count, count), np.nan)
    texts, names = [[""] * count for _ in shown], [[""] * count for _ in shown]
    largest = max((abs(share) for share in pairs.values()), default=0.0) or 1.0
    for row, one in enumerate(shown):
        for column, other in enumerate(shown[:row]):
            share = pairs.get(frozenset((one, other)), 0.0)
            shades[row, column] = abs(share) / largest
            texts[row][column] = share_text(share) if share else ""
            names[row][column] = f"{one} and {other}: {share_text(share)}"
    cells = HeatCells(shades, tuple(map(tuple, texts)), tuple(map(tuple, names)))
    return Chart(
        "interactions",
        f"Which options interact in {quantity}",
        "The share of the variance that two options explain together beyond what each explains alone. Shares below "
        "the listed ones are empty.",
        (Panel(Axis.of_names(shown[:-1]), Axis.of_names(shown[1:]), (_without_ends(cells),), "", 430, 0),),
        {},
        {
            "options": [" and ".join(sorted(names)) for names in pairs],
            "share %": list(pairs.values()),
        },
    )


def _without_ends(cells: HeatCells) -> HeatCells:
    """Return the cells without the first row and the last column, which are empty in a lower triangle."""
    texts = tuple(row[:-1] for row in cells.texts[1:])
    return HeatCells(cells.shades[1:, :-1], texts, tuple(row[:-1] for row in cells.names[1:]), cells.role)
