"""The report of a profile: the call paths that grow, at a target that can be moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from splc.data.experiment import ROOT_CALLPATH, Key
from splc.errors import plural
from splc.formats.models.notation import scaling_text
from splc.io.numbers import percentage, short_number, small_share
from splc.report.page import Block, Page, Section, Steps, TextTable
from splc.report.sections.call_tree import call_tree_table
from splc.scaling.result import ScalingModel
from splc.workflows.scale.plot import MAX_CURVES, metric_text, ranking_chart, scaling_charts
from splc.workflows.scale.scale import Result
from splc.workflows.scale.tree import CallPath, CallTree, call_trees, tree_notes
from splc.workflows.views import Facts

# The multiples of the largest measured value at which call paths are ranked, and the one that is shown first.
TARGETS, FIRST = (1.0, 2.0, 4.0, 8.0, 16.0), 2
# The greatest numbers of ranked call paths in a table and in a picture, and of metrics.
MAX_RANKED, MAX_DRAWN, MAX_METRICS = 20, 10, 6

Point = Mapping[str, float]


def profile_page(result: Result, source: str) -> Page:
    """Return the page about the scaling models of a profile."""
    experiment, inclusive = result.experiment, result.request.inclusive
    metrics = list(dict.fromkeys(metric for _, metric in result.profile.models))[:MAX_METRICS]
    models = {key: model for key, model in result.profile.models.items() if key[1] in metrics}
    # The trees of all metrics at each target, and those of each metric at all targets.
    by_target = [call_trees(experiment, models, at, inclusive=inclusive, top=MAX_RANKED) for at in _targets(result)]
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


def _targets(result: Result) -> list[Point]:
    """Return the points at multiples of the largest measured values of all parameters that vary."""
    experiment = result.experiment
    largest = dict(zip(experiment.parameters, experiment.points.max(axis=0).tolist(), strict=True))
    return [
        {name: value if name in experiment.constant else factor * value for name, value in largest.items()}
        for factor in TARGETS
    ]


def _point_text(point: Point) -> str:
    return ", ".join(f"{name} = {value:g}" for name, value in point.items())


def _answer(trees: Sequence[CallTree], metric: str) -> Iterator[str]:
    """Yield which call path is largest at the target that is shown first."""
    ranking, before = trees[FIRST].ranking, trees[0].ranking
    if not ranking:
        return
    first = ranking[0]
    share = f", {percentage(first.share, 2)} of all call paths" if len(ranking) > 1 else ""
    value = short_number(first.predicted, 4)
    at = _point_text(trees[FIRST].at)
    yield f"{metric}: {_path_text(first, metric)} is the largest at {at}, {value}{share}"
    if len(ranking) > 1 and before and before[0].callpath != first.callpath:
        yield f"{metric}: at the largest measured point it is {_path_text(before[0], metric)}"


def _path_text(path: CallPath, metric: str) -> str:
    return metric if path.callpath == ROOT_CALLPATH else path.callpath


def _blocks(
    result: Result, models: Mapping[Key, ScalingModel], trees: Sequence[CallTree], metric: str, number: int
) -> Iterator[Block]:
    nested = any(path.depth for path in trees[FIRST].callpaths)
    states = tuple(
        (
            _point_text(tree.at),
            (
                *((ranking_chart(tree, MAX_DRAWN, f"shares-{number}"),) if len(tree.ranking) > 1 else ()),
                _ranking(tree, models, metric, number),
                *((call_tree_table(tree, number),) if nested else ()),
            ),
        )
        for tree in trees
    )
    yield Steps("Target", states, FIRST)
    largest = {(entry.callpath, trees[FIRST].metric): entry for entry in trees[FIRST].ranking[:MAX_CURVES]}
    drawn = {key: models[key] for key in largest if key in models}
    varying = [name for name in result.experiment.parameters if name not in result.experiment.constant]
    if drawn and varying:
        yield from scaling_charts(result.experiment, drawn, trees[FIRST].at, f"curves-{number}")


def _ranking(tree: CallTree, models: Mapping[Key, ScalingModel], metric: str, number: int) -> TextTable:
    """Return the call paths with the largest values at a target."""
    rows = tuple(
        (
            _path_text(entry, metric),
            short_number(entry.predicted, 4),
            "" if entry.lower is None else f"{short_number(entry.lower, 3)} to {short_number(entry.upper, 3)}",
            small_share(entry.share),
            small_share(entry.share_measured),
            scaling_text(models[entry.callpath, tree.metric], 6),
        )
        for entry in tree.ranking[:MAX_RANKED]
    )
    header = ("call path", "prediction", "90 % interval", "share", "share measured", "model")
    caption = f"The call paths with the largest values, without the calls inside, at {_point_text(tree.at)}"
    if len(tree.ranking) > MAX_RANKED:
        caption += f" ({MAX_RANKED} of {len(tree.ranking):,})"
    return TextTable(header, rows, frozenset({1, 2, 3, 4}), caption=caption, name=f"ranking-{number}")


def _provenance(result: Result, source: str) -> Section:
    items = [
        ("profile", source),
        ("SHA-256", str(result.experiment.report.sha256 or "")),
        ("parameters", ", ".join(result.experiment.parameters)),
        ("points", f"{len(result.experiment)}"),
    ]
    blocks: list[Block] = [Facts(tuple(items))]
    if result.profile.failed:
        rows = tuple((key[0], key[1], text) for key, text in result.profile.failed.items())
        blocks.append(
            TextTable(("call path", "metric", "reason"), rows, caption="Call paths without a model", name="failed")
        )
    return Section("provenance", "Where it comes from", tuple(blocks))
