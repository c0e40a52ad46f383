"""Numbers of examples of property tests: those of the normal run, and ten times as many in `make explore`."""

from __future__ import annotations

import os

from hypothesis import settings

EXPLORING = "SPLC_EXPLORE"
# Half of hypothesis's default, for a normal run of minutes.
USUAL = 50
_FACTOR = 10


def exploring() -> bool:
    """Return whether examples are drawn anew and in large number (`make explore`)."""
    return bool(os.environ.get(EXPLORING))


def examples(number: int = USUAL) -> settings:
    """Return the settings of a property test with this number of examples in the normal run.

    In the normal run examples are the same each time, so that a failure is no accident of the run.
    """
    return settings(max_examples=number * (_FACTOR if exploring() else 1), deadline=None, derandomize=not exploring())
