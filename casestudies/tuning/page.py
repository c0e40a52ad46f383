"""The generated block of `README.md`, from the rows of `rank/table.csv`."""

from __future__ import annotations

from pathlib import Path

from casestudies.evaluation.evaluation import rows_of
from casestudies.report.page import with_blocks
from casestudies.tuning.rank import BUDGETS
from casestudies.tuning.summaries import summary_tables
from splc.io.files import write_whole
from splc.io.tables import markdown_text

HERE = Path(__file__).parent
_DIGITS = 3


def blocks_of_page() -> dict[str, str]:
    """Return name → Markdown of all blocks."""
    tables = summary_tables(rows_of(HERE / "rank" / "table.csv"), BUDGETS)
    return {"rank": "\n".join(markdown_text(each, _DIGITS) for each in tables)}


def write_page() -> None:
    """Write the block into `README.md`."""
    path = HERE / "README.md"
    write_whole(path, with_blocks(path.read_text(encoding="utf-8"), blocks_of_page()))
