"""The generated blocks of `README.md` and of `docs/explanation/designs.md`, from the rows of `error/table.csv`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from casestudies.evaluation.evaluation import rows_of
from casestudies.report.page import with_blocks
from casestudies.sampling_strategies.tables import kind_tables, own_table, ratio_table
from splc.io.files import write_whole
from splc.io.tables import Table, markdown_text

HERE = Path(__file__).parent
GUIDE = HERE.parents[1] / "docs" / "explanation" / "designs.md"
_DIGITS = 3


def blocks_of_pages() -> dict[Path, dict[str, str]]:
    """Return page → name → Markdown of all blocks."""
    rows = rows_of(HERE / "error" / "table.csv")
    pages: Mapping[Path, Mapping[str, list[Table]]] = {
        HERE / "README.md": {"strategies": kind_tables(rows), "own": [own_table(rows)]},
        GUIDE: {"strategies": [ratio_table(rows)]},
    }
    return {
        path: {name: "\n".join(markdown_text(each, _DIGITS) for each in tables) for name, tables in blocks.items()}
        for path, blocks in pages.items()
    }


def write_pages() -> None:
    """Write the blocks into both pages."""
    for path, blocks in blocks_of_pages().items():
        write_whole(path, with_blocks(path.read_text(encoding="utf-8"), blocks))
