"""`python -m casestudies.inferred_constraints PRESET`: run an evaluation of inferred constraints, or write the page."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from casestudies.evaluation.command import run_presets
from casestudies.evaluation.evaluation import Evaluation
from casestudies.inferred_constraints.inference import InferenceEvaluation
from casestudies.inferred_constraints.learning import LearningEvaluation
from casestudies.inferred_constraints.page import write_page

PRESETS: Mapping[str, type[Evaluation]] = {kind.preset: kind for kind in (InferenceEvaluation, LearningEvaluation)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an evaluation, or write the page; return the exit code."""
    return run_presets(str(__doc__), PRESETS, write_page, arguments)


if __name__ == "__main__":
    sys.exit(main())
