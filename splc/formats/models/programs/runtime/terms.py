"""The printed model: a sum of terms."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from splc.formats.models.programs.runtime.contents import PredictionError, Value
from splc.formats.models.programs.runtime.scale import divisor


def printed_prediction(
    model: Mapping[str, Any], values: Mapping[str, Value], with_interval: bool
) -> tuple[float, float, float]:
    """Return the prediction of the printed model and the ends of its interval."""
    functions: list[Value] = []
    for function in model["functions"]:
        functions.append(_function(function, values, functions))
    total = _sum(model["terms"], values, functions)
    predicted = math.exp(total) if model["link"] == "log" else total
    if not with_interval:
        return predicted, math.nan, math.nan
    intervals = model["intervals"]
    if intervals is None:
        raise PredictionError("the model has no prediction intervals")
    scale, quantile = intervals["scale"], intervals["quantile"]
    if scale["positive"]:
        factor = math.exp(min(quantile, 600))
        ends = sorted((predicted / factor, predicted * factor))
    else:
        half_width = quantile * divisor(scale, predicted / scale["unit"]) * scale["unit"]
        ends = [predicted - half_width, predicted + half_width]
    return predicted, ends[0], ends[1]


def _sum(terms: Sequence[Mapping[str, Any]], values: Mapping[str, Value], functions: Sequence[Value]) -> float:
    """Return a sum of terms; a term with a factor without a value is 0."""
    total = 0.0
    for term in terms:
        term_value = term["influence"]
        factors = [(factor, _base(factor, values, functions)) for factor in term["factors"]]
        if any(base is None for _, base in factors):
            continue
        for factor, base in factors:
            term_value *= _power(base, factor["power"])
            term_value *= _power(math.log10(base), factor["log10"]) if factor["log10"] else 1
        total += term_value
    if not math.isfinite(total):
        raise ArithmeticError
    return total


def _base(factor: Mapping[str, Any], values: Mapping[str, Value], functions: Sequence[Value]) -> Any:
    return values[factor["option"]] if factor["function"] is None else functions[factor["function"]]


def _power(base: float, power: float) -> float:
    return base if power == 1 else math.pow(base, power)


def _function(function: Mapping[str, Any], values: Mapping[str, Value], functions: Sequence[Value]) -> Value:
    """Return the value of a function, None where all of its options are deselected."""
    name, options = function["function"], function["options"]
    if name in ("selected", "deselected"):
        return float((values[options[0]] is None) == (name == "deselected"))
    if options and all(values[option] is None for option in options):
        return None
    arguments = [_sum(addends, values, functions) for addends in function["arguments"]]
    first = arguments[0]
    if name in ("ceil", "floor"):
        nearest_integer = float(round(first))
        exact = abs(first - nearest_integer) <= 1e-12 + 1e-12 * abs(nearest_integer)
        return nearest_integer if exact else float(math.ceil(first) if name == "ceil" else math.floor(first))
    if name[0] in "<>":
        second = arguments[1]
        equal = abs(first - second) <= 1e-12 * abs(second)
        beyond = first > second if name[0] == ">" else first < second
        return float(equal or beyond if name.endswith("=") else beyond and not equal)
    if name in ("max", "min"):
        return max(arguments) if name == "max" else min(arguments)
    if name == "sum":
        return first
    if name == "power":
        return math.pow(*arguments)
    return float(getattr(math, "log" if name == "ln" else name)(first))
