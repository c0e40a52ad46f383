"""`python -m casestudies.scaling_evaluation`: run an evaluation, and print its tables."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from casestudies.evaluation.command import add_options, run_command
from casestudies.scaling_evaluation.settings import PRESETS, evaluation_preset, read_evaluation


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an evaluation; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m casestudies.scaling_evaluation", description=__doc__)
    parser.add_argument("evaluation", help=f"{', '.join(PRESETS)}, or a TOML file with a preset and changed settings")
    add_options(parser)
    chosen = parser.parse_args(arguments)
    name = chosen.evaluation
    make = read_evaluation if name.endswith(".toml") else evaluation_preset
    return run_command(lambda: make(name), chosen)


if __name__ == "__main__":
    sys.exit(main())
