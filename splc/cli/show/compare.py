"""The output of `splc compare`: tables, JSON, pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from comparison.option_sets import OptionSets
    from comparison.result import Comparison, SemanticComparison, SyntacticComparison
    from splc.io.tables import Table
    from splc.workflows.compare import Result

TABLE_NAMES = ("measures", "terms", "classes", "sets", "ranges", "intervals", "correlations")


def show(result: Result, names: Sequence[str], form: str) -> None:
    """Print tables.

    `names`: the tables (see `TABLE_NAMES`).
    """
    from splc.cli.show.compare_tables import csv_table, tables_of
    from splc.cli.terminal import say
    from splc.io.tables import csv_text, latex_text, markdown_text

    if form == "csv":
        for name in names:
            say(csv_text(csv_table(name, result)).rstrip("\n"))
        return
    written = {"markdown": markdown_text, "latex": latex_text}
    found = [table for name in names for table in tables_of(name, result)]
    for number, table in enumerate(found):
        if number:
            say()
        if form:
            say(written[form](table).rstrip("\n"))
        else:
            show_table(table)


def show_table(table: Table) -> None:
    """Print a table to a terminal."""
    from splc.cli.terminal import say
    from splc.cli.terminal import table as print_table
    from splc.io.tables import cell_text

    if table.caption:
        say(table.caption)
    rows = [[cell_text(cell) for cell in row] for row in table.rows]
    right = [name for name, numeric in zip(table.columns, table.numeric, strict=True) if numeric]
    print_table(table.columns, rows, right=right)


def show_measures() -> None:
    """Print the measures of predictions."""
    from comparison.measures import DEFAULT_KEYS, MEASURES
    from splc.cli.terminal import table

    rows = [
        (each.key, each.title, each.kind, each.better, "always" if each.key in DEFAULT_KEYS else "")
        for each in MEASURES.values()
    ]
    table(("measure", "title", "kind", "better", "computed"), rows)


def picture(result: Result, view: str, file_format: str) -> bytes:
    """Return the picture of a comparison."""
    import numpy as np

    from splc.errors import OutputError
    from splc.plotting import Curves, comparison_plot

    compared = result.comparisons
    views = ("predictions", "terms") if view == "both" else (view,)
    curves = None
    predicted = [model.predicted for model in compared.models if model.predicted is not None]
    if predicted:
        names = tuple(model.name for model in compared.models)
        curves = Curves(names, np.stack(predicted), result.basis.measured, compared.nfp)
    elif view == "both":
        views = ("terms",)
    pairs = [pair for pair in compared.comparisons if pair.same_link]
    if not pairs and "terms" in views:
        if view == "terms":
            raise OutputError("a product and a sum have no terms that can be compared", hint="draw the predictions")
        views = ("predictions",)
    return comparison_plot(views, curves, pairs, file_format)


def as_json(result: Result) -> dict[str, Any]:
    """Return the content of the JSON object: the comparison of two models, or a list of such objects for more."""
    from splc import __version__

    compared, request = result.comparisons, result.request
    configurations = result.basis.configurations
    content: dict[str, Any] = {
        "version": __version__,
        "models": [
            {
                "name": model.name,
                "file": model.file,
                "sha256": model.sha256,
                "kind": model.kind,
                "nfp": model.nfp,
                "link": model.model.link,
                "text": model.bound.text,
                "terms": len(model.bound.terms),
            }
            for model in compared.models
        ],
        "nfp": compared.nfp,
        "on": result.basis.text,
        "configurations": 0 if configurations is None else len(configurations),
        "seed": request.seed,
        "files": result.files,
        "settings": {
            "at": request.at,
            "constant": request.constant,
            "weights": compared.weights,
            "reference": request.reference,
            "level": compared.level,
            "parameter": request.parameter,
            "scale": request.scale,
            "round": str(request.round),
            "learning": None if request.learning is None else str(request.learning or "all"),
            "invalid": request.invalid,
            "duplicates": request.duplicates,
            "aggregate": request.aggregate,
        },
    }
    pairs = [comparison_object(pair) for pair in compared.comparisons]
    content |= pairs[0] if len(pairs) == 1 else {"comparisons": pairs}
    content["measured"] = [
        {"model": judged.model, **semantic_object(judged.semantic), "covered": judged.covered}
        for judged in compared.judged
    ]
    if request.ranges:
        content["ranges"] = ranges_object(result)
    if request.correlations:
        content["correlations"] = [vars(found) for found in result.correlations]
    return content


def comparison_object(pair: Comparison) -> dict[str, Any]:
    """Return the comparison of two models."""
    content: dict[str, Any] = {
        "first": pair.first,
        "second": pair.second,
        "syntactic": syntactic_object(pair.syntactic) if pair.same_link else None,
        "semantic": None if pair.semantic is None else semantic_object(pair.semantic),
        "hybrid": None,
        "option_sets": None if pair.option_sets is None else option_sets_object(pair.option_sets),
        "intervals": None if pair.intervals is None else vars(pair.intervals),
    }
    if pair.hybrid is not None:
        content["hybrid"] = {
            "syntactic": pair.hybrid.syntactic,
            "semantic": pair.hybrid.semantic,
            "classes": [vars(share) for share in pair.hybrid.classes],
        }
    return content


def option_sets_object(found: OptionSets) -> dict[str, Any]:
    """Return the shares of sets of options, and their overlap."""
    return {"of": found.of, "overlap": found.overlap, "sets": [vars(each) for each in found.sets]}


def syntactic_object(found: SyntacticComparison) -> dict[str, Any]:
    """Return a syntactic comparison: its sums, the classes and the terms; `a` and `b` are the two influences."""
    return {
        "score": found.score,
        "lower": found.lower,
        "upper": found.upper,
        "normalized": found.normalized,
        "opposite": found.opposite,
        "constant": found.constant,
        "classes": [
            {
                "options": group.options,
                "score": group.score,
                "lower": group.lower,
                "upper": group.upper,
                "normalized": group.normalized,
                "terms": [
                    {"term": term.text, "score": term.score, "found": term.found, "a": term.first, "b": term.second}
                    for term in group.terms
                ],
            }
            for group in found.classes
        ],
        "unseen": [vars(each) for each in found.unseen],
    }


def semantic_object(found: SemanticComparison) -> dict[str, Any]:
    """Return a semantic comparison: the measures by their keys."""
    return {
        "configurations": found.configurations,
        **found.values,
        "mean_power": found.mean_power,
        "left_out": found.left_out,
        "left_out_reversed": found.left_out_reversed,
        "negative_predictions": found.negative,
        "weights": found.weights,
        "reference": found.reference,
    }


def ranges_object(result: Result) -> list[dict[str, Any]]:
    """Return the least and greatest contributions of the terms of each model."""
    return [
        {
            "model": model.name,
            "terms": [
                {
                    "term": found.term.text(model.model.order),
                    "influence": found.influence,
                    "low": found.low,
                    "high": found.high,
                    "low_at": found.low_at,
                    "high_at": found.high_at,
                    "exact": found.exact,
                }
                for found in ranges
            ],
        }
        for model, ranges in zip(result.comparisons.models, result.ranges, strict=True)
    ]
