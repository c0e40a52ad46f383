"""`python -m casestudies.suggestion PRESET`: run an evaluation of suggestions, or write the page."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from casestudies.evaluation.command import run_presets
from casestudies.suggestion.error import ErrorEvaluation
from casestudies.suggestion.optimum import OptimumEvaluation
from casestudies.suggestion.page import write_page

PRESETS: Mapping[str, type[ErrorEvaluation | OptimumEvaluation]] = {
    kind.preset: kind for kind in (ErrorEvaluation, OptimumEvaluation)
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an evaluation, or write the page; return the exit code."""
    return run_presets(str(__doc__), PRESETS, write_page, arguments)


if __name__ == "__main__":
    sys.exit(main())
