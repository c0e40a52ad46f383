"""Predictions and intervals of exported models, with the standard library only.

An exported model is this file with its program instead of `PROGRAM`, and `runtime_command.py` behind it. The printed
model is a sum of terms, the full model a sum of Gaussian processes; docs/reference/programs.md has their formulas.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from operator import mul, sub
from typing import Any

PROGRAM: dict[str, Any] = json.loads('{"options": []}')

# Option → its values; (0, 1) for a binary option, empty if any number is allowed.
OPTIONS: dict[str, tuple[float, ...]] = {
    option["name"]: (0.0, 1.0) if option["kind"] == "binary" else tuple(option["values"])
    for option in PROGRAM["options"]
}
PROPERTY: str | None = PROGRAM.get("property")
UNIT: str | None = PROGRAM.get("unit")
LEVEL: float | None = PROGRAM.get("level")  # the probability that a measured value lies inside of an interval

Object = Mapping[str, Any]  # an object of the program
Value = float | None  # that of an option or a function; None if it is deselected
Values = Mapping[str, Value]
Interval = tuple[float, float, float]  # a prediction, and the ends of its interval

_LIMIT = 600.0  # values on a scale, and logarithms of factors, are limited: larger ones have no exponential
_SHOWN = 12  # the most problems, and values of an option, in messages


class PredictionError(ValueError):
    """A configuration that cannot be predicted."""


def shown(name: str) -> str:
    """Return a name as text for a terminal."""
    return name if name.isprintable() else repr(name)


def predict(configuration: Mapping[str, Any], *, printed: bool = False, extrapolate: bool = False) -> float:
    """Return the prediction of a configuration.

    Args:
        configuration: option → value: 0 or 1 of binary options; None is a deselected numeric option.
        printed: whether the printed model predicts, not the full one.
        extrapolate: whether numeric options may have other values than those of `OPTIONS`.

    Raises:
        PredictionError: if a value is wrong or missing, or the model has no finite value.
    """
    return _evaluated(_checked(configuration, extrapolate), printed, False)[0]


def interval(
    configuration: Mapping[str, Any], *, printed: bool = False, extrapolate: bool = False
) -> tuple[float, float]:
    """Return the ends of the prediction interval of a configuration; the arguments are those of `predict`.

    The first call factorises a matrix with a row for each configuration that was learned from.
    """
    return _evaluated(_checked(configuration, extrapolate), printed, True)[1:]


def _evaluated(values: Values, printed: bool, with_interval: bool) -> Interval:
    processes = [each for each in _PROCESSES if each.where is None or values[each.where] == 1]
    try:
        if printed or not _PROCESSES:
            predicted, low, high = _printed_prediction(values, with_interval)
        else:
            parts = (process.prediction(values, with_interval) for process in processes)
            predicted, low, high = map(sum, zip((0.0, 0.0, 0.0), *parts, strict=True))
    except PredictionError:
        raise
    except (ArithmeticError, ValueError):
        predicted = math.nan
    if not math.isfinite(predicted):
        raise PredictionError("the model has no finite value at this configuration")
    return predicted, low, high


def _checked(configuration: Mapping[str, Any], extrapolate: bool) -> dict[str, Value]:
    """Return the values of all options."""
    remaining = dict(configuration)
    problems = _without_texts(remaining)
    values: dict[str, Value] = {}
    for option in PROGRAM["options"]:
        name = option["name"]
        if name in remaining:
            try:
                values[name] = _value(option, remaining.pop(name), extrapolate)
            except PredictionError as error:
                problems.append(str(error))
        elif option["fixed"] is not None or not option["needed"]:
            values[name] = option["fixed"]
        else:
            problems.append(f"no value for the option {name!r}")
    for name in remaining:
        suggestions = get_close_matches(str(name), OPTIONS, 1)
        problems.append(f"unknown option {name!r}" + (f"; did you mean {suggestions[0]!r}?" if suggestions else ""))
    if len(problems) > _SHOWN:
        problems[_SHOWN:] = [f"… and {len(problems) - _SHOWN} more problems"]
    if problems:
        raise PredictionError("\n".join(problems))
    return values


def _without_texts(configuration: dict[str, Any]) -> list[str]:
    """Replace texts that stand for options by the values of these; return the problems."""
    problems = []
    for group in PROGRAM["texts"]:
        name, texts = group["name"], group["texts"]
        text = configuration.get(name)
        if not isinstance(text, str) or (text and _number(text) is not None):
            continue
        del configuration[name]
        if text.strip() not in texts:
            known = ", ".join(map(shown, filter(None, texts)))
            problems.append(f"{shown(name)} cannot be {text!r}; its values are {known}")
            continue
        selected = texts[text.strip()]
        configuration |= {name: float(selected != "")}
        configuration |= {child: float(child == selected) for child in texts.values() if child}
    return problems


def _number(value: Any) -> float | None:
    """Return a value as a number, NaN if it is empty, None for other texts."""
    try:
        return math.nan if value is None or value == "" else float(value)
    except (TypeError, ValueError):
        return None


def _value(option: Object, value: Any, extrapolate: bool) -> Value:
    """Return the value of an option, None where it is deselected."""
    name, levels, number = option["name"], OPTIONS[option["name"]], _number(value)
    if number is None:
        raise PredictionError(f"{shown(name)} cannot be {value!r}, which is not a number")
    if math.isnan(number) or number == option["flag"]:
        if option["optional"]:
            return None
        raise PredictionError(f"no value for the option {name!r}")
    closest = min(levels, key=lambda level: abs(level - number), default=number)
    # Values match to one part in 10^9.
    if math.isclose(closest, number, rel_tol=1e-9) and not math.isinf(number):
        return closest
    if math.isinf(number) or not (extrapolate or option["open"]) or option["kind"] == "binary":
        listed = ", ".join(f"{level:g}" for level in levels[:_SHOWN]) + (", …" if len(levels) > _SHOWN else "")
        raise PredictionError(f"{shown(name)} cannot be {number:g}; its values are {listed or 'numbers'}")
    return number


# Scales: y is a value in units of the scale, t the value on it.


def _forward(scale: Object, y: float) -> float:
    """Return t."""
    if scale["name"] in ("log", "shifted_log"):
        return math.log(y + scale["shift"])
    return math.asinh(y) if scale["name"] == "asinh" else y - scale["positive"]


def _backward(scale: Object, t: float) -> float:
    """Return y."""
    limited = min(max(t, -_LIMIT), _LIMIT)
    if scale["name"] in ("log", "shifted_log"):
        y = math.exp(limited) - scale["shift"]
    else:
        y = math.sinh(limited) if scale["name"] == "asinh" else t + scale["positive"]
    return float(max(y, scale["lowest"]))


def _slopes(scale: Object, y: float) -> tuple[float, float, float]:
    """Return the derivative of y by t, the divisor of differences from y, and the multiple of the noise's variance."""
    if scale["name"] == "raw":
        noise = float(y**2 if scale["positive"] else y**2 + scale["constant_noise"] ** 2)
        return 1.0, y if scale["positive"] else math.sqrt(noise), noise
    derivative = math.sqrt(y**2 + 1) if scale["name"] == "asinh" else 1.0
    if scale["name"] in ("log", "shifted_log"):
        derivative = float(y + scale["shift"])
    return derivative, y if scale["positive"] else derivative, 1.0


def _printed_prediction(values: Values, with_interval: bool) -> Interval:
    model, functions = PROGRAM["printed"], list[Value]()
    for function in model["functions"]:
        functions.append(_function(function, values, functions))
    total = _sum(model["terms"], values, functions)
    predicted = math.exp(total) if model["link"] == "log" else total
    if not with_interval:
        return predicted, math.nan, math.nan
    if model["intervals"] is None:
        raise PredictionError("the model has no prediction intervals")
    scale, quantile = model["intervals"]["scale"], model["intervals"]["quantile"]
    if scale["positive"]:
        factor = math.exp(min(quantile, _LIMIT))
        low, high = sorted((predicted / factor, predicted * factor))
        return predicted, low, high
    half_width = quantile * _slopes(scale, predicted / scale["unit"])[1] * scale["unit"]
    return predicted, predicted - half_width, predicted + half_width


def _sum(terms: Sequence[Object], values: Values, functions: Sequence[Value]) -> float:
    """Return a sum of terms; a term with a factor without a value is 0."""
    total = 0.0
    for term in terms:
        summand, factors = term["influence"], term["factors"]
        bases: list[Any] = [
            values[each["option"]] if each["function"] is None else functions[each["function"]] for each in factors
        ]
        if None in bases:
            continue
        for factor, base in zip(factors, bases, strict=True):
            # The limit of x * log10(x) at 0 is 0.
            has_log = factor["log10"] and (base or factor["power"] <= 0 or factor["log10"] < 0)
            summand *= math.pow(base, factor["power"])
            summand *= math.pow(math.log10(base), factor["log10"]) if has_log else 1
        total += summand
    if not math.isfinite(total):
        raise ArithmeticError
    return total


def _function(function: Object, values: Values, functions: Sequence[Value]) -> Value:
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
    own: dict[str, Any] = {"max": max, "min": min, "sum": float, "power": math.pow, "ln": math.log}
    return float(own[name](*arguments) if name in own else getattr(math, name)(first))


Point = Sequence[Sequence[float]]  # the columns of each variable at a configuration


class _Process:
    """The average of Gaussian processes with the same rows."""

    def __init__(self, content: Object) -> None:
        self.content, self.where = content, content["where"]
        self.scale, self.kernels, self.variables = content["scale"], content["kernels"], content["variables"]
        # The states of the rows, for each variable.
        self.states = [[ord(state) - 48 for state in variable["rows"]] for variable in self.variables]

    def prediction(self, values: Values, with_interval: bool) -> Interval:
        """Return a prediction and the ends of its interval, in the unit of the property."""
        content, scale, unit = self.content, self.scale, self.scale["unit"]
        values, near = self._near(values)
        if self.kernels:
            point, crosses, means = self._means(values)
            mean = sum(means) / len(means)
        else:
            mean = content["constant"]
        blended = self._blended(mean, values)
        y = _backward(scale, blended)
        if not with_interval:
            return y * unit, math.nan, math.nan
        derivative, divisor, noise_multiple = _slopes(scale, y)
        if self.kernels:
            variances = [self._variance(at, point, cross) for at, cross in enumerate(crosses)]
            latent = sum(variances) / len(means) + sum((each - mean) ** 2 for each in means) / len(means)
            for others, weight in near:
                other = self._blended(sum(self._means(others)[2]) / len(means), others)
                latent += (weight * (blended - other)) ** 2
            deviation = math.sqrt(latent + content["noise"] * noise_multiple / content["noise_unit"])
        else:
            deviation = math.nan if content["spread"] is None else content["spread"]
        slope = derivative / divisor
        width = math.hypot(content["quantile"] * deviation * slope, content["runs"])
        if scale["positive"]:
            factor = math.exp(min(width, _LIMIT))
            return y * unit, y / factor * unit, y * factor * unit
        t, half_width = _forward(scale, y), width / slope
        return y * unit, _backward(scale, t - half_width) * unit, _backward(scale, t + half_width) * unit

    def _blended(self, mean: float, values: Values) -> float:
        """Return the mean on the scale with the printed model as a part of it, as far as that has a value."""
        weight, scale = 0.0 if self._is_known(values) else self.content["printed"], self.scale
        try:
            predicted = _printed_prediction(values, False)[0] if weight else math.nan
            t = _forward(scale, max(predicted / scale["unit"], scale["lowest"]))
        except (ArithmeticError, ValueError):
            return mean
        return (1 - weight) * mean + weight * t if math.isfinite(t) else mean

    def _is_known(self, values: Values) -> bool:
        """Return whether a row has these values of the options that make a setting; without such options no row has."""
        rows = {*range(len(self.content["noises"]))} if self.content["same"] else set[int]()
        for variable, states in ((self.variables[at], self.states[at]) for at in self.content["same"]):
            point = _columns(variable, values)
            differences = [map(sub, point, columns) for columns in variable["columns"]]
            equal = [all(abs(difference) <= 1e-9 for difference in each) for each in differences]
            rows = {row for row in rows if equal[states[row]]}
        return bool(rows)

    def _near(self, values: Values) -> tuple[Values, list[tuple[Values, float]]]:
        """Return values that have logarithms; for each further value those with the nearest known one, and a weight."""
        usable = dict(values)
        moved: list[tuple[str, float, float]] = []
        for variable in self.variables:
            name: str = variable["options"][0] if variable["shapes"] else ""
            known, x = OPTIONS.get(name, ()), values.get(name)
            if x is None or not known or x in known:
                continue
            weight = max(self.content["extrapolation"], 2 / len(known))
            if (known[0] > 0 and x <= 0) or (known[0] == 0 and x <= -1):
                usable[name] = known[0]
                moved.append((name, known[-1], weight))
                continue
            nearest = min((abs(level - x), level) for level in known)[1]
            moved.append((name, nearest, weight / 2 if known[0] < x < known[-1] else weight))
        return usable, [({**usable, name: level}, weight) for name, level, weight in moved]

    def _means(self, values: Values) -> tuple[Point, list[list[float]], list[float]]:
        """Return the columns of a configuration, its kernels with the rows, and the mean of each kernel."""
        point = [_columns(variable, values) for variable in self.variables]
        crosses = [self._kernel(kernel, self.states, point) for kernel in self.kernels]
        means = [
            kernel["mean"] + kernel["deviation"] * sum(map(mul, kernel["weights"], cross))
            for kernel, cross in zip(self.kernels, crosses, strict=True)
        ]
        return point, crosses, means

    def _kernel(self, kernel: Object, rows: Sequence[Sequence[int]], point: Point) -> list[float]:
        """Return the kernel between rows, given by their states, and a configuration."""
        rho, size, width = kernel["interaction"], kernel["stationary"], kernel["width"]
        products = [1.0] * len(rows[0])
        distances = [0.0] * len(rows[0])
        for variable, states, columns, relevances in zip(
            self.variables, rows, point, kernel["relevances"], strict=True
        ):
            factors, squares = [], []
            for state_columns in variable["columns"]:
                triples = list(zip(relevances, columns, state_columns, strict=True))
                factors.append(1 + rho * sum(weight * a * b for weight, a, b in triples))
                squares.append(sum(weight * (a - b) ** 2 for weight, a, b in triples))
            products = [product * factors[state] for product, state in zip(products, states, strict=True)]
            distances = [distance + squares[state] for distance, state in zip(distances, states, strict=True)]
        covariances = []
        for product, distance in zip(products, distances, strict=True):
            root = math.sqrt(3 * width * distance)
            covariances.append(1 + (product - 1) / rho + size * (1 + root) * math.exp(-root))
        return covariances

    def _variance(self, at: int, point: Point, cross: Sequence[float]) -> float:
        """Return the posterior variance of a kernel at a configuration, without noise."""
        kernel, white = self.kernels[at], _solved(self._factors[at], cross)
        rho, product = kernel["interaction"], 1.0
        for columns, relevances in zip(point, kernel["relevances"], strict=True):
            product *= 1 + rho * sum(weight * entry * entry for weight, entry in zip(relevances, columns, strict=True))
        prior = 1 + (product - 1) / rho + kernel["stationary"]
        return float(kernel["deviation"] ** 2 * max(prior - sum(map(mul, white, white)), 0.0))

    @cached_property
    def _factors(self) -> list[list[list[float]]]:
        """The rows of the Cholesky factor of each kernel between the rows."""
        factors: list[list[list[float]]] = []
        for kernel in self.kernels:
            factor: list[list[float]] = []
            factors.append(factor)
            for at, noise in enumerate(self.content["noises"]):
                columns = zip(self.variables, self.states, strict=True)
                point = [variable["columns"][states[at]] for variable, states in columns]
                values = self._kernel(kernel, [states[: at + 1] for states in self.states], point)
                values[at] += kernel["noise"] * noise + self.content["jitter"]
                row = _solved(factor, values)
                factor.append([*row, math.sqrt(values[at] - sum(map(mul, row, row)))])
        return factors


def _solved(factor: Sequence[Sequence[float]], values: Sequence[float]) -> list[float]:
    """Return the product of the inverse of a lower triangular matrix, whose rows are given, and the first values."""
    solution: list[float] = []
    for row, value in zip(factor, values, strict=False):
        solution.append((value - sum(map(mul, row, solution))) / row[-1])
    return solution


def _columns(variable: Object, values: Values) -> Sequence[float]:
    """Return the columns of a variable at a configuration."""
    if variable["shapes"]:
        x = values[variable["options"][0]]
        return [_shape(shape, x) for shape in variable["shapes"]]
    selected = [position for position, name in enumerate(variable["options"]) if values[name] == 1]
    if len(selected) > 1:
        names = ", ".join(shown(variable["options"][position]) for position in selected)
        raise PredictionError(f"only one of these options can be selected: {names}")
    columns: Sequence[float] = variable["columns"][selected[0] if selected else -1]
    return columns


def _shape(shape: Object, x: Value) -> float:
    """Return a column of a numeric variable."""
    name, a, b, c = shape["shape"], shape["a"], shape["b"], shape["c"]
    if name == "presence":
        return -1.0 if x is None else 1.0
    if x is None:
        return 0.0
    if name == "level":
        return 1.0 if x == a else -1.0
    if name == "threshold":
        return float((float(x >= a) - b) / c)
    transform = name.removesuffix("^2")
    column = float(((x if transform == "identity" else math.log(x) if transform == "ln" else math.log1p(x)) - a) / b)
    return column if transform == name else float(column**2 - c)


_PROCESSES = [_Process(content) for content in PROGRAM.get("full", ())]
