"""`python -m casestudies.contexts PRESET`: evaluate models of several contexts, or write the page."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from casestudies.contexts.few_rows import FewRowsEvaluation
from casestudies.contexts.page import write_page
from casestudies.evaluation.command import add_options, run_command
from casestudies.evaluation.evaluation import Evaluation

PRESETS: Mapping[str, type[Evaluation]] = {kind.preset: kind for kind in (FewRowsEvaluation,)}
PAGE = "page"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an evaluation, or write the page; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m casestudies.contexts", description=__doc__)
    parser.add_argument("preset", choices=[*PRESETS, PAGE], help=f"{PAGE}: write the tables of README.md")
    parser.add_argument("--systems", metavar="NAME,…", help="names of systems; default: all that are present")
    parser.add_argument("--seeds", type=int, metavar="N", help="the number of seeds")
    add_options(parser)
    chosen = parser.parse_args(arguments)
    if chosen.preset == PAGE:
        write_page()
        return 0
    given: dict[str, Any] = {"systems": tuple(chosen.systems.split(","))} if chosen.systems else {}
    if chosen.seeds:
        given["seeds"] = chosen.seeds
    return run_command(lambda: PRESETS[chosen.preset](**given), chosen)


if __name__ == "__main__":
    sys.exit(main())
