"""The view of a comparison: its JSON objects, its tables in several formats, and its picture."""

from __future__ import annotations

from typing import Any, Literal

from comparison.correlation import Correlation
from comparison.measures import DEFAULT_KEYS, MEASURES
from comparison.option_sets import SetShare
from comparison.result import ClassShare, IntervalComparison, Unseen
from splc._version import __version__
from splc.data.discrepancy import Discrepancy
from splc.data.property_unit import titled
from splc.errors import OutputError, RequestError
from splc.io.files import write_whole
from splc.io.json_object import ITSELF, JsonObject, at, count, json_object, merged, optional
from splc.io.tables import csv_text, latex_text, markdown_text
from splc.plotting import plot_format
from splc.types import Aggregate, Duplicates, Invalid, Link
from splc.workflows.compare.compare import Result, run
from splc.workflows.compare.models import Request
from splc.workflows.compare.tables import answer, csv_table, tables_of
from splc.workflows.objects import FileObject
from splc.workflows.verb import Verb, Watch
from splc.workflows.views import Answer, Column, Detail, End, Message, Rows, View, columns, rows_of

MEASURE_COLUMNS = (
    *columns("measure = key, title, kind, better"),
    Column("computed", lambda row: "always" if row.key in DEFAULT_KEYS else ""),
)


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


def _ranges(result: Result) -> list[dict[str, Any]]:
    return [
        {
            "model": model.name,
            "terms": [{**vars(row), "term": row.term.text(model.model.order), "exact": row.exact} for row in ranges],
        }
        for model, ranges in zip(result.comparisons.models, result.ranges, strict=True)
    ]


class JudgementsObject(JsonObject):
    """The models against the measurements, and what was asked for."""

    measured: list[JudgedObject] = at("comparisons.judged")
    ranges: list[ModelRangesObject] = optional(lambda result: _ranges(result) if result.ranges else None)
    correlations: list[Correlation] = optional(
        lambda result: result.correlations if "correlations" in result.request.tables else None
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


def view(result: Result | Request, detail: Detail) -> View:
    """Yield the answer and the tables, or the list of measures."""
    if isinstance(result, Request):
        yield Rows(MEASURES.values(), MEASURE_COLUMNS)
        return
    yield from _tables(result, detail)
    if result.request.plot is not None:
        yield Message(f"picture written to {result.request.plot}")
    yield result.notes
    yield from (Message(text, "warning") for text in result.failures)
    yield End(int(result.failed))


def _tables(result: Result, detail: Detail) -> View:
    names, form = result.request.chosen_tables, result.request.form
    if form == "csv":
        yield from (csv_text(csv_table(name, result)).rstrip("\n") for name in names)
        return
    if not form and (line := answer(result)):
        yield Answer(line)
        if detail.quiet and not result.request.tables:
            return
        yield ""
    writers = {"markdown": markdown_text, "latex": latex_text}
    for number, table in enumerate(table for name in names for table in tables_of(name, result)):
        if number:
            yield ""
        yield writers[form](table).rstrip("\n") if form else rows_of(table, "class", "found")


def picture(result: Result, view: str, file_format: str) -> bytes:
    """Return the picture of a comparison."""
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


def _run(request: Request, watch: Watch) -> Result | Request:
    """Compare models, and draw the picture that is asked for; the list of measures needs no models."""
    if "list" in request.measures:
        return request
    drawn = None if request.plot is None else plot_format(request.plot)
    result = run(request, watch)
    if request.plot is not None and drawn is not None:
        write_whole(request.plot, picture(result, request.view or "both", drawn))
    return result


def _as_json(result: Result | Request) -> dict[str, Any]:
    if isinstance(result, Request):
        raise RequestError("the list of measures is text; leave out --json", "measures", "json")
    several = len(result.comparisons.comparisons) > 1
    return json_object(ComparisonsObject if several else ComparisonObject, result)


VERB = Verb(
    Request,
    _run,
    view,
    _as_json,
    ("splc compare analytical.txt learned.log", "splc compare analytical.txt learned.log --on ff --json"),
    doing="comparing",
)
