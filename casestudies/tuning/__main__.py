"""`python -m casestudies.tuning rank`: run the evaluation of tuning runs, and print its tables."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from casestudies.evaluation.command import add_options, run_command
from casestudies.tuning.page import write_page
from casestudies.tuning.rank import RankEvaluation

PAGE = "page"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the evaluation, or write the page; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m casestudies.tuning", description=__doc__)
    parser.add_argument("preset", choices=[RankEvaluation.preset, PAGE], help=f"{PAGE}: write the tables of README.md")
    parser.add_argument("--systems", metavar="NAME,…", help="names of tables; default: all that are present")
    parser.add_argument("--tuners", metavar="NAME,…", help="names of tuners; default: all that are installed")
    parser.add_argument("--seeds", type=int, metavar="N", help="the number of seeds")
    add_options(parser)
    chosen = parser.parse_args(arguments)
    if chosen.preset == PAGE:
        write_page()
        return 0
    names = {"systems": chosen.systems, "tuners": chosen.tuners}
    given: dict[str, Any] = {name: tuple(texts.split(",")) for name, texts in names.items() if texts}
    if chosen.seeds:
        given["seeds"] = chosen.seeds
    return run_command(lambda: RankEvaluation(**given), chosen)


if __name__ == "__main__":
    sys.exit(main())
