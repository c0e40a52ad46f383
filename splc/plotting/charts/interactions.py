"""Interactions of pairs of options as a heat map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from splc.io.numbers import share_text
from splc.plotting.charts.chart import Chart
from splc.plotting.charts.heat_map import triangle

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
    largest = max((abs(share) for share in pairs.values()), default=0.0) or 1.0
    text = {names: share_text(share) for names, share in pairs.items()}
    return Chart(
        "interactions",
        f"Which options interact in {quantity}",
        "The share of the variance that two options explain together beyond what each explains alone. Shares below "
        "the listed ones are empty.",
        (triangle(shown, pairs, largest, text),),
        {},
        {
            "options": [" and ".join(sorted(names)) for names in pairs],
            "share %": list(pairs.values()),
        },
    )
