"""`python -m casestudies.sampling_strategies PRESET`: run the evaluation of sampling strategies, or write its pages."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from casestudies.evaluation.command import run_presets
from casestudies.sampling_strategies.error import StrategyEvaluation
from casestudies.sampling_strategies.page import write_page


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the evaluation, or write the page; return the exit code."""
    return run_presets(str(__doc__), {StrategyEvaluation.preset: StrategyEvaluation}, write_page, arguments)


if __name__ == "__main__":
    sys.exit(main())
