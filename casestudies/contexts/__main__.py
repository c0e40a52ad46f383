"""`python -m casestudies.contexts PRESET`: evaluate models of several contexts, or write the page."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from casestudies.contexts.few_rows import FewRowsEvaluation
from casestudies.contexts.published_rows import PublishedEvaluation, published
from casestudies.contexts.tables import few_table, published_table
from casestudies.evaluation.command import run_presets
from casestudies.evaluation.evaluation import Evaluation
from casestudies.report.page import Page

PRESETS: Mapping[str, type[Evaluation]] = {each.preset: each for each in (FewRowsEvaluation, PublishedEvaluation)}
README = Page(
    Path(__file__).parent,
    {"few": ("few", few_table), "published": ("published", lambda rows: published_table(rows, published()))},
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an evaluation, or write the page; return the exit code."""
    return run_presets(str(__doc__), PRESETS, README, arguments)


if __name__ == "__main__":
    sys.exit(main())
