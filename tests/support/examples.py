"""Numbers of examples of property tests: half of what is stated in a normal run, ten times of it in `make explore`."""

from __future__ import annotations

import os

from hypothesis import settings

EXPLORING = "SPLC_EXPLORE"
# Branches are reached by the first examples.
TRACING = "SPLC_TRACE"
USUAL = 50
_FACTOR, _PART, _LEAST = 10, 6, 3
# The examples of a normal run are the same each time: more of them find little that these do not.
_NORMAL_PART = 2


def exploring() -> bool:
    """Return whether examples are drawn anew and in large number (`make explore`)."""
    return bool(os.environ.get(EXPLORING))


def examples(number: int = USUAL) -> settings:
    """Return the settings of a property test with this number of examples, of which the normal run has half.

    In the normal run examples are the same each time, so that a failure is no accident of the run.
    """
    if exploring():
        number *= _FACTOR
    else:
        number = max(number // (_PART if os.environ.get(TRACING) else _NORMAL_PART), _LEAST)
    return settings(max_examples=number, deadline=None, derandomize=not exploring())
