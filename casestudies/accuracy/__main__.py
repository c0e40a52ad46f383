"""`python -m casestudies.accuracy PRESET`: run an evaluation of learners, or write the page."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from casestudies.accuracy.explanations import ExplanationEvaluation
from casestudies.accuracy.known_truth import DifficultEvaluation, NoiseEvaluation, TruthEvaluation
from casestudies.accuracy.page import README
from casestudies.accuracy.real_systems import RealEvaluation
from casestudies.evaluation.command import Attribute, run_presets

AccuracyEvaluation: TypeAlias = RealEvaluation | TruthEvaluation | ExplanationEvaluation
PRESETS: Mapping[str, type[AccuracyEvaluation]] = {
    kind.preset: kind
    for kind in (RealEvaluation, TruthEvaluation, DifficultEvaluation, NoiseEvaluation, ExplanationEvaluation)
}
ATTRIBUTES = (
    Attribute("learners", "NAME,…", "names of learners; default: all that are registered"),
    Attribute("most", "N", "at most N runs per cell, or N generated systems"),
)


def attribute_of(kind: type[AccuracyEvaluation], option: str) -> str:
    """Return the attribute of an evaluation that an option sets."""
    return "systems" if option == "most" and issubclass(kind, TruthEvaluation) else option


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an evaluation, or write the page; return the exit code."""
    return run_presets(str(__doc__), PRESETS, README, arguments, ATTRIBUTES, attribute_of)


if __name__ == "__main__":
    sys.exit(main())
