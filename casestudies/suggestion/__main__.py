"""`python -m casestudies.suggestion PRESET`: run an evaluation of suggestions, or write the page."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from casestudies.evaluation.command import run_presets
from casestudies.report.page import Page
from casestudies.suggestion.error import ErrorEvaluation
from casestudies.suggestion.optimum import MOST, OptimumEvaluation
from casestudies.suggestion.strategies import RANDOM
from casestudies.suggestion.tables import error_tables, optimum_table

PRESETS: Mapping[str, type[ErrorEvaluation | OptimumEvaluation]] = {
    kind.preset: kind for kind in (ErrorEvaluation, OptimumEvaluation)
}
README = Page(
    Path(__file__).parent,
    {
        "error": ("error", lambda rows: error_tables(rows, RANDOM)),
        "optimum": ("optimum", lambda rows: optimum_table(rows, RANDOM, MOST)),
    },
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an evaluation, or write the page; return the exit code."""
    return run_presets(str(__doc__), PRESETS, README, arguments)


if __name__ == "__main__":
    sys.exit(main())
