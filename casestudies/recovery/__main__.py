"""`python -m casestudies.recovery PRESET`: run the evaluation of recovery, or write its page."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from casestudies.evaluation.command import SEEDS, SYSTEMS, run_presets
from casestudies.recovery.recovery import RecoveryEvaluation
from casestudies.recovery.tables import design_table, error_table, term_tables
from casestudies.report.page import Page

README = Page(
    Path(__file__).parent,
    {"designs": ("terms", design_table), "errors": ("terms", error_table), "terms": ("terms", term_tables)},
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the evaluation, or write the page; return the exit code."""
    presets = {RecoveryEvaluation.preset: RecoveryEvaluation}
    return run_presets(str(__doc__), presets, README, arguments, (SYSTEMS, SEEDS))


if __name__ == "__main__":
    sys.exit(main())
