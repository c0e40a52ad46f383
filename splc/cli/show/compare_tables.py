"""The tables of `splc compare`: scores, measures, ranges, intervals, correlations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from comparison.measures import ERROR_RATES, MEASURES, measure
from comparison.result import Comparison, SemanticComparison
from splc.errors import plural
from splc.io.numbers import comparable_size
from splc.io.tables import Cell, Table
from splc.workflows.compare import Result

CONSTANT = "(constant)"


def tables_of(name: str, result: Result) -> Iterator[Table]:
    """Yield the tables with a name."""
    if name == "measures":
        yield measures_table(result)
    elif name == "terms":
        yield from term_tables(result)
    elif name == "classes":
        yield from class_tables(result)
    elif name == "sets":
        yield from set_tables(result)
    elif name == "ranges":
        yield from range_tables(result)
    elif name == "intervals":
        yield interval_table(result)
    else:
        yield correlation_table(result)


def csv_table(name: str, result: Result) -> Table:
    """Return the table with a name for CSV: tables of several models become one, with a column for the model."""
    if name in {"terms", "classes"} and not all(pair.same_link for pair in result.comparisons.comparisons):
        # A product and a sum have no terms in common.
        name = "sets"
    tables = list(tables_of(name, result))
    if name not in {"terms", "classes", "sets", "ranges"}:
        return tables[0]
    first, *others = (model.name for model in result.comparisons.models)
    if name == "ranges":
        return _joined("model", (first, *others), tables, tables[0].columns)
    columns = list(tables[0].columns)
    # Columns with the name of a model have one name for all tables.
    columns[2:4] = ("first", "second") if name == "terms" else columns[2:4]
    columns[1:3] = ("% of first", "% of second") if name == "sets" else columns[1:3]
    columns[4:6] = ("% of first", "% of second") if name == "classes" else columns[4:6]
    return _joined("second model", others, tables, columns)


def _joined(title: str, names: Sequence[str], tables: Sequence[Table], columns: Sequence[str]) -> Table:
    """Return tables below each other, with a column for the model of each."""
    rows = [(name, *row) for name, table in zip(names, tables, strict=True) for row in table.rows]
    return Table((title, *columns), tuple(rows))


def measures_table(result: Result) -> Table:
    """Return all measures: a column per model; the first against each other one, then all against the measurements."""
    compared = result.comparisons
    pairs = compared.comparisons
    first = compared.models[0].name
    rows: list[tuple[Cell, ...]] = []
    scores = [pair.syntactic if pair.same_link else None for pair in pairs]
    if any(scores):
        rows = [
            (first, "syntactic score", None, *(None if each is None else each.score for each in scores)),
            (first, "lower bound", None, *(None if each is None else each.lower for each in scores)),
            (first, "upper bound", None, *(None if each is None else each.upper for each in scores)),
            (first, "normalised score", None, *(None if each is None else each.normalized for each in scores)),
        ]
        if any(each is not None and each.opposite for each in scores):
            title = "influences of opposite sign"
            rows.append((first, title, None, *(None if each is None else each.opposite for each in scores)))
    hybrids = [pair.hybrid for pair in pairs]
    if any(hybrids):
        rows.append((first, "hybrid, by terms", None, *(None if each is None else each.syntactic for each in hybrids)))
        rows.append(
            (first, "hybrid, by contributions", None, *(None if each is None else each.semantic for each in hybrids))
        )
    sets = [pair.option_sets for pair in pairs]
    if any(sets):
        title = "overlap of sets of options"
        rows.append((first, title, None, *(None if each is None else each.overlap for each in sets)))
    other = pairs[0].second if len(pairs) == 1 else "the other model"
    rows += semantic_rows(first, (first, other), [None, *(pair.semantic for pair in pairs)], result.measures)
    judgements = [judged.semantic for judged in compared.judged]
    rows += semantic_rows("measured", ("measured", "predicted"), judgements, result.measures)
    if any(judged.covered is not None for judged in compared.judged):
        title = f"within prediction intervals at {compared.level:g}"
        rows.append(("measured", title, *(judged.covered for judged in compared.judged)))
    caption = "Measures"
    if result.basis.configurations is not None:
        count = plural(len(result.basis.configurations), "configuration", "configurations")
        caption += f" on {count} ({result.basis.text})"
    return Table(("compared with", "measure", *(model.name for model in compared.models)), tuple(rows), caption)


def semantic_rows(
    compared_with: str, names: tuple[str, str], found: Sequence[SemanticComparison | None], keys: Sequence[str]
) -> Iterator[tuple[Cell, ...]]:
    """Yield one row per measure of predictions, directed ones with the name of the reference; none without predictions.

    `names`: those of the first and of the second values.
    """
    some = next((each for each in found if each is not None), None)
    if some is None:
        return
    first, second = names if some.reference == "first" else names[::-1]
    ours, reversed_ = sorted(ERROR_RATES.values(), key=lambda key: key != ERROR_RATES[some.reference])
    exchanged = {"error_rate": ours, "error_rate_reversed": reversed_}
    for key in (exchanged.get(key, key) for key in keys):
        title = directed_title(key, second if key == reversed_ else first)
        yield compared_with, title, *(None if each is None else each.values.get(key) for each in found)
    for power in some.mean_power:
        values = (None if each is None else each.mean_power[power] for each in found)
        yield compared_with, mean_power_title(power), *values


def directed_title(key: str, reference: str) -> str:
    """Return the title of a measure, which names the reference where exchanging the values changes the measure."""
    entry = MEASURES["error_rate"] if key in ERROR_RATES.values() else measure(key)
    title = f"{entry.title}, %" if entry.kind == "percent" else entry.title
    if entry.laws.symmetric:
        return title
    return f"{title} of {reference}" if entry.kind == "percent" else f"{title}, reference {reference}"


def mean_power_title(power: str) -> str:
    """Return the title of the mean of |a - b|^p."""
    return "mean |a - b|" if power == "1" else f"mean |a - b|^{power}"


def term_tables(result: Result) -> Iterator[Table]:
    """Yield for each other model: every term with its score and both influences; of a product and a sum, the sets."""
    for pair in result.comparisons.comparisons:
        rows: list[tuple[Cell, ...]] = []
        if not pair.same_link:
            yield set_table(pair)
            continue
        for group in pair.syntactic.classes:
            title = ", ".join(group.options) or CONSTANT
            rows += [(title, term.text, term.first, term.second, term.found, term.score) for term in group.terms]
        score = pair.syntactic
        caption = (
            f"Terms of {pair.first} and {pair.second}: score {score.score:.4g} in [{score.lower:g}, {score.upper:g}]"
        )
        if score.normalized is not None:
            caption += f", normalised {score.normalized:.3g}"
        if score.opposite:
            caption += f", {plural(score.opposite, 'influence', 'influences')} of opposite sign"
        yield Table(("class", "term", pair.first, pair.second, "found", "score"), tuple(rows), caption)


def class_tables(result: Result) -> Iterator[Table]:
    """Yield for each other model: the equivalence classes with their scores and shares of the performance."""
    for pair in result.comparisons.comparisons:
        if not pair.same_link:
            yield set_table(pair)
            continue
        shares = {share.options: share for share in pair.hybrid.classes} if pair.hybrid else {}
        rows: list[tuple[Cell, ...]] = []
        for group in pair.syntactic.classes:
            share = shares.get(group.options)
            measured = (None,) * 3 if share is None else (100 * share.first, 100 * share.second, share.semantic)
            title = ", ".join(group.options) or CONSTANT
            rows.append((title, len(group.terms), group.score, group.normalized, *measured))
        columns = ("class", "terms", "score", "normalised", f"% of {pair.first}", f"% of {pair.second}", "similarity")
        yield Table(columns, tuple(rows), f"Equivalence classes of {pair.first} and {pair.second}")


def set_tables(result: Result) -> Iterator[Table]:
    """Yield for each other model: the sets of options with their shares in both models."""
    for pair in result.comparisons.comparisons:
        yield set_table(pair)


def set_table(pair: Comparison) -> Table:
    """Return the sets of options of two models with their shares, the largest first."""
    found = pair.option_sets
    columns = ("set of options", f"% of {pair.first}", f"% of {pair.second}", "% of both")
    caption = f"Sets of options of {pair.first} and {pair.second}"
    if found is None:
        return Table(columns, (), f"{caption}: unknown without configurations")
    of = "mean absolute contributions" if found.of == "mean" else "variance of the predictions"
    rows: list[tuple[Cell, ...]] = [
        (", ".join(each.options) or CONSTANT, 100 * each.first, 100 * each.second, 100 * each.shared)
        for each in sorted(found.sets, key=lambda each: -comparable_size(max(each.first, each.second)))
    ]
    overlap = "undefined" if found.overlap is None else f"{found.overlap:.3g}"
    return Table(columns, tuple(rows), f"{caption}: overlap {overlap}; shares of the {of}")


def range_tables(result: Result) -> Iterator[Table]:
    """Yield for each model: the least and the greatest contribution of every term over the configuration space."""
    for model, ranges in zip(result.comparisons.models, result.ranges, strict=True):
        rows: list[tuple[Cell, ...]] = [
            (
                found.term.text(model.model.order),
                found.influence,
                found.low,
                found.high,
                "yes" if found.exact else "bound",
            )
            for found in ranges
        ]
        yield Table(
            ("term", "influence", "least", "greatest", "exact"),
            tuple(rows),
            f"Contributions of the terms of {model.name} over all valid configurations",
        )


def interval_table(result: Result) -> Table:
    """Return the comparisons of intervals, one row per other model."""
    rows: list[tuple[Cell, ...]] = [
        (
            pair.second,
            found.overlapping,
            found.jaccard,
            found.hausdorff,
            *found.width,
        )
        for pair in result.comparisons.comparisons
        if (found := pair.intervals) is not None
    ]
    first = result.comparisons.models[0].name
    caption = f"Confidence bands of the mean at the level {result.comparisons.level:g}, compared with {first}"
    columns = ("model", "overlapping", "Jaccard", "Hausdorff distance", f"width of {first}", "width of the model")
    return Table(columns, tuple(rows), caption)


def correlation_table(result: Result) -> Table:
    """Return the correlation of each measure with the error rate over all pairs of models."""
    rows: list[tuple[Cell, ...]] = [
        (found.measure, found.pairs, found.spearman, found.low, found.high, found.kendall, found.pearson, found.reason)
        for found in result.correlations
    ]
    columns = ("measure", "pairs", "Spearman", "low", "high", "Kendall", "Pearson", "remark")
    caption = f"Correlation with the error rate, relative to the {result.request.reference} model, over all pairs"
    return Table(columns, tuple(rows), caption)
