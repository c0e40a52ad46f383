"""The report of a profile: the call paths that grow, at a target that can be moved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from splc.data.measurements import ROOT_CALLPATH
from splc.errors import plural
from splc.formats.experiments.extrap import SEPARATOR
from splc.formats.models.text import scaling_text
from splc.io.numbers import percentage, short_number
from splc.report.page import Block, Page, Section, Steps, text_table
from splc.workflows.scale.scale import Result
from splc.workflows.scale.tree import (
    CALLS,
    MAX_CURVES,
    RANKING,
    CallPath,
    CallTree,
    Models,
    call_trees,
    largest_of,
    metric_text,
    ranking_chart,
    scaling_charts,
    tree_notes,
)
from splc.workflows.scaling_view import point_text
from splc.workflows.views import Column, Facts, Rows

# The multiples of the largest measured value at which call paths are ranked, and the one that is shown first.
TARGETS, FIRST = (1.0, 2.0, 4.0, 8.0, 16.0), 2
# The greatest numbers of ranked call paths in a table and in a picture, and of metrics.
MAX_RANKED, MAX_DRAWN, MAX_METRICS = 20, 10, 6
# Call paths with a smaller share of the total, in percent, and rows beyond this number are left out of the call tree.
MIN_SHARE, MAX_ROWS = 0.5, 60


def profile_page(result: Result, source: str) -> Page:
    """Return the page about the scaling models of a profile."""
    experiment, inclusive = result.experiment, result.request.inclusive
    metrics = list(dict.fromkeys(metric for _, metric in result.profile.models))[:MAX_METRICS]
    models = {key: model for key, model in result.profile.models.items() if key[1] in metrics}
    largest = largest_of(experiment)
    # The trees of all metrics at each target, and those of each metric at all targets.
    by_target = []
    for factor in TARGETS:
        at = {name: value if name in experiment.constant else factor * value for name, value in largest.items()}
        by_target.append(call_trees(experiment, models, at, inclusive=inclusive, top=MAX_RANKED))
    notes = [*result.notes, *tree_notes(experiment, by_target[FIRST], inclusive=inclusive)]
    sections, answers = [], []
    for number, trees in enumerate(zip(*by_target, strict=True), 1):
        name = metric_text(trees[0].metric)
        answers += list(_answer(trees, name))
        subset = {key: model for key, model in models.items() if key[1] == trees[0].metric}
        sections.append(Section(f"metric-{number}", name, tuple(_blocks(result, subset, trees, name, number))))
    sections.append(_provenance(result, source))
    count = plural(len(result.profile.models), "model", "models")
    first = f"{count} of {plural(len(experiment), 'point', 'points')} of {', '.join(experiment.parameters)}"
    warnings = tuple(dict.fromkeys(note.text for note in notes if note.warning))
    return Page(f"Scaling of {source}", (first, *answers), tuple(sections), warnings)


def _answer(trees: Sequence[CallTree], metric: str) -> Iterator[str]:
    """Yield which call path is largest at the target that is shown first."""
    ranking, before = trees[FIRST].ranking, trees[0].ranking
    if not ranking:
        return
    first, several = ranking[0], len(ranking) > 1
    share = f", {percentage(first.share, 2)} of all call paths" if several else ""
    value = f"{short_number(first.predicted, 4)}{share}"
    yield f"{metric}: {_path_text(first, metric)} is the largest at {point_text(trees[FIRST].at)}, {value}"
    if several and before and before[0].callpath != first.callpath:
        yield f"{metric}: at the largest measured point it is {_path_text(before[0], metric)}"


def _path_text(path: CallPath, metric: str) -> str:
    return metric if path.callpath == ROOT_CALLPATH else path.callpath


def _blocks(result: Result, models: Models, trees: Sequence[CallTree], metric: str, number: int) -> Iterator[Block]:
    nested = any(path.depth for path in trees[FIRST].callpaths)
    states: list[tuple[str, tuple[Block, ...]]] = []
    for tree in trees:
        blocks: list[Block] = [ranking_chart(tree, MAX_DRAWN, f"shares-{number}")] if len(tree.ranking) > 1 else []
        blocks.append(_ranking(tree, models, metric, number))
        states.append((point_text(tree.at), (*blocks, _call_tree(tree, number)) if nested else tuple(blocks)))
    yield Steps("Target", tuple(states), FIRST)
    shown = trees[FIRST]
    keys = ((entry.callpath, shown.metric) for entry in shown.ranking[:MAX_CURVES])
    drawn = {key: models[key] for key in keys if key in models}
    if drawn and any(name not in result.experiment.constant for name in result.experiment.parameters):
        yield from scaling_charts(result.experiment, drawn, shown.at, f"curves-{number}")


def _ranking(tree: CallTree, models: Models, metric: str, number: int) -> Rows:
    """Return the call paths with the largest values at a target."""
    path = Column("call path", lambda entry: _path_text(entry[1], metric))
    shown = (path, *RANKING[2:], Column("model", lambda entry: scaling_text(models[entry[1].callpath, tree.metric], 6)))
    caption = f"The call paths with the largest values, without the calls inside, at {point_text(tree.at)}"
    if len(tree.ranking) > MAX_RANKED:
        caption += f" ({MAX_RANKED} of {len(tree.ranking):,})"
    return Rows([*enumerate(tree.ranking[:MAX_RANKED])], shown, caption=caption, name=f"ranking-{number}")


def _call_tree(tree: CallTree, number: int) -> Rows:
    """Return the call paths below each other, each below its caller, with the values of the calls inside."""
    rows = [row for row in tree.callpaths if row.total_share >= MIN_SHARE][:MAX_ROWS]
    # Spaces at the beginning would not be visible.
    path = Column("call path", lambda row: "· " * row.depth + row.callpath.rpartition(SEPARATOR)[2])
    hidden = len(tree.callpaths) - len(rows)
    more = f"; {hidden:,} more, with less than {MIN_SHARE:g} % or beyond {MAX_ROWS} rows" if hidden else ""
    return Rows(rows, (path, *CALLS[1:]), caption=f"The call tree{more}", name=f"tree-{number}")


def _provenance(result: Result, source: str) -> Section:
    experiment = result.experiment
    items = (
        ("profile", source),
        ("SHA-256", str(experiment.report.sha256 or "")),
        ("parameters", ", ".join(experiment.parameters)),
        ("points", f"{len(experiment)}"),
    )
    blocks: list[Block] = [Facts(items)]
    if failed := [(*key, text) for key, text in result.profile.failed.items()]:
        header = ("call path", "metric", "reason")
        blocks.append(text_table(header, failed, "Call paths without a model", "failed", words=range(3)))
    return Section("provenance", "Where it comes from", tuple(blocks))
