"""`splc corpus`: recompute the errors that a tree of logs states, and compare its sampling strategies."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from splc.cli.commands.study import cores
from splc.cli.interruption import interruption
from splc.cli.json_output import print_object
from splc.cli.options import Json
from splc.cli.progress import progress
from splc.cli.show.corpus import CorpusObject, picture, show, tables_of
from splc.cli.terminal import note, show_notes
from splc.errors import unknown_name_hint
from splc.io.files import write_whole
from splc.io.outputs import require_writable
from splc.plotting import plot_format
from splc.splconqueror.corpus.corpus import Request, run
from splc.workflows.fields import Without, as_flag, as_option

RESULTS = "Results"
RELEARNED = "relearned"
USUAL = ("errors", "tests", "failures")
TABLES = (*USUAL, "pairs", "logs", RELEARNED)

EXAMPLES = (
    "splc corpus .",
    "splc corpus logs --systems systems --table logs --csv",
)


def corpus(
    request: Annotated[Request, Without(("system", "measurements", "options"))],
    jobs: Annotated[
        int | None, as_option("N", "Processes.", names="--jobs -j", minimum=1, default="one per core")
    ] = None,
    tables: Annotated[
        tuple[str, ...],
        as_option(
            "NAME",
            f"A table: {', '.join(TABLES)}. Can be repeated.",
            RESULTS,
            names="--table",
            default="errors, tests, failures; relearned if asked",
        ),
    ] = (),
    json: Json = False,
    csv: Annotated[bool, as_flag("--csv", "Print the table as CSV.", RESULTS)] = False,
    markdown: Annotated[bool, as_flag("--markdown", "Print the tables as Markdown.", RESULTS)] = False,
    latex: Annotated[bool, as_flag("--latex", "Print the tables as LaTeX.", RESULTS)] = False,
    plot: Annotated[
        str | None, as_option("FILE", "A plot of errors by size and strategy (.svg, .png, .pdf).", RESULTS)
    ] = None,
) -> None:
    """Recompute every error that a tree of logs states, from the descriptions and measurements of the systems.

    Each table has the stated and the recomputed errors of the last round and of the best one, per system, sampling
    strategy and size. Strategies are compared by Kruskal-Wallis, Dunn's test and Vargha-Delaney's A12. Exit code 1:
    some logs cannot be read, state another error, or (--relearn) have other rounds.
    """
    for name in tables:
        if name not in TABLES:
            hint = unknown_name_hint(name, TABLES)
            raise typer.BadParameter(f"unknown table {name!r}; {hint}", param_hint="--table")
    if sum((json, csv, markdown, latex)) > 1:
        raise typer.BadParameter("only one output format can be used", param_hint="--json, --csv, --markdown, --latex")
    if csv and len(tables) != 1:
        raise typer.BadParameter("CSV has one table; name it with --table", param_hint="--csv")
    request = replace(request, jobs=jobs or cores())
    drawn = None if plot is None else plot_format(plot)
    require_writable(plot, ())
    with interruption("the logs in progress") as stop, progress("reading") as advance:
        result = run(request, advance, stop)
    if plot is not None and drawn is not None:
        drawing = picture(result, drawn)
        if drawing is None:
            note("no plot is written: no log has both an error and a number of configurations")
        else:
            write_whole(plot, drawing)
    if json:
        print_object(CorpusObject, result)
    else:
        form = "csv" if csv else "markdown" if markdown else "latex" if latex else "text"
        show(result, tables_of(result, tables or (*USUAL, *((RELEARNED,) if request.relearn else ()))), form)
    show_notes(result.notes)
    if result.stopped:
        note("interrupted; the tables have the logs that were finished until then")
        raise typer.Exit(130)
    if result.failures or result.differing or result.not_relearned:
        raise typer.Exit(1)
