"""What a user should know about a scaling model before relying on it."""

from __future__ import annotations

from dataclasses import dataclass

from splc.errors import plural

ENOUGH_POINTS = 5
_SURE = 0.5
_POOR = 10.0


@dataclass(frozen=True)
class Facts:
    """What the caveats of one model depend on.

    Attributes:
        points: number of distinct points.
        outliers: repetitions far from the others.
        left_out: whether those were left out.
        smape: error at the measured points.
        falls: whether the values fall somewhere.
        positive: whether all values are positive.
        zeros: number of points whose value is 0.
        floored: whether noise was taken for partly absolute.
        certainty: posterior probability of the lead term.
        constant: whether the model is constant.
        negative_power: whether it has a negative power.
        strong_scaling: whether negative powers were searched.
        ends_below: whether it predicts less than 0 at four times the largest x.
        last_x: the largest measured value of the parameter.
        name: the parameter.
    """

    points: int
    outliers: int
    left_out: bool
    smape: float
    falls: bool
    positive: bool
    zeros: int
    floored: bool
    certainty: float | None
    constant: bool
    negative_power: bool
    strong_scaling: bool
    ends_below: bool
    last_x: float
    name: str


def caveats(facts: Facts) -> tuple[str, ...]:
    """Return the caveats, the gravest first."""
    found = []
    name = facts.name
    if facts.points == 1:
        found.append(f"only one value of {name} was measured: nothing is known about how it scales")
    elif facts.points < ENOUGH_POINTS:
        found.append(
            f"only {facts.points} values of {name} were measured: exponents are guesses; measure at least "
            f"{ENOUGH_POINTS}"
        )
    if facts.ends_below and facts.positive:
        found.append(f"all values are positive, but the model falls below 0 before {name} = {4 * facts.last_x:g}")
    if facts.outliers:
        what = f"{plural(facts.outliers, 'repetition', 'repetitions')} far from the others"
        found.append(f"{what} left out as outliers" if facts.left_out else f"{what}: try aggregate='robust'")
    if facts.smape > _POOR:
        found.append(f"the model misses the measured values by {facts.smape:.0f} % on average")
    if facts.zeros:
        found.append(f"{plural(facts.zeros, 'value is', 'values are')} 0: no relative error there")
    if facts.floored and facts.positive:
        found.append("noise looks as large for small values as for large ones, and small ones count less")
    if facts.falls and facts.negative_power:
        found.append(f"values fall as {name} grows, so that negative powers were searched")
    elif facts.falls and not facts.strong_scaling and (not facts.constant or facts.smape > _POOR):
        found.append(f"values fall as {name} grows, but negative powers were not searched (strong_scaling=True)")
    if facts.certainty is not None and facts.certainty < _SURE:
        found.append(f"the lead term is not certain (probability {facts.certainty:.2f}); others fit about as well")
    return tuple(found)
