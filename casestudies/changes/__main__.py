"""`python -m casestudies.changes PRESET`: evaluate the tests for change, or write the page."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from casestudies.changes.equal_versions import EqualVersions
from casestudies.changes.simulated_changes import SimulatedChanges
from casestudies.changes.tables import detection_table, equal_table, false_alarm_table, names_table
from casestudies.evaluation.command import SEEDS, run_presets
from casestudies.evaluation.evaluation import Evaluation
from casestudies.report.page import Page

PRESETS: Mapping[str, type[Evaluation]] = {kind.preset: kind for kind in (SimulatedChanges, EqualVersions)}
TABLES = {"alarms": false_alarm_table, "detected": detection_table, "names": names_table}
SHOWN = {name: ("simulated", table) for name, table in TABLES.items()} | {"equal": ("equal", equal_table)}
README = Page(Path(__file__).parent, SHOWN)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an evaluation, or write the page; return the exit code."""
    return run_presets(str(__doc__), PRESETS, README, arguments, (SEEDS,))


if __name__ == "__main__":
    sys.exit(main())
