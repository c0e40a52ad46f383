"""`python -m casestudies.accuracy PRESET`: run an evaluation of learners, and print its tables."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from casestudies.accuracy.explanations import ExplanationEvaluation
from casestudies.accuracy.known_truth import DifficultEvaluation, NoiseEvaluation, TruthEvaluation
from casestudies.accuracy.page import write_page
from casestudies.accuracy.real_systems import RealEvaluation
from casestudies.evaluation.command import add_options, run_command

PRESETS: Mapping[str, type[RealEvaluation | TruthEvaluation | ExplanationEvaluation]] = {
    kind.preset: kind
    for kind in (RealEvaluation, TruthEvaluation, DifficultEvaluation, NoiseEvaluation, ExplanationEvaluation)
}
PAGE = "page"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an evaluation, or write the page; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m casestudies.accuracy", description=__doc__)
    parser.add_argument("preset", choices=[*PRESETS, PAGE], help=f"{PAGE}: write the tables of README.md")
    parser.add_argument("--learners", metavar="NAME,…", help="names of learners; default: all that are registered")
    parser.add_argument("--most", type=int, metavar="N", help="at most N runs per cell, or N generated systems")
    add_options(parser)
    chosen = parser.parse_args(arguments)
    if chosen.preset == PAGE:
        write_page()
        return 0
    kind = PRESETS[chosen.preset]
    given: dict[str, Any] = {"learners": tuple(chosen.learners.split(","))} if chosen.learners else {}
    if chosen.most:
        given["systems" if issubclass(kind, TruthEvaluation) else "most"] = chosen.most
    return run_command(lambda: kind(**given), chosen)


if __name__ == "__main__":
    sys.exit(main())
