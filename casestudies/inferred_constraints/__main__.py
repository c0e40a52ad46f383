"""`python -m casestudies.inferred_constraints PRESET`: run an evaluation of inferred constraints, or write the page."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from casestudies.evaluation.command import run_presets
from casestudies.evaluation.evaluation import Evaluation
from casestudies.inferred_constraints.inference import InferenceEvaluation
from casestudies.inferred_constraints.learning import LearningEvaluation
from casestudies.inferred_constraints.tables import inference_table, learning_table
from casestudies.report.page import Page

PRESETS: Mapping[str, type[Evaluation]] = {kind.preset: kind for kind in (InferenceEvaluation, LearningEvaluation)}
TABLES = {"inference": inference_table, "learning": learning_table}
README = Page(Path(__file__).parent, {name: (name, table) for name, table in TABLES.items()})


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an evaluation, or write the page; return the exit code."""
    return run_presets(str(__doc__), PRESETS, README, arguments)


if __name__ == "__main__":
    sys.exit(main())
