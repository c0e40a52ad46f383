"""`python -m casestudies.ablation PRESET`: switch off the special cases of a package, or write the page."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from casestudies.ablation.ablation import PRESETS
from casestudies.evaluation.command import Attribute, run_presets
from casestudies.evaluation.evaluation import rows_of
from casestudies.report.page import with_blocks
from splc.io.files import write_whole
from splc.io.tables import Table, markdown_text

HERE = Path(__file__).parent


def tables_of_page() -> dict[str, Table]:
    """Return preset → its table, of the presets that were run."""
    paths = {name: HERE / name / "table.csv" for name in PRESETS}
    return {name: PRESETS[name]().tables(rows_of(path))[0] for name, path in paths.items() if path.is_file()}


def blocks_of_page() -> dict[str, str]:
    """Return name → Markdown of all blocks; those of presets that were not run are empty."""
    tables = tables_of_page()
    return {name: markdown_text(tables[name], 2) if name in tables else "" for name in PRESETS}


def write_page() -> None:
    """Write the blocks into `README.md`, and the tables into `figures.json`."""
    path, tables = HERE / "README.md", tables_of_page()
    write_whole(path, with_blocks(path.read_text(encoding="utf-8"), blocks_of_page()))
    figures = {
        name: [dict(zip(table.columns, row, strict=True)) for row in table.rows] for name, table in tables.items()
    }
    write_whole(HERE / "figures.json", json.dumps(figures, indent=1) + "\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an evaluation, or write the page; return the exit code."""
    most = Attribute("most", "N", "at most N switches, the first ones")
    return run_presets(str(__doc__), PRESETS, write_page, arguments, (most,))


if __name__ == "__main__":
    sys.exit(main())
