"""`python -m casestudies.contexts PRESET`: evaluate models of several contexts, or write the page."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from casestudies.contexts.few_rows import FewRowsEvaluation
from casestudies.contexts.page import write_page
from casestudies.contexts.published_rows import PublishedEvaluation
from casestudies.evaluation.command import run_presets
from casestudies.evaluation.evaluation import Evaluation

PRESETS: Mapping[str, type[Evaluation]] = {each.preset: each for each in (FewRowsEvaluation, PublishedEvaluation)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an evaluation, or write the page; return the exit code."""
    return run_presets(str(__doc__), PRESETS, write_page, arguments)


if __name__ == "__main__":
    sys.exit(main())
