"""Selection of the series of an experiment by call path and metric."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from splc.errors import MeasurementError, unknown_name_hint

if TYPE_CHECKING:
    from splc.data.experiment import Experiment, Key


def chosen_series(experiment: Experiment, callpaths: Sequence[str] | None, metrics: Sequence[str] | None) -> list[Key]:
    """Return the series of these call paths and metrics, each a name or a pattern; None stands for all.

    Raises:
        MeasurementError: if nothing has such a name, or the two do not occur together.
    """
    wanted = []
    for what, patterns, known in (
        ("call path", callpaths, experiment.callpaths),
        ("metric", metrics, experiment.metrics),
    ):
        found: set[str] = set() if patterns else set(known)
        for pattern in patterns or ():
            # A name that contains signs of patterns matches itself first: `operator[]`.
            own = {pattern} if pattern in known else {name for name in known if fnmatchcase(name, pattern)}
            if not own:
                hint = unknown_name_hint(pattern, known)
                raise MeasurementError(f"there is no {what} {pattern!r}", hint=hint).at(experiment.report.source)
            found |= own
        wanted.append(found)
    series = [key for key in experiment.series if key[0] in wanted[0] and key[1] in wanted[1]]
    if not series:
        hint = "choose others with --callpath and --metric"
        raise MeasurementError("none of the call paths has any of the metrics", hint=hint).at(experiment.report.source)
    return series
