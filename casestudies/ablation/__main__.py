"""`python -m casestudies.ablation PACKAGE`: switch off the special cases of a package, or write the page."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from casestudies.ablation.ablation import AblationEvaluation, changes_table
from casestudies.ablation.switches import SWITCHES
from casestudies.evaluation.command import PAGE, add_options, run_command
from casestudies.evaluation.evaluation import rows_of
from casestudies.report.page import with_blocks
from splc.io.files import write_whole
from splc.io.tables import Table, markdown_text

HERE = Path(__file__).parent


def tables_of_page() -> dict[str, Table]:
    """Return package → its table, of those that were run."""
    paths = {name: HERE / name / "table.csv" for name in SWITCHES}
    return {name: changes_table(rows_of(path), name) for name, path in paths.items() if path.is_file()}


def blocks_of_page() -> dict[str, str]:
    """Return name → Markdown of all blocks."""
    tables = tables_of_page()
    return {name: markdown_text(tables[name], 2) if name in tables else "" for name in SWITCHES}


def write_page() -> None:
    """Write the blocks into `README.md`, and the tables into `figures.json`."""
    path = HERE / "README.md"
    write_whole(path, with_blocks(path.read_text(encoding="utf-8"), blocks_of_page()))
    figures = {
        name: [dict(zip(table.columns, row, strict=True)) for row in table.rows]
        for name, table in tables_of_page().items()
    }
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
