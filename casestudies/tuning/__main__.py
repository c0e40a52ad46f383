"""`python -m casestudies.tuning PRESET`: run the evaluation of tuning runs, or write the page."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from casestudies.evaluation.command import SEEDS, SYSTEMS, Attribute, run_presets
from casestudies.evaluation.evaluation import Evaluation
from casestudies.tuning.models_afterwards import ModelEvaluation
from casestudies.tuning.page import write_page
from casestudies.tuning.rank import RankEvaluation
from casestudies.tuning.reported_values import BiasEvaluation
from casestudies.tuning.spaces import SpacesEvaluation

PRESETS: Mapping[str, type[Evaluation]] = {
    each.preset: each for each in (RankEvaluation, SpacesEvaluation, BiasEvaluation, ModelEvaluation)
}
TUNERS = Attribute("tuners", "NAME,…", "names of tuners; default: all that are installed")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the evaluation, or write the page; return the exit code."""
    return run_presets(str(__doc__), PRESETS, write_page, arguments, (SYSTEMS, TUNERS, SEEDS))


if __name__ == "__main__":
    sys.exit(main())
