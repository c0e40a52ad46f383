"""The generated blocks of `README.md`, from the rows of `table.csv` of each preset."""

from __future__ import annotations

from pathlib import Path

from casestudies.evaluation.evaluation import rows_of
from casestudies.report.page import with_blocks
from casestudies.tuning.models_afterwards import models_table
from casestudies.tuning.rank import BUDGETS
from casestudies.tuning.reported_values import bias_table
from casestudies.tuning.spaces import spaces_table
from casestudies.tuning.summaries import summary_tables
from splc.io.files import write_whole
from splc.io.tables import markdown_text

HERE = Path(__file__).parent
_DIGITS = 3


def blocks_of_page() -> dict[str, str]:
    """Return name → Markdown of all blocks."""
    ranks = summary_tables(rows_of(HERE / "rank" / "table.csv"), BUDGETS)
    others = {"spaces": spaces_table, "bias": bias_table, "model": models_table}
    texts = {"rank": ranks, **{name: (table(rows_of(HERE / name / "table.csv")),) for name, table in others.items()}}
    return {name: "\n".join(markdown_text(each, _DIGITS) for each in tables) for name, tables in texts.items()}


def write_page() -> None:
    """Write the blocks into `README.md`."""
    path = HERE / "README.md"
    write_whole(path, with_blocks(path.read_text(encoding="utf-8"), blocks_of_page()))
