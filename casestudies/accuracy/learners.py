"""The learners that are compared, and the numbers of their runs."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from casestudies.evaluation.evaluation import hash_of
from splc.learning.registry import LEARNERS as REGISTERED
from splc.learning.registry import learner_of

# The default learner, SPL Conqueror's algorithm, and the baselines.
DEFAULT, STEPWISE = "projection", "stepwise"
BASELINES = ("forest", "tree", "lasso", "ridge", "svr", "knn", "boosting")
LEARNERS = (DEFAULT, STEPWISE, *BASELINES)
# The learners whose models have terms.
READABLE = (DEFAULT, STEPWISE)
PRESETS = {STEPWISE: "splconqueror"}
RUNS = 30


def known(names: tuple[str, ...] = LEARNERS) -> tuple[str, ...]:
    """Return those of some learners that are registered."""
    return tuple(name for name in names if name in REGISTERED)


def runs(size: int | str) -> int:
    """Return the number of runs of a learner from a number of rows, or a design."""
    return 1 if isinstance(size, str) and not size.startswith("random") else RUNS


def settings_of(learner: str, learning: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the settings of a learner on a system; those that a case study states are SPL Conqueror's."""
    return learning if learner == STEPWISE else {}


@cache
def code_of(learner: str) -> str:
    """Return the hash of the source files of a learner: a learner that has changed is run again."""
    file = Path(str(sys.modules[type(learner_of(learner)).__module__].__file__))
    files = [file] if file.parent.name == "learning" else sorted(file.parent.glob("*.py"))
    return hash_of(*files)
