"""The tables of `splc compare`: scores, measures, ranges, intervals, correlations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from splc.io.tables import Cell, Table

if TYPE_CHECKING:
    from comparison.correlation import Correlation
    from comparison.result import Comparisons, SemanticComparison
    from sampling import Space
    from splc.cli.compared_models import Subject
    from splc.cli.comparing import Places
    from splc.types import Array

CONSTANT = "(constant)"


@dataclass(frozen=True, eq=False)
class Report:
    """A comparison with what its tables need.

    Attributes:
        compared: the comparison.
        places: where predictions are compared.
        subjects: the models, as they were read.
        keys: the measures.
        tables: which tables to print.
        space: the valid configurations.
        seed: of what is drawn.
        weights: weights of the configurations, shape (n,); None: all the same.
        settings: what else was asked for, for `--json`.
        files: what was read beside the models, with hashes, for `--json`.
    """

    compared: Comparisons
    places: Places
    subjects: tuple[Subject, ...]
    keys: tuple[str, ...]
    tables: tuple[str, ...]
    space: Space
    seed: int
    weights: Array | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, Any] = field(default_factory=dict)


def tables_of(name: str, report: Report) -> Iterator[Table]:
    """Yield the tables that a name stands for."""
    if name == "measures":
        yield measures_table(report)
    elif name == "terms":
        yield from term_tables(report)
    elif name == "classes":
        yield from class_tables(report)
    elif name == "ranges":
        yield from range_tables(report)
    elif name == "intervals":
        yield interval_table(report)
    else:
        yield correlation_table(report)


def csv_table(name: str, report: Report) -> Table:
    """Return the one table that a name stands for in CSV: where there is one per model, a column says which."""
    tables = list(tables_of(name, report))
    if name not in {"terms", "classes", "ranges"}:
        return tables[0]
    first, *others = (model.name for model in report.compared.models)
    if name == "ranges":
        return _joined("model", (first, *others), tables, tables[0].columns)
    columns = list(tables[0].columns)
    # What is the name of a model in one table is the same column in all.
    columns[2:4] = ("first", "second") if name == "terms" else columns[2:4]
    columns[4:6] = ("% of first", "% of second") if name == "classes" else columns[4:6]
    return _joined("second model", others, tables, columns)


def _joined(title: str, names: Sequence[str], tables: Sequence[Table], columns: Sequence[str]) -> Table:
    """Return tables below each other, with a column that says which model each is about."""
    rows = [(name, *row) for name, table in zip(names, tables, strict=True) for row in table.rows]
    return Table((title, *columns), tuple(rows))


def measures_table(report: Report) -> Table:
    """Return all measures: one column per model, the first against each other one, then all against measurements."""
    from comparison.measures import measure
    from splc.errors import plural

    compared = report.compared
    names = [model.name for model in compared.models]
    pairs = compared.comparisons
    first = names[0]
    rows: list[tuple[Cell, ...]] = [
        (first, "syntactic score", None, *(pair.syntactic.score for pair in pairs)),
        (first, "lower bound", None, *(pair.syntactic.lower for pair in pairs)),
        (first, "upper bound", None, *(pair.syntactic.upper for pair in pairs)),
        (first, "normalised score", None, *(pair.syntactic.normalized for pair in pairs)),
    ]
    if any(pair.hybrid for pair in pairs):
        rows.append((first, "hybrid, by terms", None, *(p.hybrid.syntactic if p.hybrid else None for p in pairs)))
        rows.append(
            (first, "hybrid, by contributions", None, *(p.hybrid.semantic if p.hybrid else None for p in pairs))
        )

    def semantic(reference: str, found: Sequence[SemanticComparison | None]) -> None:
        some = next((each for each in found if each is not None), None)
        if some is None:
            return
        for key in report.keys:
            values = [None if each is None else each.values.get(key) for each in found]
            entry = measure(key)
            title = f"{entry.title}, %" if entry.kind == "percent" else entry.title
            rows.append((reference, title, *values))
        for power in some.mean_power:
            values = [None if each is None else each.mean_power[power] for each in found]
            rows.append((reference, mean_power_title(power), *values))

    semantic(first, [None, *(pair.semantic for pair in pairs)])
    if compared.judged:
        semantic("measured", [judged.semantic for judged in compared.judged])
        if any(judged.covered is not None for judged in compared.judged):
            rows.append(
                (
                    "measured",
                    f"within prediction intervals at {compared.settings['level']:g}",
                    *(judged.covered for judged in compared.judged),
                )
            )
    places = report.places.configurations
    count = "" if places is None else f" on {plural(len(places), 'configuration', 'configurations')}"
    what = f"({report.places.text})" if count else ""
    return Table(("compared with", "measure", *names), tuple(rows), f"Measures{count} {what}".rstrip())


def mean_power_title(power: str) -> str:
    """Return how a table calls the mean of |a - b|^p."""
    return "mean |a - b|" if power == "1" else f"mean |a - b|^{power}"


def term_tables(report: Report) -> Iterator[Table]:
    """Yield for each other model: every term with its score and both influences."""
    for pair in report.compared.comparisons:
        rows: list[tuple[Cell, ...]] = []
        for group in pair.syntactic.classes:
            title = ", ".join(group.options) or CONSTANT
            rows += [(title, term.text, term.first, term.second, term.found, term.score) for term in group.terms]
        score = pair.syntactic
        caption = (
            f"Terms of {pair.first} and {pair.second}: score {score.score:.4g} in [{score.lower:g}, {score.upper:g}]"
        )
        if score.normalized is not None:
            caption += f", normalised {score.normalized:.3g}"
        yield Table(("class", "term", pair.first, pair.second, "found", "score"), tuple(rows), caption)


def class_tables(report: Report) -> Iterator[Table]:
    """Yield for each other model: the equivalence classes with their scores and shares of the performance."""
    for pair in report.compared.comparisons:
        shares = {share.options: share for share in pair.hybrid.classes} if pair.hybrid else {}
        rows: list[tuple[Cell, ...]] = []
        for group in pair.syntactic.classes:
            share = shares.get(group.options)
            measured = (None,) * 3 if share is None else (100 * share.first, 100 * share.second, share.semantic)
            title = ", ".join(group.options) or CONSTANT
            rows.append((title, len(group.terms), group.score, group.normalized, *measured))
        columns = ("class", "terms", "score", "normalised", f"% of {pair.first}", f"% of {pair.second}", "similarity")
        yield Table(columns, tuple(rows), f"Equivalence classes of {pair.first} and {pair.second}")


def range_tables(report: Report) -> Iterator[Table]:
    """Yield for each model: the least and the greatest contribution of every term over the configuration space."""
    from comparison.ranges import term_ranges

    for model in report.compared.models:
        rows: list[tuple[Cell, ...]] = [
            (
                found.term.text(model.model.order),
                found.influence,
                found.low,
                found.high,
                "yes" if found.exact else "bound",
            )
            for found in term_ranges(model.model, report.space)
        ]
        yield Table(
            ("term", "influence", "least", "greatest", "exact"),
            tuple(rows),
            f"Contributions of the terms of {model.name} over all valid configurations",
        )


def interval_table(report: Report) -> Table:
    """Return what the comparison of intervals says, one row per other model."""
    rows: list[tuple[Cell, ...]] = [
        (
            pair.second,
            found.overlapping,
            found.jaccard,
            found.hausdorff,
            *found.width,
        )
        for pair in report.compared.comparisons
        if (found := pair.intervals) is not None
    ]
    first = report.compared.models[0].name
    caption = f"Confidence bands of the mean at the level {report.compared.settings['level']:g}, compared with {first}"
    columns = ("model", "overlapping", "Jaccard", "Hausdorff distance", f"width of {first}", "width of the model")
    return Table(columns, tuple(rows), caption)


def correlation_table(report: Report) -> Table:
    """Return how each measure correlates with the error rate over all pairs of models."""
    rows: list[tuple[Cell, ...]] = [
        (found.measure, found.pairs, found.spearman, found.low, found.high, found.kendall, found.pearson, found.reason)
        for found in all_correlations(report)
    ]
    columns = ("measure", "pairs", "Spearman", "low", "high", "Kendall", "Pearson", "remark")
    return Table(columns, tuple(rows), "Correlation with the error rate over all pairs of models")


def all_correlations(report: Report) -> tuple[Correlation, ...]:
    """Return the correlations of the measures with the error rate over all pairs of models."""
    from math import comb

    from comparison.correlation import pair_correlations
    from splc.cli.terminal import progress

    predicted = [model.predicted for model in report.compared.models if model.predicted is not None]
    with progress("correlating", comb(len(predicted), 2)) as advance:
        return pair_correlations(
            predicted, report.keys, weights=report.weights, seed=report.seed, on_pair=lambda done: advance(done, "")
        )
