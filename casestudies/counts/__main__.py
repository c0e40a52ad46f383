"""`python -m casestudies.counts PRESET`: learn models of counts, or times as sums of counts, or write the page.

`python -m casestudies.counts count` counts again with the drivers, into the tables of this folder.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from casestudies.counts.costs import CostsEvaluation
from casestudies.counts.counting import write_counts
from casestudies.counts.models import ModelsEvaluation
from casestudies.counts.tables import costs_table, models_table
from casestudies.evaluation.command import SYSTEMS, run_presets
from casestudies.report.page import Page

README = Page(Path(__file__).parent, {"models": ("models", models_table), "costs": ("costs", costs_table)})
PRESETS = {ModelsEvaluation.preset: ModelsEvaluation, CostsEvaluation.preset: CostsEvaluation}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an evaluation, or count, or write the page; return the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given == ["count"]:
        write_counts()
        return 0
    return run_presets(str(__doc__), PRESETS, README, given, (SYSTEMS,))


if __name__ == "__main__":
    sys.exit(main())
