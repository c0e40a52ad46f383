"""The view of a comparison: the answer, the tables in several formats, the JSON object, and the picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from comparison.measures import DEFAULT_KEYS, ERROR_RATES, MEASURES, measure
from comparison.places import Discrepancy
from comparison.result import Comparison, Comparisons, SemanticComparison
from splc._version import __version__
from splc.data.property_unit import titled
from splc.errors import OutputError, RequestError
from splc.io.json import Getter, getter, picked
from splc.io.numbers import ROUNDING_PERCENT, comparable_size, percentage, short_number
from splc.io.tables import Cell, Table, csv_text, latex_text, markdown_text
from splc.plotting.charts.chart import Chart, joined
from splc.plotting.charts.drawing import write_picture
from splc.plotting.charts.influences import term_chart
from splc.plotting.charts.predictions import sorted_chart
from splc.workflows import views
from splc.workflows.compare.compare import Result, run
from splc.workflows.compare.models import Basis, Request

CONSTANT = "(constant)"
DISTANCES = frozenset({"percent", "distance"})  # the kinds of measures that are 0 for equal values


def answer(result: Result) -> str:
    """Return the first line: by what factor models are wrong, the errors of the others, and how far they differ."""
    compared = result.comparisons
    found = [(judged.model, judged.discrepancy) for judged in compared.judged]
    facts = {name: fact for name, fact in found if fact is not None and fact.by_factor}
    parts = [_fact(name, f"measured {compared.nfp}", fact, "its error is", "wrong") for name, fact in facts.items()]
    stated = result.stated
    errors = {} if stated is None else {name: each for name, each in stated.errors.items() if name not in facts}
    known = sorted((error, name, full) for name, (error, full) in errors.items() if error is not None)
    if stated is not None and known:
        full_text = " (printed model; its full model {})".format
        of_full = {name: "" if full is None else full_text(percentage(full, 2)) for _, name, full in known}
        shown = ", ".join(f"{name} {percentage(error, 2)}{of_full[name]}" for error, name, _ in known)
        count = views.counted(stated.configurations, "configuration")
        where = f"on {count} not learned from" if stated.unlearned else "against the measurements"
        parts.append(f"error {where}: {shown}")
    if not facts:
        # A factor on one model is the difference, too.
        parts += _differences(compared)
    if len(compared.comparisons) == 1:
        [pair] = compared.comparisons
        if pair.same_link and pair.syntactic.normalized is not None:
            agreement = f"terms agree by {short_number(pair.syntactic.normalized, 2)} of 1"
            parts.append(agreement if pair.syntactic.shares_class else "no class of terms is in both")
    return "; ".join(parts)


def _differences(compared: Comparisons) -> Iterator[str]:
    """Yield how far the predictions of the models differ from those of the first one."""
    first, rates = compared.models[0].name, []
    for pair in compared.comparisons:
        if pair.discrepancy is not None and pair.discrepancy.by_factor:
            yield _fact(pair.second, f"value of {first}", pair.discrepancy, "they differ by", "different")
        elif pair.semantic is not None and (rate := pair.semantic.values["error_rate"]) is not None:
            rates.append((rate, pair.second))
    if len(compared.comparisons) == 1:
        yield from (f"predictions differ by {percentage(rate, 2)}" for rate, _ in rates)
    elif rates:
        shown = ", ".join(f"{name} by {percentage(rate, 2)}" for rate, name in sorted(rates))
        yield f"predictions differ from those of {first}: {shown}"


def _fact(model: str, of: str, missed: Discrepancy, is_then: str, kind: str) -> str:
    """Return by what factor a model is wrong, and where it is wrong apart from that."""
    ratio, factor, place = missed.ratio, missed.factor, missed.worst
    share = f"1/{float(f'{ratio:.2g}'):,.0f} of" if ratio >= 10 else f"{percentage(100 / ratio, 2)} of"
    share = share if ratio >= 1 else f"{short_number(1 / ratio, 2)} times"
    scaled = f"times {short_number(factor, 3)}" if factor >= 1 else f"divided by {short_number(1 / factor, 3)}"
    where = "" if place is None else f", mainly {kind} where {place.text} ({percentage(place.error, 2)})"
    return f"{model} predicts {share} the {of}; {scaled} {is_then} {percentage(missed.error, 2)}{where}"


def tables_of(name: str, result: Result) -> Iterable[Table]:
    """Return the tables with a name: one, or one for each other model, of ranges one for each model."""
    compared = result.comparisons
    first = compared.models[0].name
    if name in PER_PAIR:
        return map(PER_PAIR[name], compared.comparisons)
    if name == "ranges":
        caption = "Contributions of the terms of {} over all valid configurations".format
        named = zip(compared.models, result.ranges, strict=True)
        rows = [(model.name, [(row.term.text(model.model.order), row) for row in found]) for model, found in named]
        return [views.table_of(own, RANGES, caption(name)) for name, own in rows]
    if name == "intervals":
        titles = (f"width of {first}", "width of the model")
        widths = [views.Column(title, f"intervals.width.{at}") for at, title in enumerate(titles)]
        pairs = [pair for pair in compared.comparisons if pair.intervals is not None]
        text = f"Confidence bands of the mean at the level {compared.level:g}, compared with {first}"
        return [views.table_of(pairs, (*INTERVALS, *widths), text)]
    if name == "places":
        tables = []
        for model, (of, missed) in _missed(compared).items():
            text = f"{of} / prediction of {model}; errors with the factor {short_number(missed.factor)}"
            text += "" if missed.places else "; no place differs from the others"
            tables.append(views.table_of(missed.places, views.PLACES, text))
        return tables
    if name == "correlations":
        text = f"Correlation with the error rate, relative to the {result.request.reference} model, over all pairs"
        return [views.table_of(result.correlations, CORRELATIONS, text)]
    return [measures_table(compared, result.basis, result.measures)]


def _missed(compared: Comparisons) -> dict[str, tuple[str, Discrepancy]]:
    """Return model → what its predictions are compared with (measurements, else the first model), how they miss it."""
    of, found = f"measured {compared.nfp}", [(judged.model, judged.discrepancy) for judged in compared.judged]
    if not found:
        of, found = compared.models[0].name, [(pair.second, pair.discrepancy) for pair in compared.comparisons]
    return {model: (of, missed) for model, missed in found if missed is not None}


def csv_table(name: str, result: Result) -> Table:
    """Return the table with a name for CSV: tables of several models become one, with a column for the model."""
    if name in {"terms", "classes"} and not all(pair.same_link for pair in result.comparisons.comparisons):
        # A product and a sum have no terms in common.
        name = "sets"
    first, *others = (model.name for model in result.comparisons.models)
    if name in PER_PAIR:
        # Columns with the name of a model have one name for all tables.
        pairs = [replace(pair, first="first", second="second") for pair in result.comparisons.comparisons]
        title, names, tables = "second model", others, [PER_PAIR[name](pair) for pair in pairs]
    else:
        title, names, tables = "model", [first, *others], list(tables_of(name, result))
        if name == "places":
            names = [*_missed(result.comparisons)]
        elif name != "ranges":
            return tables[0]
    rows = [(own, *row) for own, table in zip(names, tables, strict=True) for row in table.rows]
    return Table((title, *tables[0].columns), tuple(rows))


def measures_table(compared: Comparisons, basis: Basis, keys: Sequence[str] = DEFAULT_KEYS) -> Table:
    """Return all measures: a column per model; the first against each other one, then all against the measurements."""
    pairs = compared.comparisons
    first, *others = (pairs[0].first, *(pair.second for pair in pairs))
    scores = [pair.syntactic if pair.same_link else None for pair in pairs]
    opposite = any(score is not None and score.opposite for score in scores)
    hybrids = [pair.hybrid for pair in pairs]
    sources: list[tuple[Sequence[Any], str, str]] = [
        (scores, "syntactic score", "score"),
        (scores, "lower bound", "lower"),
        (scores, "upper bound", "upper"),
        (scores, "normalised score", "normalized"),
        *[(scores, "influences of opposite sign", "opposite")] * opposite,
        (hybrids, "hybrid, by terms", "syntactic"),
        (hybrids, "hybrid, by contributions", "semantic"),
        ([pair.option_sets for pair in pairs], "overlap of sets of options", "overlap"),
    ]
    rows: list[tuple[Cell, ...]] = []
    rows += [(first, title, None, *map(getter(source), found)) for found, title, source in sources if any(found)]
    second = pairs[0].second if len(pairs) == 1 else "the other model"
    rows += semantic_rows(first, (first, second), [None, *(pair.semantic for pair in pairs)], keys)
    judgements = [judged.semantic for judged in compared.judged]
    rows += semantic_rows("measured", ("measured", "predicted"), judgements, keys)
    if any(judged.covered is not None for judged in compared.judged):
        title = f"runs within prediction intervals at {compared.level:g}"
        rows.append(("measured", title, *(judged.covered for judged in compared.judged)))
    caption = "Measures"
    if basis.configurations is not None:
        caption += f" on {views.counted(len(basis.configurations), 'configuration')} ({basis.text})"
    return Table(("compared with", "measure", first, *others), tuple(rows), caption)


def semantic_rows(
    compared_with: str, names: tuple[str, str], found: Sequence[SemanticComparison | None], keys: Sequence[str]
) -> Iterator[tuple[Cell, ...]]:
    """Yield one row per measure of predictions, directed ones with the name of the reference; none without predictions.

    `names`: those of the first and of the second values.
    """
    some = next((score for score in found if score is not None), None)
    if some is None:
        return
    first, second = names if some.reference == "first" else names[::-1]
    direct, reversed_ = sorted(ERROR_RATES.values(), key=lambda key: key != ERROR_RATES[some.reference])
    exchanged = {"error_rate": direct, "error_rate_reversed": reversed_}
    for key in (exchanged.get(key, key) for key in keys):
        entry = MEASURES["error_rate"] if key in ERROR_RATES.values() else measure(key)
        title, percent = entry.title, entry.kind == "percent"
        title += ", %" if percent else ""
        if entry.directed:
            # Exchanging the values changes the measure.
            title += f"{' of' if percent else ', reference'} {second if key == reversed_ else first}"
        yield compared_with, title, *(_cell(score, "values", key, entry.kind in DISTANCES) for score in found)
    for power in some.mean_power:
        title = "mean |a - b|" if power == "1" else f"mean |a - b|^{power}"
        yield compared_with, title, *(_cell(score, "mean_power", power) for score in found)


def _cell(score: SemanticComparison | None, group: str, key: str, distance: bool = True) -> float | None:
    """Return the value of a measure, 0 of distances between values that differ by rounding only."""
    if score is None:
        return None
    value: float | None = getattr(score, group).get(key)
    rates = [score.values.get(name) for name in ERROR_RATES.values()]
    same = any(rate is not None and rate < ROUNDING_PERCENT for rate in rates)
    return 0.0 if value is not None and distance and same else value


def term_table(pair: Comparison) -> Table:
    """Return every term of two models with its score and both influences; of a product and a sum, the sets."""
    if not pair.same_link:
        return set_table(pair)
    score = pair.syntactic
    caption = f"Terms of {pair.first} and {pair.second}: score {score.score:.4g} in [{score.lower:g}, {score.upper:g}]"
    if score.normalized is not None:
        caption += f", normalised {score.normalized:.3g}"
    if score.opposite:
        caption += f", {views.counted(score.opposite, 'influence')} of opposite sign"
    rows = [(group, term) for group in score.classes for term in group.terms]
    influences = views.Column(pair.first, "1.first"), views.Column(pair.second, "1.second")
    shown = (CLASS, *views.columns("term = 1.text"), *influences, *views.columns("found = 1.found, score = 1.score"))
    return views.table_of(rows, shown, caption)


def class_table(pair: Comparison) -> Table:
    """Return the equivalence classes of two models with their scores and shares of the performance."""
    if not pair.same_link:
        return set_table(pair)
    shares = {share.options: share for share in pair.hybrid.classes} if pair.hybrid else {}
    rows = [(group, shares.get(group.options)) for group in pair.syntactic.classes]
    shown = (
        CLASS,
        views.Column("terms", lambda row: len(row[0].terms)),
        *views.columns("score = 0.score, normalised = 0.normalized"),
        views.Column(f"% of {pair.first}", _percent("1.first")),
        views.Column(f"% of {pair.second}", _percent("1.second")),
        *views.columns("similarity = 1.semantic"),
    )
    return views.table_of(rows, shown, f"Equivalence classes of {pair.first} and {pair.second}")


def set_table(pair: Comparison) -> Table:
    """Return the sets of options of two models with their shares, the largest first."""
    shares = pair.option_sets
    shown = (
        views.Column("set of options", lambda row: ", ".join(row.options) or CONSTANT),
        views.Column(f"% of {pair.first}", _percent("first")),
        views.Column(f"% of {pair.second}", _percent("second")),
        views.Column("% of both", lambda row: 100 * min(row.first, row.second)),
    )
    caption = f"Sets of options of {pair.first} and {pair.second}"
    if shares is None:
        return views.table_of((), shown, f"{caption}: unknown without configurations")
    of = "mean absolute contributions" if shares.of == "mean" else "variance of the predictions"
    overlap = "undefined" if shares.overlap is None else f"{shares.overlap:.3g}"
    rows = sorted(shares.sets, key=lambda row: -comparable_size(max(row.first, row.second)))
    return views.table_of(rows, shown, f"{caption}: overlap {overlap}; shares of the {of}")


def _percent(source: str) -> Getter:
    """Return the function that gets a fraction of a source in percent."""
    get = getter(source)
    return lambda row: None if (fraction := get(row)) is None else 100 * fraction


PER_PAIR = {"terms": term_table, "classes": class_table, "sets": set_table}
CLASS = views.Column("class", lambda row: ", ".join(row[0].options) or CONSTANT)
RANGES = (
    *views.columns("term = 0, influence = 1.influence, least = 1.low, greatest = 1.high"),
    views.Column("exact", lambda row: "yes" if row[1].exact else "bound"),
)
_BANDS = "overlapping = intervals.overlapping, Jaccard = intervals.jaccard, Hausdorff distance = intervals.hausdorff"
INTERVALS = views.columns(f"model = second, {_BANDS}")
CORRELATIONS = views.columns(
    "measure, pairs, Spearman = spearman, low, high, Kendall = kendall, Pearson = pearson, remark = reason"
)


MEASURE_COLUMNS = (
    *views.columns("measure = key, title, kind, better"),
    views.Column("computed", lambda row: "always" if row.key in DEFAULT_KEYS else ""),
)


def as_json(result: Result | Request) -> dict[str, Any]:
    """Return the JSON object of a comparison of two models, or of the first model with each of several others."""
    if isinstance(result, Request):
        raise RequestError("the list of measures is text; leave out --json", "measures", "json")
    request, compared = result.request, result.comparisons
    pairs = [_pair_as_json(pair) for pair in compared.comparisons]
    facts = "name, file, sha256, kind, nfp, link = model.link, text = bound.text"
    models = [{**picked(model, facts), "terms": len(model.bound.terms)} for model in compared.models]
    more: dict[str, Any] = {}
    for model, ranges in zip(compared.models, result.ranges, strict=bool(result.ranges)):
        ends = "influence, low, high, low_at, high_at, exact"
        terms = [{"term": row.term.text(model.model.order), **picked(row, ends)} for row in ranges]
        more.setdefault("ranges", []).append({"model": model.name, "terms": terms})
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
                {**picked(group, f"options, {scores}"), "terms": [picked(term, of_terms) for term in group.terms]}
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


def view(result: Result | Request, detail: views.Detail) -> views.View:
    """Yield the answer and the tables, or the list of measures."""
    if isinstance(result, Request):
        yield views.Rows(MEASURES.values(), MEASURE_COLUMNS)
        return
    yield from _tables(result, detail)
    if result.request.plot is not None:
        yield views.Message(f"picture written to {result.request.plot}")
    yield result.notes
    yield from (views.Message(text, "warning") for text in result.failures)
    yield views.End(int(bool(result.failures)))


def _tables(result: Result, detail: views.Detail) -> views.View:
    names, form = result.request.chosen_tables, result.request.form
    if form == "csv":
        yield from (csv_text(csv_table(name, result)).rstrip("\n") for name in names)
        return
    if not form and (line := answer(result)):
        yield views.Answer(line)
        if detail.quiet and not result.request.tables:
            return
        yield ""
    writers = {"markdown": markdown_text, "latex": latex_text}
    for number, table in enumerate(table for name in names for table in tables_of(name, result)):
        if number:
            yield ""
        yield writers[form](table).rstrip("\n") if form else views.rows_of(table, "class", "found")


def chart_of(result: Result) -> Chart:
    """Return the chart of a comparison."""
    compared, view = result.comparisons, result.request.view
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
    return joined(charts, f"{first} and {models[0] if len(models) == 1 else f'{len(models)} other models'}")


def _run(request: Request, watch: views.Watch) -> Result | Request:
    """Compare models, and draw the picture that is asked for; the list of measures needs no models."""
    if "list" in request.measures:
        return request
    result = run(request, watch)
    if request.plot is not None:
        write_picture(chart_of(result), request.plot)
    return result


EXAMPLES = ("splc compare analytical.txt learned.log", "splc compare analytical.txt learned.log --on ff --json")
VERB = views.Verb(Request, _run, view, as_json, EXAMPLES, doing="comparing")
