"""The generated blocks of `README.md`, from the rows of `table.csv` in the results folders."""

from __future__ import annotations

from pathlib import Path

from casestudies.evaluation.evaluation import rows_of
from casestudies.report.page import with_blocks
from casestudies.suggestion.optimum import MOST
from casestudies.suggestion.strategies import RANDOM
from casestudies.suggestion.tables import error_tables, optimum_table
from splc.io.files import write_whole
from splc.io.tables import markdown_text

HERE = Path(__file__).parent
_DIGITS = 3


def blocks_of_page() -> dict[str, str]:
    """Return name → Markdown of all blocks."""
    error, optimum = (rows_of(HERE / name / "table.csv") for name in ("error", "optimum"))
    tables = {"error": error_tables(error, RANDOM), "optimum": (optimum_table(optimum, RANDOM, MOST),)}
    return {name: "\n".join(markdown_text(each, _DIGITS) for each in found) for name, found in tables.items()}


def write_page() -> None:
    """Write the blocks into `README.md`."""
    path = HERE / "README.md"
    write_whole(path, with_blocks(path.read_text(encoding="utf-8"), blocks_of_page()))
