"""The call tree of a metric at a point."""

from __future__ import annotations

from splc.formats.experiments.cube import SEPARATOR
from splc.io.numbers import short_number, small_share
from splc.report.page import TextTable
from splc.workflows.scale.tree import CallTree

# Call paths with a smaller share of the total, in percent, and rows beyond this number are left out.
MIN_SHARE, MAX_ROWS = 0.5, 60


def call_tree_table(tree: CallTree, number: int) -> TextTable:
    """Return the call paths below each other, each below its caller, with the values of the calls inside."""
    shown = [row for row in tree.callpaths if row.total_share >= MIN_SHARE][:MAX_ROWS]
    rows = tuple(
        (
            # Spaces at the beginning would not be visible.
            "· " * row.depth + row.callpath.rpartition(SEPARATOR)[2],
            short_number(row.total, 4),
            small_share(row.total_share),
            "" if row.predicted is None else small_share(row.share),
        )
        for row in shown
    )
    hidden = len(tree.callpaths) - len(shown)
    more = f"; {hidden:,} more, with less than {MIN_SHARE:g} % or beyond {MAX_ROWS} rows" if hidden else ""
    header = ("call path", "total", "share", "without calls")
    return TextTable(header, rows, frozenset({1, 2, 3}), caption=f"The call tree{more}", name=f"tree-{number}")
