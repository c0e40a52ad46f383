"""The output of `splc compare`: tables, JSON, pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from comparison.correlation import Correlation
from comparison.option_sets import SetShare
from comparison.result import ClassShare, IntervalComparison, Unseen
from splc._version import __version__
from splc.cli.detail import detail
from splc.cli.show.blocks import show_table
from splc.cli.show.compare_tables import answer, csv_table, tables_of
from splc.cli.show.files import FileObject
from splc.cli.terminal import say, tell
from splc.data.discrepancy import Discrepancy
from splc.data.property_unit import titled
from splc.errors import OutputError
from splc.io.json_object import ITSELF, JsonObject, at, count, merged, optional
from splc.io.tables import csv_text, latex_text, markdown_text
from splc.types import Aggregate, Duplicates, Invalid, Link
from splc.workflows.compare import Result

TABLE_NAMES = ("measures", "terms", "classes", "sets", "ranges", "intervals", "correlations")


class TermScoreObject(JsonObject):
    """The score of a term; `a` and `b` are its two influences."""

    term: str = at("text")
    score: float
    found: Literal["no class", "no term", "opposite sign", "different", "same"]
    a: float | None = at("first")
    b: float | None = at("second")


class ScoresObject(JsonObject):
    """The sum of the scores of some terms, its bounds, and the sum mapped to [0, 1]."""

    score: float
    lower: float
    upper: float
    normalized: float | None


class ClassScoreObject(JsonObject):
    """The score of an equivalence class: the terms over one set of options."""

    options: list[str]
    scores: ScoresObject = merged(ITSELF)
    terms: list[TermScoreObject]


class SyntacticObject(JsonObject):
    """Two models compared by their terms."""

    scores: ScoresObject = merged(ITSELF)
    opposite: int
    constant: bool
    classes: list[ClassScoreObject]
    unseen: list[Unseen]


class MeasuresObject(JsonObject):
    """The measures of predictions that are always computed; error rates are in percent."""

    error_rate: float | None
    error_rate_reversed: float | None
    cosine: float | None
    jaccard: float | None
    manhattan: float | None
    euclidean: float | None
    minkowski3: float | None
    chebyshev: float | None


class SemanticObject(JsonObject):
    """Predictions compared by measures, also those that were asked for, by their keys."""

    configurations: int
    measures: MeasuresObject = merged("values")
    values: dict[str, float | None] = merged()
    mean_power: dict[str, float | None]
    left_out: int
    left_out_reversed: int
    negative_predictions: tuple[int, int] = at("negative")
    weights: str | None
    reference: Literal["first", "second"]


class HybridObject(JsonObject):
    """Equivalence classes compared by terms and contributions, weighted by their shares."""

    syntactic: float
    semantic: float
    classes: list[ClassShare]


class OptionSetsObject(JsonObject):
    """Two models compared by the shares of their sets of options."""

    of: Literal["mean", "variance"]
    overlap: float | None
    sets: list[SetShare]


class PairObject(JsonObject):
    """Two models compared; null is what cannot be compared."""

    first: str
    second: str
    syntactic: SyntacticObject | None = at(lambda pair: pair.syntactic if pair.same_link else None)
    semantic: SemanticObject | None
    hybrid: HybridObject | None
    option_sets: OptionSetsObject | None
    intervals: IntervalComparison | None
    discrepancy: Discrepancy | None


class ComparedModelObject(JsonObject):
    """A model that is compared."""

    name: str
    file: str | None
    sha256: str
    kind: Literal["text", "log", "json"]
    nfp: str | None
    link: Link = at("model.link")
    text: str = at("bound.text")
    terms: int = count("bound.terms")


class ComparisonSettingsObject(JsonObject):
    """The settings of a comparison."""

    at: dict[str, float]
    constant: bool
    weights: str | None
    reference: Literal["first", "second"]
    level: float | None
    parameter: dict[str, float]
    scale: float | None
    round: str
    learning: str | None
    invalid: Invalid
    duplicates: Duplicates
    aggregate: Aggregate


def _settings(result: Result) -> dict[str, Any]:
    request, compared = result.request, result.comparisons
    learning = None if request.learning is None else str(request.learning or "all")
    values = {"round": str(request.round), "learning": learning, "weights": compared.weights, "level": compared.level}
    return vars(request) | request.policies | values


class ComparedObject(JsonObject):
    """The models of a comparison, and what they are compared on."""

    version: str = at(lambda _: __version__)
    models: list[ComparedModelObject] = at("comparisons.models")
    nfp: str | None = at("comparisons.nfp")
    unit: str | None = at("basis.unit")
    on: str = at("basis.text")
    configurations: int = count("basis.configurations")
    seed: int = at("request.seed")
    files: dict[str, FileObject]
    settings: ComparisonSettingsObject = at(_settings)


class JudgedObject(JsonObject):
    """A model compared with the measurements."""

    model: str
    semantic: SemanticObject = merged()
    covered: float | None
    discrepancy: Discrepancy | None


class TermRangeObject(JsonObject):
    """The least and the greatest contribution of a term."""

    term: str
    influence: float
    low: float | None
    high: float | None
    low_at: dict[str, float | None] | None
    high_at: dict[str, float | None] | None
    exact: bool


class ModelRangesObject(JsonObject):
    """The ranges of the terms of a model."""

    model: str
    terms: list[TermRangeObject]


def _ranges(result: Result) -> Iterator[dict[str, Any]]:
    """Yield the models with the ranges of their terms."""
    for model, ranges in zip(result.comparisons.models, result.ranges, strict=True):
        terms = [{**vars(row), "term": row.term.text(model.model.order), "exact": row.exact} for row in ranges]
        yield {"model": model.name, "terms": terms}


class JudgementsObject(JsonObject):
    """The models against the measurements, and what was asked for."""

    measured: list[JudgedObject] = at("comparisons.judged")
    ranges: list[ModelRangesObject] = optional(lambda result: list(_ranges(result)) if result.request.ranges else None)
    correlations: list[Correlation] = optional(
        lambda result: result.correlations if result.request.correlations else None
    )


class ComparisonObject(JsonObject, schema="splc.compare/1"):
    """The comparison of two models."""

    compared: ComparedObject = merged(ITSELF)
    pair: PairObject = merged("comparisons.comparisons.0")
    judgements: JudgementsObject = merged(ITSELF)


class ComparisonsObject(JsonObject, schema="splc.compare.several/1"):
    """The comparisons of the first model with each of several others."""

    compared: ComparedObject = merged(ITSELF)
    comparisons: list[PairObject] = at("comparisons.comparisons")
    judgements: JudgementsObject = merged(ITSELF)


def kind_of(result: Result) -> type[JsonObject]:
    """Return the kind of JSON object: of two models or of several."""
    return ComparisonObject if len(result.comparisons.comparisons) == 1 else ComparisonsObject


def show(result: Result, names: Sequence[str], form: str, *, usual: bool) -> None:
    """Print tables.

    `names`: the tables. `usual`: whether the user named none, so that -q leaves them out.
    """
    if form == "csv":
        for name in names:
            say(csv_text(csv_table(name, result)).rstrip("\n"))
        return
    if not form and (line := answer(result)):
        tell(line, "answer")
        if detail().quiet and usual:
            return
        say()
    writers = {"markdown": markdown_text, "latex": latex_text}
    tables = [table for name in names for table in tables_of(name, result)]
    for number, table in enumerate(tables):
        if number:
            say()
        if form:
            say(writers[form](table).rstrip("\n"))
        else:
            show_table(table, "class", "found")


def picture(result: Result, view: str, file_format: str) -> bytes:
    """Return the picture of a comparison.

    Raises:
        OutputError: if there is nothing to draw.
    """
    import numpy as np

    from splc.plotting.charts.chart import joined
    from splc.plotting.charts.drawing import chart_file
    from splc.plotting.charts.influences import term_chart
    from splc.plotting.charts.predictions import sorted_chart

    compared = result.comparisons
    predicted = [model.predicted for model in compared.models if model.predicted is not None]
    pairs = [pair for pair in compared.comparisons if pair.same_link]
    charts = []
    if view != "terms" and predicted and predicted[0].size:
        names = [model.name for model in compared.models]
        quantity = titled(compared.nfp or "value", result.basis.unit)
        charts.append(sorted_chart(names, np.stack(predicted), result.basis.measured, quantity))
    elif view == "predictions":
        hint = "draw the terms only, or name configurations"
        raise OutputError("there are no configurations to draw predictions of", hint=hint)
    if view != "predictions" and pairs:
        charts.append(term_chart(pairs))
    elif view == "terms" or not charts:
        raise OutputError("a product and a sum have no terms that can be compared", hint="draw the predictions")
    first, *models = (model.name for model in compared.models)
    title = f"{first} and {models[0] if len(models) == 1 else f'{len(models)} other models'}"
    return chart_file(joined(charts, title), file_format)
