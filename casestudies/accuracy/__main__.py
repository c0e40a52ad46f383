"""`python -m casestudies.accuracy PRESET`: run an evaluation of learners, and print its tables."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence

from casestudies.accuracy.learners import known
from casestudies.accuracy.real import RealEvaluation
from casestudies.evaluation.command import add_options, run_command
from casestudies.evaluation.evaluation import Evaluation

PRESETS: Mapping[str, type[Evaluation]] = {RealEvaluation.preset: RealEvaluation}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an evaluation; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m casestudies.accuracy", description=__doc__)
    parser.add_argument("preset", choices=list(PRESETS))
    parser.add_argument("--learners", type=lambda text: tuple(text.split(",")), default=known(), metavar="NAME,…")
    parser.add_argument("--most", type=int, help="the most runs of a learner on a system")
    add_options(parser)
    chosen = parser.parse_args(arguments)
    return run_command(lambda: RealEvaluation(learners=chosen.learners, most=chosen.most), chosen)


if __name__ == "__main__":
    sys.exit(main())
