"""The generated blocks of `README.md`, from the rows of `error/table.csv`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from casestudies.evaluation.evaluation import rows_of
from casestudies.report.page import with_blocks
from casestudies.sampling_strategies.tables import kind_tables, own_table, ratio_table
from splc.io.files import write_whole
from splc.io.tables import Table, markdown_text

HERE = Path(__file__).parent
_DIGITS = 3


def blocks_of_page() -> dict[str, str]:
    """Return name → Markdown of all blocks."""
    rows = rows_of(HERE / "error" / "table.csv")
    blocks: Mapping[str, list[Table]] = {
        "ratios": [ratio_table(rows)],
        "strategies": kind_tables(rows),
        "own": [own_table(rows)],
    }
    return {name: "\n".join(markdown_text(each, _DIGITS) for each in tables) for name, tables in blocks.items()}


def write_page() -> None:
    """Write the blocks into the page."""
    path = HERE / "README.md"
    write_whole(path, with_blocks(path.read_text(encoding="utf-8"), blocks_of_page()))
