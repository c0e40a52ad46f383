"""`python -m casestudies.sampling_strategies PRESET`: run the evaluation of sampling strategies, or write its pages."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from casestudies.evaluation.command import run_presets
from casestudies.report.page import Page
from casestudies.sampling_strategies.error import StrategyEvaluation
from casestudies.sampling_strategies.tables import kind_tables, own_table, ratio_table

README = Page(
    Path(__file__).parent,
    {"ratios": ("error", ratio_table), "strategies": ("error", kind_tables), "own": ("error", own_table)},
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the evaluation, or write the page; return the exit code."""
    return run_presets(str(__doc__), {StrategyEvaluation.preset: StrategyEvaluation}, README, arguments)


if __name__ == "__main__":
    sys.exit(main())
