"""Numbers of examples of property tests: usual ones, ten times as many in `make explore`, few in `make coverage`."""

from __future__ import annotations

import os

from hypothesis import settings

EXPLORING = "SPLC_EXPLORE"
# Branches are reached by the first examples.
TRACING = "SPLC_TRACE"
# Half of hypothesis's default, for a normal run of minutes.
USUAL = 50
_FACTOR, _PART, _LEAST = 10, 6, 3


def exploring() -> bool:
    """Return whether examples are drawn anew and in large number (`make explore`)."""
    return bool(os.environ.get(EXPLORING))


def examples(number: int = USUAL) -> settings:
    """Return the settings of a property test with this number of examples in the normal run.

    In the normal run examples are the same each time, so that a failure is no accident of the run.
    """
    if exploring():
        number *= _FACTOR
    elif os.environ.get(TRACING):
        number = max(number // _PART, _LEAST)
    return settings(max_examples=number, deadline=None, derandomize=not exploring())
