"""`python -m casestudies.published_logs FOLDER`: recompute every error that a tree of logs states.

Each table has the stated and the recomputed errors of the last round and of the best one, per system, sampling strategy
and size. Strategies are compared by Kruskal-Wallis, Dunn's test and Vargha-Delaney's A12. Exit code 1: some logs cannot
be read, state another error, or (--relearn) have other rounds.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence

from casestudies.published_logs.logs import Request, run
from casestudies.published_logs.tables import RELEARNED, TABLES, picture, show, tables_of
from splc.cli.command import interruption
from splc.cli.signature import progress
from splc.cli.terminal import note, printable, show_notes
from splc.errors import SplcError
from splc.io.files import require_writable, write_whole
from splc.io.tables import csv_text
from splc.plotting import plot_format

USUAL = ("errors", "tests", "failures")


def main(arguments: Sequence[str] | None = None) -> int:
    """Recompute the errors of a tree of logs, print tables of them, and return the exit code."""
    parser = ArgumentParser(prog="python -m casestudies.published_logs", description=__doc__)
    parser.add_argument("root", metavar="FOLDER", help="the tree of logs (*.log) of SPL Conqueror or splc")
    parser.add_argument(
        "--systems",
        metavar="FOLDER",
        help="a folder with description and measurements for each system, whose name begins the names of its logs or "
        "of their folders; default: the tree",
    )
    parser.add_argument("--property", metavar="NAME", dest="nfp", help="the property; logs name theirs otherwise")
    parser.add_argument("--relearn", action="store_true", help="learn again, and report the first round that differs")
    parser.add_argument("--jobs", "-j", type=int, default=os.cpu_count(), help="processes; default: one per core")
    parser.add_argument("--table", action="append", choices=TABLES, help="a table; can be repeated")
    parser.add_argument("--csv", action="store_true", help="print one table as CSV")
    parser.add_argument("--plot", metavar="FILE", help="a plot of errors by size and strategy (.svg, .png, .pdf)")
    given = parser.parse_args(arguments)
    if given.csv and len(given.table or ()) != 1:
        parser.error("CSV has one table; name it with --table")
    request = Request(
        root=given.root, systems=given.systems, nfp=given.nfp, relearn=given.relearn, jobs=max(1, given.jobs)
    )
    try:
        drawn = None if given.plot is None else plot_format(given.plot)
        require_writable(given.plot, ())
        with interruption("the logs in progress") as stop, progress("reading") as advance:
            result = run(request, advance, stop)
    except SplcError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if drawn is not None:
        drawing = picture(result, drawn)
        if drawing is None:
            note("no plot is written: no log has both an error and a number of configurations")
        else:
            write_whole(given.plot, drawing)
    tables = tables_of(result, given.table or (*USUAL, *((RELEARNED,) if request.relearn else ())))
    if given.csv:
        print(printable(csv_text(tables[0])), end="")
    else:
        show(result, tables)
    show_notes(result.notes)
    if result.stopped:
        note("interrupted; the tables have the logs that were finished until then")
        return 130
    return int(bool(result.failures or result.differing or result.not_relearned))


if __name__ == "__main__":
    sys.exit(main())
