"""`python -m casestudies.two_cores PRESET`: judge errors of runs in new blocks, or write the page."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from casestudies.evaluation.command import SYSTEMS, run_presets
from casestudies.report.page import Page
from casestudies.two_cores.blocks import BlocksEvaluation
from casestudies.two_cores.tables import days_table, error_table

README = Page(Path(__file__).parent, {"blocks": ("blocks", error_table), "days": ("blocks", days_table)})


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the evaluation, or write the page; return the exit code."""
    return run_presets(str(__doc__), {BlocksEvaluation.preset: BlocksEvaluation}, README, arguments, (SYSTEMS,))


if __name__ == "__main__":
    sys.exit(main())
