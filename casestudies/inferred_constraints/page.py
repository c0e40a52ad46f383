"""The generated blocks of `README.md`, from the rows of `inference/table.csv` and `learning/table.csv`."""

from __future__ import annotations

from pathlib import Path

from casestudies.evaluation.evaluation import rows_of
from casestudies.inferred_constraints.tables import inference_table, learning_table
from casestudies.report.page import with_blocks
from splc.io.files import write_whole
from splc.io.tables import markdown_text

HERE = Path(__file__).parent
_DIGITS = 3


def blocks_of_page() -> dict[str, str]:
    """Return name → Markdown of all blocks."""
    return {
        "inference": markdown_text(inference_table(rows_of(HERE / "inference" / "table.csv")), _DIGITS),
        "learning": markdown_text(learning_table(rows_of(HERE / "learning" / "table.csv")), _DIGITS),
    }


def write_page() -> None:
    """Write the blocks into the page."""
    path = HERE / "README.md"
    write_whole(path, with_blocks(path.read_text(encoding="utf-8"), blocks_of_page()))
