"""An analytical model in a full model, whose Gaussian processes learn ln(measured / formula).

In: the model that an expert wrote, and measured values. Out: a `Formula`: the analytical model with parameters that fit
the values. Its logarithms are added to the Gaussian processes, and the shares of its terms are columns of their kernel,
since the coefficient of a term may be wrong. Models of stored texts (`model_of_text`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from splc.data.configurations import Configurations, describe_configuration
from splc.errors import ExpressionError
from splc.learning.projection.constants import ITERATIONS
from splc.learning.projection.fit import minimum
from splc.models.influence import EvaluationError, InfluenceModel
from splc.models.parameters import Parameters, ParameterTable, Quantity
from splc.models.subexpressions import Derived, Parameter, addends_text
from splc.system.variability import VariabilityModel
from splc.types import Array, Link

# The variance of ln(measured / formula) over that of the logarithms of the parameters' factors.
RIDGE = 0.01
# The relative change of a parameter for a derivative, and the largest logarithm of a factor.
STEP, FARTHEST = 1e-5, 30.0
# Logarithms of the formula beyond those at the learned rows count as the largest one plus this share of their range.
# (Without it a wrong formula, which 3 of 10 samples of 49 rows of SMG2000 in 3-D do not show, has 97 times the error of
# learning alone.)
BEYOND = 0.5


@dataclass(frozen=True, eq=False)
class Formula:
    """An analytical model, whose values must be positive."""

    model: InfluenceModel
    center: Array  # the mean shares of its terms, shape (terms,); empty for a product
    limits: tuple[float, float]  # the least and the greatest logarithm

    @classmethod
    def of(cls, model: InfluenceModel, learned: Configurations, y: Array) -> Self:
        """Return an analytical model with parameters that fit measured values, shape (n,), and a factor.

        Squares of ln(measured / formula) are least, with a factor on each parameter, whose logarithms have a normal
        prior, and one on the model: the geometric mean of its values is 1 then, so that multiples have the unit of the
        values.
        """
        names, target = [each.name for each in model.parameters], np.log(y)

        def logarithms(factors: Array) -> Array:
            return _logarithms(with_factors(model, names, factors), learned)

        def objective(factors: Array) -> tuple[float, Array]:
            first = logarithms(factors)
            shares = [(logarithms(factors + step) - first) / STEP for step in STEP * np.eye(len(names))]
            rest = (target - first) - (target - first).mean()
            return float(rest @ rest + RIDGE * factors @ factors) / 2, RIDGE * factors - np.array(shares) @ rest

        start, farthest = np.zeros(len(names)), np.full(len(names), FARTHEST)
        factors = minimum(objective, start, -farthest, farthest, ITERATIONS)[0] if names else start
        fitted = with_factors(model, names, factors)
        fitted = fitted.scaled(float(np.exp(-_logarithms(fitted, learned).mean())))
        known = _logarithms(fitted, learned)
        margin = BEYOND * float(np.ptp(known))
        limits = float(known.min()) - margin, float(known.max()) + margin
        # Files have its parameters as numbers, so that terms that differ in these only are one.
        stored = cls.from_json(cls(fitted, np.zeros(0), limits).as_json(), learned.system)
        return replace(stored, center=_shares(stored.model, learned).mean(axis=0))

    def logarithms(self, configurations: Configurations) -> Array:
        """Return the logarithms of its values within the limits, shape (n,)."""
        return np.clip(_logarithms(self.model, configurations), *self.limits)

    def columns(self, configurations: Configurations) -> Array:
        """Return its columns in the kernel, shape (n, terms)."""
        return np.asarray(2 * (_shares(self.model, configurations) - self.center))

    def as_json(self) -> dict[str, Any]:
        """Return it in JSON's types: its text, and its parameters, which are numbers or tables."""
        parameters: dict[str, Any] = {}
        for each in self.model.parameters:
            rows = [*zip(each.keys, each.values_of, strict=False)]
            parameters[each.name] = {"by": addends_text(each.key), "rows": rows} if each.keys else each.values_of[0]
        model = {"text": self.model.text, "link": self.model.link, "parameters": parameters}
        return {**model, "center": self.center.tolist(), "limits": list(self.limits)}

    @classmethod
    def from_json(cls, content: Mapping[str, Any], system: VariabilityModel) -> Self:
        """Return the formula of `as_json`."""
        known: dict[str, Quantity | ParameterTable] = {}
        for name, stated in content["parameters"].items():
            if isinstance(stated, Mapping):
                rows = ((float(key), Quantity.exactly(float(value))) for key, value in stated["rows"])
                known[name] = ParameterTable(stated["by"], tuple(rows))
            else:
                known[name] = Quantity.exactly(float(stated))
        model, (low, high) = model_of_text(content, system, Parameters(known)), content["limits"]
        return cls(model, np.array(content["center"], dtype=float), (float(low), float(high)))


def _logarithms(model: InfluenceModel, configurations: Configurations) -> Array:
    """Return the logarithms of predictions, shape (n,)."""
    values = model.predict(configurations)
    if len(values) and values.min() <= 0:
        row = int(values.argmin())
        what = f"the formula is {values[row]:g}, which has no logarithm"
        place = describe_configuration(configurations, row)
        raise EvaluationError(f"{what}, at {place}", row=row, what=what)
    return np.asarray(np.log(values))


def _shares(model: InfluenceModel, configurations: Configurations) -> Array:
    """Return the shares of the terms of a sum in the sizes of all, shape (n, terms)."""
    if model.link == "log":
        return np.zeros((len(configurations), 0))
    sizes = model.contributions(configurations)
    return np.asarray(sizes / np.abs(sizes).sum(axis=1, keepdims=True))


def with_factors(model: InfluenceModel, names: Sequence[str], logarithms: Array) -> InfluenceModel:
    """Return a model with factors on all rows of its parameters."""
    factors = dict(zip(names, np.exp(logarithms).tolist(), strict=True))

    def times(part: Derived) -> Derived:
        if not isinstance(part, Parameter):
            return part
        values = tuple(factors[part.name] * value for value in part.values_of)
        return replace(part, values_of=values, low=values, high=values)

    return replace(model, derived=tuple(map(times, model.derived)))


def model_of_text(
    content: Mapping[str, Any], system: VariabilityModel, parameters: Parameters | None = None
) -> InfluenceModel:
    """Return the model of an object with its text and its link."""
    from splc.models.text.reader import expand_model

    link: Link = "log" if content["link"] == "log" else "identity"
    try:
        expanded = expand_model(content["text"], system.term_names, parameters)
    except ExpressionError as error:
        raise ValueError(str(error)) from None
    return InfluenceModel.of_system(expanded.expansion.items(), system, link, expanded.derived)
