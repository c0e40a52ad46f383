"""`python -m casestudies.sampling_strategies`: run the evaluation of sampling strategies, or write its pages."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from casestudies.evaluation.command import add_options, run_command
from casestudies.sampling_strategies.error import StrategyEvaluation
from casestudies.sampling_strategies.page import write_pages

PAGE = "page"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the evaluation, or write the pages; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m casestudies.sampling_strategies", description=__doc__)
    presets = [StrategyEvaluation.preset, PAGE]
    parser.add_argument("preset", choices=presets, help=f"{PAGE}: write the tables of the two pages")
    parser.add_argument("--systems", metavar="NAME,…", help="names of systems; default: all that are present")
    parser.add_argument("--seeds", type=int, metavar="N", help="the number of seeds")
    add_options(parser)
    chosen = parser.parse_args(arguments)
    if chosen.preset == PAGE:
        write_pages()
        return 0
    given: dict[str, Any] = {"systems": tuple(chosen.systems.split(","))} if chosen.systems else {}
    if chosen.seeds:
        given["seeds"] = chosen.seeds
    return run_command(lambda: StrategyEvaluation(**given), chosen)


if __name__ == "__main__":
    sys.exit(main())
