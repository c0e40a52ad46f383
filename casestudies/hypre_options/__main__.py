"""`python -m casestudies.hypre_options PRESET`: run an evaluation of the solver's options, or write the page."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from casestudies.evaluation.command import SEEDS, run_presets
from casestudies.evaluation.evaluation import Evaluation
from casestudies.hypre_options.evaluations import OptimumEvaluation, SizesEvaluation, ValidityEvaluation
from casestudies.hypre_options.tables import moves_table, optimum_table, sizes_table, tuned_table, validity_table
from casestudies.report.page import Page

PRESETS: Mapping[str, type[Evaluation]] = {
    kind.preset: kind for kind in (OptimumEvaluation, ValidityEvaluation, SizesEvaluation)
}
README = Page(
    Path(__file__).parent,
    {
        "optimum": ("optimum", optimum_table),
        "tuned": ("optimum", lambda _: tuned_table()),
        "moves": ("optimum", lambda _: moves_table()),
        "validity": ("validity", validity_table),
        "sizes": ("sizes", sizes_table),
    },
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an evaluation, or write the page; return the exit code."""
    return run_presets(str(__doc__), PRESETS, README, arguments, (SEEDS,))


if __name__ == "__main__":
    sys.exit(main())
