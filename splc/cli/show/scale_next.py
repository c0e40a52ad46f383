"""The commands that follow from scaling models."""

from __future__ import annotations

import math
from collections.abc import Iterator

from splc.io.files import STANDARD
from splc.scaling.suggestion.cheapest import LINE
from splc.workflows.fields import given_fields
from splc.workflows.scale import Request, Result
from splc.workflows.view import NextStep


def next_steps(request: Request, result: Result) -> Iterator[NextStep]:
    """Yield the commands that follow: a prediction beyond the measured points, and the points that make it better."""
    # Names of parameters with these separators cannot be given on the command line.
    names = result.experiment.parameters
    if request.profile == STANDARD or not result.profile.models or any(set(name) & set(",=") for name in names):
        return
    points = result.experiment.points
    greatest = points.max(axis=0).tolist()
    sizes = [len(set(column)) for column in points.T.tolist()]
    # Where all combinations are measured, only further values are left.
    further = ("--extend", "1") if min(sizes) >= LINE and len(points) >= math.prod(sizes) else ()
    target = ",".join(f"{name}={2 * value:.6g}" for name, value in zip(names, greatest, strict=True))
    if not {*given_fields(request)} - {"profile", "output"}:
        yield NextStep(("scale", request.profile, "--predict-at", target), "the value at a larger point")
        yield NextStep(("suggest", request.profile, "--target", target, *further), "the point to measure next for it")
