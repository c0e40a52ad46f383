"""The view of a comparison: its JSON objects, its tables in several formats, and its picture."""

from __future__ import annotations

from typing import Any

from comparison.measures import DEFAULT_KEYS, MEASURES
from comparison.result import Comparison, SemanticComparison
from splc._version import __version__
from splc.data.property_unit import titled
from splc.errors import OutputError, RequestError
from splc.io.files import write_whole
from splc.io.json import picked
from splc.io.tables import csv_text, latex_text, markdown_text
from splc.plotting import plot_format
from splc.workflows.compare.compare import Result, run
from splc.workflows.compare.models import Request
from splc.workflows.compare.tables import answer, csv_table, tables_of
from splc.workflows.verb import Verb, Watch
from splc.workflows.views import Answer, Column, Detail, End, Message, Rows, View, Wide, columns

MEASURE_COLUMNS = (
    *columns("measure = key, title, kind, better"),
    Column("computed", lambda row: "always" if row.key in DEFAULT_KEYS else ""),
)


def as_json(result: Result | Request) -> dict[str, Any]:
    """Return the JSON object of a comparison of two models, or of the first model with each of several others."""
    if isinstance(result, Request):
        raise RequestError("the list of measures is text; leave out --json", "measures", "json")
    request, compared = result.request, result.comparisons
    pairs = [_pair_as_json(pair) for pair in compared.comparisons]
    models = [
        {
            **picked(model, "name, file, sha256, kind, nfp, link = model.link, text = bound.text"),
            "terms": len(model.bound.terms),
        }
        for model in compared.models
    ]
    more: dict[str, Any] = {}
    if result.ranges:
        more["ranges"] = [
            {
                "model": model.name,
                "terms": [
                    {
                        "term": row.term.text(model.model.order),
                        **picked(row, "influence, low, high, low_at, high_at, exact"),
                    }
                    for row in ranges
                ],
            }
            for model, ranges in zip(compared.models, result.ranges, strict=True)
        ]
    if "correlations" in request.tables:
        more["correlations"] = result.correlations
    return {
        "schema": "splc.compare.several/1" if len(pairs) > 1 else "splc.compare/1",
        **{"version": __version__, "models": models},
        **picked(result, "nfp = comparisons.nfp, unit = basis.unit, on = basis.text"),
        "configurations": len(result.basis.configurations or ()),
        **{"seed": request.seed, "files": result.files},
        "settings": {
            **picked(request, "at, constant"),
            **picked(result, "weights = comparisons.weights, reference = request.reference, level = comparisons.level"),
            **picked(request, "parameter, scale"),
            "round": str(request.round),
            "learning": None if request.learning is None else str(request.learning or "all"),
            **request.policies,
        },
        **({"comparisons": pairs} if len(pairs) > 1 else pairs[0]),
        "measured": [
            {"model": judged.model, **_semantic_as_json(judged.semantic), **picked(judged, "covered, discrepancy")}
            for judged in compared.judged
        ],
        **more,
    }


def _pair_as_json(pair: Comparison) -> dict[str, Any]:
    """Return the JSON object of two models compared; null is what cannot be compared."""
    scores, terms = "score, lower, upper, normalized", pair.syntactic
    of_terms = "term = text, score, found, a = first, b = second"
    return {
        **picked(pair, "first, second"),
        "syntactic": {
            **picked(terms, f"{scores}, opposite, constant"),
            "classes": [
                {
                    **picked(group, f"options, {scores}"),
                    "terms": [picked(term, of_terms) for term in group.terms],
                }
                for group in terms.classes
            ],
            "unseen": terms.unseen,
        }
        if pair.same_link
        else None,
        "semantic": pair.semantic and _semantic_as_json(pair.semantic),
        "hybrid": pair.hybrid and picked(pair.hybrid, "syntactic, semantic, classes"),
        "option_sets": pair.option_sets and picked(pair.option_sets, "of, overlap, sets"),
        **picked(pair, "intervals, discrepancy"),
    }


def _semantic_as_json(found: SemanticComparison) -> dict[str, Any]:
    """Return the JSON object of predictions compared by measures: a key each; error rates are in percent."""
    more = "mean_power, left_out, left_out_reversed, negative_predictions = negative, weights, reference"
    return {"configurations": found.configurations, **found.values, **picked(found, more)}


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
        yield writers[form](table).rstrip("\n") if form else Wide(table, ("class", "found"))


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


VERB = Verb(
    Request,
    _run,
    view,
    as_json,
    ("splc compare analytical.txt learned.log", "splc compare analytical.txt learned.log --on ff --json"),
    doing="comparing",
)
