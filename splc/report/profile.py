"""The report of a profile: the call paths that grow, at a target that can be moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from splc.data.experiment import DEFAULT_METRIC, Key
from splc.errors import plural
from splc.io.numbers import percentage, short_number
from splc.plotting.charts.scaling_curves import curve_chart
from splc.report.page import Block, Facts, Page, Paragraph, Section, Steps, TextTable
from splc.scaling.prediction import predictions
from splc.scaling.result import ScalingModel
from splc.workflows.scale.plot import slice_along
from splc.workflows.scale.scale import Result

# The multiples of the largest measured value at which call paths are ranked, and the one that is shown first.
TARGETS, FIRST = (1.0, 2.0, 4.0, 8.0, 16.0), 2
# The greatest numbers of ranked call paths, of curves, and of metrics.
MAX_RANKED, MAX_CURVES, MAX_METRICS = 20, 6, 6

Point = Mapping[str, float]


def profile_page(result: Result, source: str) -> Page:
    """Return the page about the scaling models of a profile.

    Args:
        result: the models.
        source: the name of the profile.
    """
    metrics = list(dict.fromkeys(metric for _, metric in result.profile.models))[:MAX_METRICS]
    targets = _targets(result)
    sections, answers = [], []
    for number, metric in enumerate(metrics, 1):
        models = {key: model for key, model in result.profile.models.items() if key[1] == metric}
        rankings = _rankings(models, targets)
        name = "value" if metric == DEFAULT_METRIC else metric
        answers += list(_answer(rankings, targets, name))
        sections.append(
            Section(f"metric-{number}", name, tuple(_blocks(result, models, rankings, targets, name, number)))
        )
    sections.append(_provenance(result, source))
    experiment = result.experiment
    count = plural(len(result.profile.models), "model", "models")
    first = f"{count} of {plural(len(experiment), 'point', 'points')} of {', '.join(experiment.parameters)}"
    warnings = tuple(note.text for note in result.notes if note.warning)
    return Page(f"Scaling of {source}", (first, *answers), tuple(sections), warnings)


def _targets(result: Result) -> list[Point]:
    """Return the points at multiples of the largest measured values of all parameters that vary."""
    experiment = result.experiment
    largest = dict(zip(experiment.parameters, experiment.points.max(axis=0).tolist(), strict=True))
    return [
        {name: value if name in experiment.constant else factor * value for name, value in largest.items()}
        for factor in TARGETS
    ]


Ranked = list[tuple[Key, float, float | None, float | None]]


def _rankings(models: Mapping[Key, ScalingModel], targets: Sequence[Point]) -> list[Ranked]:
    """Return for each point the models with predictions there, the largest first; those without one are left out."""
    rankings: list[Ranked] = []
    for there in zip(*predictions(list(models.values()), targets), strict=True):
        known = [
            (key, each.predicted, each.lower, each.upper)
            for key, each in zip(models, there, strict=True)
            if each.predicted is not None
        ]
        rankings.append(sorted(known, key=lambda each: -each[1]))
    return rankings


def _point_text(point: Point) -> str:
    return ", ".join(f"{name} = {value:g}" for name, value in point.items())


def _answer(rankings: Sequence[Ranked], targets: Sequence[Point], metric: str) -> Iterator[str]:
    """Yield which call path is largest at the target that is shown first."""
    there = rankings[FIRST]
    if not there:
        return
    key, value, *_ = there[0]
    total = sum(max(each[1], 0.0) for each in there)
    path = key[0] or metric
    share = (
        f", {percentage(100 * value / total, 2)} of the sum of all call paths" if len(there) > 1 and total > 0 else ""
    )
    yield f"{metric}: {path} is the largest at {_point_text(targets[FIRST])}, {value:.4g}{share}"
    before = rankings[0]
    if len(there) > 1 and before and before[0][0] != key:
        yield f"{metric}: at the largest measured point it is {before[0][0][0]}"


def _blocks(
    result: Result,
    models: Mapping[Key, ScalingModel],
    rankings: Sequence[Ranked],
    targets: Sequence[Point],
    metric: str,
    number: int,
) -> Iterator[Block]:
    states = []
    for target, ranking in zip(targets, rankings, strict=True):
        total = sum(max(each[1], 0.0) for each in ranking)
        rows = tuple(
            (
                key[0] or metric,
                short_number(value, 4),
                "" if low is None or high is None else f"{short_number(low, 3)} to {short_number(high, 3)}",
                percentage(100 * value / total, 3) if total > 0 else "",
                models[key].text,
            )
            for key, value, low, high in ranking[:MAX_RANKED]
        )
        header = ("call path", "prediction", "90 % interval", "share", "model")
        caption = f"The call paths with the largest predictions at {_point_text(target)}"
        if len(ranking) > MAX_RANKED:
            caption += f" ({MAX_RANKED} of {len(ranking):,})"
        table = TextTable(header, rows, frozenset({1, 2, 3}), caption=caption, name=f"ranking-{number}")
        states.append((_point_text(target), (table,)))
    yield Steps("Target", tuple(states), FIRST)
    if len(models) > 1:
        yield Paragraph("Shares are of the sum over the call paths; nested call paths count twice.")
    largest = {key: models[key] for key, *_ in rankings[FIRST][:MAX_CURVES]}
    varying = [name for name in result.experiment.parameters if name not in result.experiment.constant]
    if largest and varying:
        slices = [slice_along(result.experiment, largest, name, targets[FIRST]) for name in varying]
        yield curve_chart(slices, f"curves-{number}", metric)


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
