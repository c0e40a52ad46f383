"""Call trees of scaling models as tables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from splc.cli.show.blocks import Column, columns, interval_text, show_rows
from splc.cli.terminal import say
from splc.data.experiment import DEFAULT_METRIC
from splc.formats.experiments.cube import SEPARATOR
from splc.io.numbers import rounded_text, small_share
from splc.workflows.scale.tree import CallTree
from splc.workflows.scaling_view import point_text

_number = partial(rounded_text, digits=4)
# Call paths with a smaller share of the total, and lines beyond this number, are not printed.
_MIN_SHARE, _MAX_LINES = 1.0, 60


CALLS = (
    Column("call path", lambda row: "  " * row.depth + row.callpath.rpartition(SEPARATOR)[2]),
    *columns("total", _number),
    *columns("share = total_share", small_share),
    Column("without calls", lambda row: None if row.predicted is None else row.share, small_share),
)
RANKING = (
    *columns("rank = 0, call path = 1.callpath"),
    Column("predicted", lambda entry: entry[1].predicted or 0.0, _number),
    Column("90 % interval", lambda entry: interval_text((entry[1].lower, entry[1].upper), _number), right=True),
    *columns("share = 1.share, measured share = 1.share_measured", small_share),
)


def show_trees(trees: Sequence[CallTree], top: int) -> None:
    """Print, for each metric, the call tree and the ranking of its call paths."""
    for index, tree in enumerate(trees):
        if index:
            say()
        metric = "" if tree.metric == DEFAULT_METRIC else f"{tree.metric} "
        say(f"{metric}at {point_text(tree.at)}, and at the largest measured values, {point_text(tree.measured_at)}:")
        if any(row.depth for row in tree.callpaths):
            say()
            _show_tree(tree)
        say()
        _show_ranking(tree, top)


def _show_tree(tree: CallTree) -> None:
    """Print the call paths as a tree with their values with the calls inside."""
    shown = [row for row in tree.callpaths if row.total_share >= _MIN_SHARE][:_MAX_LINES]
    show_rows(shown, CALLS)
    if hidden := len(tree.callpaths) - len(shown):
        say(f"… {hidden:,} more, with less than {_MIN_SHARE:g} % or beyond {_MAX_LINES} lines (--json has all)")


def _show_ranking(tree: CallTree, top: int) -> None:
    """Print the call paths with the largest shares."""
    share = sum(row.share for row in tree.ranking[top:])
    show_rows(enumerate(tree.ranking, 1), RANKING, top, f"{small_share(share)} together; --top N")
