"""`python -m casestudies.ablation PACKAGE`: switch off the special cases of a package, or write the page."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from casestudies.ablation.ablation import AblationEvaluation, changes_table
from casestudies.ablation.switches import SWITCHES
from casestudies.evaluation.command import PAGE, add_options, run_command
from casestudies.report.page import Page
from splc.io.files import write_whole

HERE = Path(__file__).parent


README = Page(HERE, {name: (name, partial(changes_table, package=name)) for name in SWITCHES}, digits=2)


def write_page() -> None:
    """Write the blocks into `README.md`, and the tables into `figures.json`."""
    README.write()
    made = {name: table for name, tables in README.made().items() for table in tables}
    figures = {name: [dict(zip(table.columns, row, strict=True)) for row in table.rows] for name, table in made.items()}
    write_whole(HERE / "figures.json", json.dumps(figures, indent=1) + "\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an evaluation, or write the page; return the exit code."""
    parser = ArgumentParser(prog="python -m casestudies.ablation", description=__doc__)
    parser.add_argument("package", choices=[*SWITCHES, PAGE], help=f"{PAGE}: write the tables of README.md")
    parser.add_argument("--most", type=int, metavar="N", help="at most N switches, the first ones")
    add_options(parser)
    chosen = parser.parse_args(arguments)
    if chosen.package == PAGE:
        write_page()
        return 0
    return run_command(lambda: AblationEvaluation(package=chosen.package, most=chosen.most), chosen)


if __name__ == "__main__":
    sys.exit(main())
