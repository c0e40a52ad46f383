"""`splc compare`: compare models with each other and with the measurements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal

import typer

from splc.cli.json_output import print_object
from splc.cli.options import Json
from splc.cli.progress import progress
from splc.cli.show.compare import TABLE_NAMES, kind_of, picture, show
from splc.cli.show.compare_tables import show_measures
from splc.cli.terminal import end_if_negative, note, show_notes, warn
from splc.errors import unknown_name_hint
from splc.io.files import write_whole
from splc.plotting import plot_format
from splc.workflows.compare import Request, run
from splc.workflows.compare.models import RESULTS
from splc.workflows.fields import as_flag, as_option

EXAMPLES = (
    "splc compare analytical.txt learned.log",
    "splc compare analytical.txt learned.log --on ff --json",
)


def compare(
    request: Request,
    tables: Annotated[
        tuple[str, ...],
        as_option(
            "NAME",
            f"A table: {', '.join(TABLE_NAMES)}. Can be repeated.",
            RESULTS,
            names="--table",
            default="measures, and for two models terms",
        ),
    ] = (),
    json: Json = False,
    csv: Annotated[bool, as_flag("--csv", "Print the table as CSV.", RESULTS)] = False,
    markdown: Annotated[bool, as_flag("--markdown", "Print the tables as Markdown.", RESULTS)] = False,
    latex: Annotated[bool, as_flag("--latex", "Print the tables as LaTeX.", RESULTS)] = False,
    view: Annotated[
        Literal["both", "predictions", "terms"] | None,
        as_option("both|predictions|terms", "What --plot draws.", RESULTS, default="both"),
    ] = None,
) -> None:
    """Compare models by their terms and by their predictions, and each with the measurements."""
    if "list" in request.measures:
        if json:
            raise typer.BadParameter("the list of measures is text; leave out --json", param_hint="--measure, --json")
        show_measures()
        return
    if view is not None and request.plot is None:
        raise typer.BadParameter("it needs --plot FILE", param_hint="--view")
    forms = [name for name, flag in (("json", json), ("csv", csv), ("markdown", markdown), ("latex", latex)) if flag]
    if len(forms) > 1:
        raise typer.BadParameter("only one output format can be used", param_hint=f"--{forms[0]}, --{forms[1]}")
    form = forms[0] if forms else ""
    names = chosen_tables(tables, form, len(request.models))
    request = replace(
        request,
        intervals=0.95 if request.intervals is None and "intervals" in names else request.intervals,
        ranges="ranges" in names,
        correlations="correlations" in names,
    )
    drawn = plot_format(request.plot) if request.plot is not None else None
    with progress("comparing") as on_progress:
        result = run(request, on_progress)
    if request.plot is not None and drawn is not None:
        write_whole(request.plot, picture(result, view or "both", drawn))
    if json:
        print_object(kind_of(result), result)
    else:
        show(result, names, form, usual=not tables)
    if request.plot is not None:
        note(f"picture written to {request.plot}")
    show_notes(result.notes)
    for text in result.failures:
        warn(text)
    if result.failed:
        raise typer.Exit(1)
    end_if_negative(result.notes)


def chosen_tables(names: Sequence[str], form: str, models: int) -> tuple[str, ...]:
    """Return the tables to print.

    Raises:
        typer.BadParameter: for an unknown table, and for several tables as CSV.
    """
    for name in names:
        if name not in TABLE_NAMES:
            hint = unknown_name_hint(name, list(TABLE_NAMES))
            raise typer.BadParameter(f"unknown table {name!r}; {hint}", param_hint="--table")
    if form == "csv" and len(names) > 1:
        raise typer.BadParameter("CSV has one table; name it with --table", param_hint="--csv, --table")
    if names:
        return tuple(dict.fromkeys(names))
    return ("measures",) if form == "csv" or models > 2 else ("terms", "measures")
