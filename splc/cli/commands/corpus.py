"""`splc corpus`: recompute the errors that a tree of logs states, and compare its sampling strategies."""

from __future__ import annotations

from typing import Annotated

import typer

from splc import types
from splc.cli import options
from splc.cli.options import POLICIES, flag, option

RESULTS = "Results"
RELEARNED = "relearned"
USUAL = ("errors", "tests", "failures")
TABLES = (*USUAL, "pairs", "logs", RELEARNED)

EXAMPLES = (
    "splc corpus .",
    "splc corpus logs --systems systems --table logs --csv",
)


def corpus(
    root: Annotated[str, typer.Argument(metavar="FOLDER", help="The tree of logs (*.log) of SPL Conqueror or splc.")],
    systems: Annotated[
        str | None,
        option(
            "FOLDER",
            "Where the systems are: a folder with description and measurements for each, whose name begins the "
            "names of its logs or of their folders. [default: the tree itself]",
        ),
    ] = None,
    relearn: Annotated[
        bool,
        flag("--relearn", "Draw the learning sets again, learn from them, and report the first round that differs."),
    ] = False,
    jobs: Annotated[int | None, option("N", "Processes. [default: one per core]", names="--jobs -j", min=1)] = None,
    tables: Annotated[
        list[str] | None,
        option(
            "NAME",
            f"A table: {', '.join(TABLES)}. Can be repeated. [default: errors, tests, failures; relearned if asked]",
            RESULTS,
            names="--table",
        ),
    ] = None,
    json: options.Json = False,
    csv: Annotated[bool, flag("--csv", "Print the table as CSV.", RESULTS)] = False,
    markdown: Annotated[bool, flag("--markdown", "Print the tables as Markdown.", RESULTS)] = False,
    latex: Annotated[bool, flag("--latex", "Print the tables as LaTeX.", RESULTS)] = False,
    plot: Annotated[
        str | None, option("FILE", "A plot of errors by size and strategy (.svg, .png, .pdf).", RESULTS)
    ] = None,
    nfp: Annotated[
        str | None, option("NAME", "The property; the logs name theirs otherwise.", names="--property --nfp")
    ] = None,
    context: options.Context = None,
    ignore: options.Ignore = None,
    where: options.Where = None,
    invalid: options.Invalid = "drop",
    duplicates: options.Duplicates = "first",
    aggregate: Annotated[
        types.Aggregate | None,
        option("mean|median|min", "The value that represents repetitions. [default: mean]", POLICIES),
    ] = None,
) -> None:
    """Recompute every error that a tree of logs states, from the descriptions and measurements of the systems.

    Each table has the stated and the recomputed errors of the last round and of the best one, per system, sampling
    strategy and size. Strategies are compared by Kruskal-Wallis, Dunn's test and Vargha-Delaney's A12. Exit code 1:
    some logs cannot be read, state another error, or (--relearn) have other rounds.
    """
    given = dict(locals())
    from splc.cli.arguments import request_of
    from splc.cli.commands.study import cores
    from splc.cli.interruption import interruption
    from splc.cli.json_output import print_json
    from splc.cli.show.corpus import as_json, picture, show, tables_of
    from splc.cli.terminal import note, progress, show_notes
    from splc.errors import unknown_name_hint
    from splc.io.files import write_whole
    from splc.io.outputs import require_writable
    from splc.plotting import plot_format
    from splc.workflows.corpus import Request, run

    for name in tables or ():
        if name not in TABLES:
            hint = unknown_name_hint(name, TABLES)
            raise typer.BadParameter(f"unknown table {name!r}; {hint}", param_hint="--table")
    if sum((json, csv, markdown, latex)) > 1:
        raise typer.BadParameter("there is one output format", param_hint="--json, --csv, --markdown, --latex")
    if csv and len(tables or ()) != 1:
        raise typer.BadParameter("CSV has one table: name it with --table", param_hint="--csv")
    request = request_of(Request, given, ("tables", "json", "csv", "markdown", "latex", "plot"), jobs=jobs or cores())
    drawn = None if plot is None else plot_format(plot)
    require_writable(plot, ())
    with interruption("the logs in progress") as stop, progress("reading") as advance:
        result = run(request, advance, stop)
    show_notes(result.notes)
    if plot is not None and drawn is not None and result.cells:
        write_whole(plot, picture(result, drawn))
    if json:
        print_json("corpus", as_json(result))
    else:
        form = "csv" if csv else "markdown" if markdown else "latex" if latex else "text"
        show(result, tables_of(result, tables or (*USUAL, *((RELEARNED,) if relearn else ()))), form)
    if result.stopped:
        note("interrupted; the tables have the logs that were finished until then")
        raise typer.Exit(130)
    if result.failures or result.differing or result.not_relearned:
        raise typer.Exit(1)
