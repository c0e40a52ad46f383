"""`python -m casestudies.grey_box PRESET`: run the evaluation of learning with formulas, or write its page."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from casestudies.evaluation.command import SEEDS, SYSTEMS, run_presets
from casestudies.grey_box.grey_box import GreyBoxEvaluation
from casestudies.grey_box.tables import error_table, trust_table, wrong_table
from casestudies.report.page import Page

TABLES = {"errors": error_table, "trust": trust_table, "wrong": wrong_table}
README = Page(Path(__file__).parent, {block: ("few", make) for block, make in TABLES.items()})


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the evaluation, or write the page; return the exit code."""
    presets = {GreyBoxEvaluation.preset: GreyBoxEvaluation}
    return run_presets(str(__doc__), presets, README, arguments, (SYSTEMS, SEEDS))


if __name__ == "__main__":
    sys.exit(main())
