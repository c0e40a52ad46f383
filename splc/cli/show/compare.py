"""What `splc compare` shows: its tables, notes on what to know about them, pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from splc.cli.show.compare_tables import Report
    from splc.io.tables import Table

# The fewest models that make three pairs.
FEWEST = 3


def print_report(report: Report, form: str) -> None:
    """Print the tables.

    Args:
        report: the comparison.
        form: 'csv', 'markdown', 'latex', or empty for a terminal.
    """
    from splc.cli.show.compare_tables import csv_table, tables_of
    from splc.cli.terminal import say
    from splc.io.tables import csv_text, latex_text, markdown_text

    if form == "csv":
        for name in report.tables:
            say(csv_text(csv_table(name, report)).rstrip("\n"))
        return
    written = {"markdown": markdown_text, "latex": latex_text}
    found = [table for name in report.tables for table in tables_of(name, report)]
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


def say_what_to_know(report: Report) -> None:
    """Say on stderr what spoils a comparison or must be known to read it."""
    from comparison.syntactic import links_differ
    from splc.cli.terminal import note, warn
    from splc.errors import listed, plural

    compared = report.compared
    unseen: dict[str, list[str]] = {}
    for pair in compared.comparisons:
        for each in pair.syntactic.unseen:
            names = [pair.first if place == "first" else pair.second for place in each.models]
            unseen.setdefault(each.text, []).extend(name for name in names if name not in unseen.get(each.text, []))
    for text, names in unseen.items():
        note(f"syntactic comparison cannot see into {text} (in {', '.join(names)}); it is compared as a whole")
    first = compared.models[0]
    for model in compared.models[1:]:
        if links_differ(first.model, model.model):
            warn(
                f"{first.name} has the link {first.model.link!r}, {model.name} {model.model.link!r}: "
                "equal terms do not mean the same, and shares of classes are not compared"
            )
    for subject in report.subjects:
        expected = report.places.nfp
        if subject.nfp is not None and expected is not None and subject.nfp.split() != expected.split():
            warn(f"{subject.name} is about {subject.nfp!r}, but is judged by {expected!r}")
    for pair in compared.comparisons[:1]:
        if pair.semantic is not None and pair.semantic.left_out:
            count = plural(pair.semantic.left_out, "configuration", "configurations")
            note(f"{count} where {pair.first} predicts 0 are left out of the error rate")
    if compared.judged and compared.judged[0].semantic.left_out:
        count = plural(compared.judged[0].semantic.left_out, "configuration", "configurations")
        note(f"{count} with a measured value of 0 are left out of the error rate")
    negative = {
        model.name: below
        for model in compared.models
        if model.predicted is not None and (below := int((model.predicted < 0).sum()))
    }
    if negative:
        shown = listed([f"{name} has {plural(n, 'prediction', 'predictions')}" for name, n in negative.items()])
        note(f"{shown} below 0: Jaccard is no longer a fraction of what is common")
    if "correlations" in report.tables and len(compared.models) < FEWEST:
        note(f"correlations need three pairs, hence {FEWEST} models; here are {len(compared.models)}")


def picture(report: Report, view: str, file_format: str) -> bytes:
    """Return the picture of a comparison.

    Raises:
        OutputError: if there is nothing to draw.
    """
    import numpy as np

    from splc.plotting import Curves, comparison_plot

    views = ("predictions", "terms") if view == "both" else (view,)
    curves = None
    predicted = [model.predicted for model in report.compared.models if model.predicted is not None]
    if predicted:
        names = tuple(model.name for model in report.compared.models)
        curves = Curves(names, np.stack(predicted), report.places.measured, report.places.nfp)
    elif view == "both":
        views = ("terms",)
    return comparison_plot(views, curves, report.compared.comparisons, file_format)


def list_measures() -> None:
    """Print the measures that there are."""
    from comparison.measures import MEASURES
    from comparison.semantic import DEFAULT_KEYS
    from splc.cli.terminal import table

    rows = [
        (each.key, each.title, each.kind, each.better, "always" if each.key in DEFAULT_KEYS else "")
        for each in MEASURES.values()
    ]
    table(("measure", "title", "kind", "better", "computed"), rows)
