"""`python -m casestudies.tuning PRESET`: run the evaluation of tuning runs, or write the page."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from casestudies.evaluation.command import SEEDS, SYSTEMS, Attribute, run_presets
from casestudies.evaluation.evaluation import Evaluation
from casestudies.report.page import Page
from casestudies.tuning.models_afterwards import ModelEvaluation, models_table
from casestudies.tuning.rank import BUDGETS, RankEvaluation
from casestudies.tuning.reported_values import BiasEvaluation, bias_table
from casestudies.tuning.spaces import SpacesEvaluation, spaces_table
from casestudies.tuning.summaries import summary_tables
from casestudies.tuning.traps import TrapsEvaluation, traps_table

PRESETS: Mapping[str, type[Evaluation]] = {
    each.preset: each for each in (RankEvaluation, SpacesEvaluation, TrapsEvaluation, BiasEvaluation, ModelEvaluation)
}
README = Page(
    Path(__file__).parent,
    {
        "rank": ("rank", lambda rows: summary_tables(rows, BUDGETS)),
        **{"spaces": ("spaces", spaces_table), "traps": ("traps", traps_table)},
        **{"bias": ("bias", bias_table), "model": ("model", models_table)},
    },
)
TUNERS = Attribute("tuners", "NAME,…", "names of tuners; default: all that are installed")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the evaluation, or write the page; return the exit code."""
    return run_presets(str(__doc__), PRESETS, README, arguments, (SYSTEMS, TUNERS, SEEDS))


if __name__ == "__main__":
    sys.exit(main())
