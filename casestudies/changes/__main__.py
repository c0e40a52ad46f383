"""`python -m casestudies.changes PRESET`: evaluate the tests for change, or write the page."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from casestudies.changes.simulated_changes import SimulatedChanges
from casestudies.changes.tables import write_page
from casestudies.evaluation.command import SEEDS, run_presets
from casestudies.evaluation.evaluation import Evaluation

PRESETS: Mapping[str, type[Evaluation]] = {SimulatedChanges.preset: SimulatedChanges}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an evaluation, or write the page; return the exit code."""
    return run_presets(str(__doc__), PRESETS, write_page, arguments, (SEEDS,))


if __name__ == "__main__":
    sys.exit(main())
