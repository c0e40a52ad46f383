"""The generated block of `README.md`, from the rows of `few/table.csv`."""

from __future__ import annotations

from pathlib import Path

from casestudies.contexts.published_rows import published
from casestudies.contexts.tables import few_table, published_table
from casestudies.evaluation.evaluation import rows_of
from casestudies.report.page import with_blocks
from splc.io.files import write_whole
from splc.io.tables import markdown_text

HERE = Path(__file__).parent
_DIGITS = 3


def blocks_of_page() -> dict[str, str]:
    """Return name → Markdown of all blocks."""
    few, shared = (rows_of(HERE / name / "table.csv") for name in ("few", "published"))
    return {
        "few": markdown_text(few_table(few), _DIGITS),
        "published": markdown_text(published_table(shared, published()), _DIGITS),
    }


def write_page() -> None:
    """Write the blocks into the page."""
    path = HERE / "README.md"
    write_whole(path, with_blocks(path.read_text(encoding="utf-8"), blocks_of_page()))
