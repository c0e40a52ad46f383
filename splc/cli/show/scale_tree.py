"""Call trees of scaling models as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from splc.cli.terminal import say, table
from splc.data.experiment import DEFAULT_METRIC
from splc.formats.experiments.cube import SEPARATOR
from splc.io.numbers import rounded_text, share_text
from splc.workflows.scale.tree import CallPath, CallTree

DIGITS = 4
# Call paths with a smaller share of the total, and lines beyond this number, are not printed.
_MIN_SHARE, _MAX_LINES = 1.0, 60


def show_trees(trees: Sequence[CallTree], top: int) -> None:
    """Print, for each metric, the call tree and the ranking of its call paths."""
    for place, tree in enumerate(trees):
        if place:
            say()
        metric = "" if tree.metric == DEFAULT_METRIC else f"{tree.metric} "
        say(f"{metric}at {point_text(tree.at)}, and at the largest measured values, {point_text(tree.measured_at)}:")
        if any(each.depth for each in tree.callpaths):
            say()
            _show_tree(tree)
        say()
        _show_ranking(tree, top)


def _show_tree(tree: CallTree) -> None:
    """Print the call paths as a tree with their values with the calls inside."""
    shown = [each for each in tree.callpaths if each.total_share >= _MIN_SHARE][:_MAX_LINES]
    rows = []
    for each in shown:
        name = "  " * each.depth + each.callpath.rpartition(SEPARATOR)[2]
        own = "" if each.predicted is None else _share(each.share)
        rows.append((name, rounded_text(each.total, DIGITS), _share(each.total_share), own))
    table(("call path", "total", "share", "without calls"), rows, right=("total", "share", "without calls"))
    if rest := len(tree.callpaths) - len(shown):
        say(f"… {rest:,} more, with less than {_MIN_SHARE:g} % or beyond {_MAX_LINES} lines (--json has all)")


def _show_ranking(tree: CallTree, top: int) -> None:
    """Print the call paths with the largest shares."""
    ranking = tree.ranking
    rows = [
        (
            str(rank),
            each.callpath,
            rounded_text(each.predicted or 0.0, DIGITS),
            _interval_text(each),
            _share(each.share),
            _share(each.share_measured),
        )
        for rank, each in enumerate(ranking[:top], 1)
    ]
    columns = ("rank", "call path", "predicted", "90 % interval", "share", "measured share")
    table(columns, rows, right=("rank", "predicted", "share", "measured share"))
    if rest := len(ranking) - len(rows):
        left = sum(each.share for each in ranking[top:])
        say(f"… {rest:,} more with {_share(left)} together (--top N)")


def _share(share: float) -> str:
    return share_text(share) if share >= 0.05 or share == 0 else "< 0.1 %"


def _interval_text(each: CallPath) -> str:
    if each.lower is None or each.upper is None:
        return ""
    return f"{rounded_text(each.lower, DIGITS)} … {rounded_text(each.upper, DIGITS)}"


def point_text(at: Mapping[str, float]) -> str:
    """Return a point, such as `p = 8, n = 2`."""
    return ", ".join(f"{name} = {value:g}" for name, value in at.items())
