"""The prediction program with its constants, checks of configurations, and what the printed and the full model predict.

The printed model is a sum of terms, the full model Gaussian processes with kernels that are products.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from operator import mul
from typing import Any

PROGRAM: dict[str, Any] = json.loads('{"options": []}')

# Option → its values; (0, 1) for a binary option, empty if any number is allowed.
OPTIONS: dict[str, tuple[float, ...]] = {
    option["name"]: (0.0, 1.0) if option["kind"] == "binary" else tuple(option["values"])
    for option in PROGRAM["options"]
}
PROPERTY: str | None = PROGRAM.get("property")
UNIT: str | None = PROGRAM.get("unit")
# The probability that a measured value lies inside of an interval.
LEVEL: float | None = PROGRAM.get("level")

# None is a deselected numeric option.
Value = float | None


def shown(name: str) -> str:
    """Return a name as text for a terminal."""
    return name if name.isprintable() else repr(name)


class PredictionError(ValueError):
    """A configuration that cannot be predicted."""


_LIMIT = 600.0


def forward(scale: Mapping[str, Any], y: float) -> float:
    """Return the value on the scale of a value in units of the scale."""
    if scale["name"] in ("log", "shifted_log"):
        return math.log(y + scale["shift"])
    return math.asinh(y) if scale["name"] == "asinh" else y - scale["positive"]


def backward(scale: Mapping[str, Any], t: float) -> float:
    """Return the value in units of the scale of a value on the scale."""
    limited = min(max(t, -_LIMIT), _LIMIT)
    if scale["name"] in ("log", "shifted_log"):
        y = math.exp(limited) - scale["shift"]
    else:
        y = math.sinh(limited) if scale["name"] == "asinh" else t + scale["positive"]
    return float(max(y, scale["lowest"]))


def divisor(scale: Mapping[str, Any], y: float) -> float:
    """Return the divisor of differences at a prediction."""
    if scale["positive"]:
        return y
    if scale["name"] == "raw":
        return math.sqrt(noise_multiple(scale, y))
    if scale["name"] == "shifted_log":
        return float(y + scale["shift"])
    return math.sqrt(y**2 + 1) if scale["name"] == "asinh" else 1.0


def slope(scale: Mapping[str, Any], y: float) -> float:
    """Return the derivative of the value by that on the scale, over the divisor."""
    rate = 1.0
    if scale["name"] in ("log", "shifted_log"):
        rate = y + scale["shift"]
    elif scale["name"] == "asinh":
        rate = math.sqrt(y**2 + 1)
    return rate / divisor(scale, y)


def noise_multiple(scale: Mapping[str, Any], y: float) -> float:
    """Return the multiple of the variance of the noise at a prediction."""
    if scale["name"] != "raw":
        return 1.0
    return float(y**2 if scale["positive"] else y**2 + scale["constant_noise"] ** 2)


_SHOWN = 12


def checked(configuration: Mapping[str, Any], extrapolate: bool) -> dict[str, Value]:
    """Return the values of all options; all problems are reported at once."""
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
    if problems:
        omitted = len(problems) - _SHOWN
        raise PredictionError(
            "\n".join([*problems[:_SHOWN], *([f"… and {omitted} more problems"] if omitted > 0 else [])])
        )
    return values


def _without_texts(configuration: dict[str, Any]) -> list[str]:
    """Replace texts that stand for options by the values of these; return the problems."""
    problems = []
    for group in PROGRAM["texts"]:
        name, texts = group["name"], group["texts"]
        text = configuration.get(name)
        if not isinstance(text, str) or _is_number(text):
            continue
        del configuration[name]
        if text.strip() not in texts:
            problems.append(
                f"{shown(name)} cannot be {text!r}; its values are {', '.join(map(shown, filter(None, texts)))}"
            )
            continue
        selected = texts[text.strip()]
        configuration |= {name: float(selected != "")}
        configuration |= {child: float(child == selected) for child in texts.values() if child}
    return problems


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _value(option: Mapping[str, Any], value: Any, extrapolate: bool) -> Value:
    """Return the value of an option, None where it is deselected."""
    name, levels = option["name"], OPTIONS[option["name"]]
    try:
        number = math.nan if value is None or value == "" else float(value)
    except (TypeError, ValueError):
        raise PredictionError(f"{shown(name)} cannot be {value!r}, which is not a number") from None
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


def process_prediction(
    process: Mapping[str, Any], number: int, values: Mapping[str, Value], with_interval: bool
) -> tuple[float, float, float]:
    """Return the prediction of a Gaussian process and the ends of its interval, in the unit of the property."""
    scale, kernels = process["scale"], process["kernels"]
    values, near = _near(process, values)
    if kernels:
        columns, crosses, means = _means(process, number, values)
        mean = sum(means) / len(means)
    else:
        mean = process["constant"]
    blended = _blended(process, mean, values)
    y, unit = backward(scale, blended), scale["unit"]
    if not with_interval:
        return y * unit, math.nan, math.nan
    if kernels:
        variances = [_variance(process, number, index, columns, cross) for index, cross in enumerate(crosses)]
        latent = sum(variances) / len(means) + sum((kernel_mean - mean) ** 2 for kernel_mean in means) / len(means)
        for others, weight in near:
            other = _blended(process, sum(_means(process, number, others)[2]) / len(means), others)
            latent += (weight * (blended - other)) ** 2
        deviation = math.sqrt(latent + process["noise"] * noise_multiple(scale, y) / process["noise_unit"])
    else:
        deviation = math.nan if process["spread"] is None else process["spread"]
    rate = slope(scale, y)
    width = math.hypot(process["quantile"] * deviation * rate, process["runs"])
    if scale["positive"]:
        factor = math.exp(min(width, 600))
        return y * unit, y / factor * unit, y * factor * unit
    t, half_width = forward(scale, y), width / rate
    return y * unit, backward(scale, t - half_width) * unit, backward(scale, t + half_width) * unit


def _blended(process: Mapping[str, Any], mean: float, values: Mapping[str, Value]) -> float:
    """Return the mean on the scale with the printed model as a part of it, as far as that has a value."""
    weight, scale = process["printed"], process["scale"]
    try:
        predicted = printed_prediction(PROGRAM["printed"], values, False)[0] if weight else math.nan
        t = forward(scale, max(predicted / scale["unit"], scale["lowest"]))
    except (ArithmeticError, ValueError):
        return mean
    return (1 - weight) * mean + weight * t if math.isfinite(t) else mean


def _near(
    process: Mapping[str, Any], values: Mapping[str, Value]
) -> tuple[Mapping[str, Value], list[tuple[Mapping[str, Value], float]]]:
    """Return values that have logarithms, and for each further value those with the nearest known one, and a weight."""
    usable = dict(values)
    moved: list[tuple[str, float, float]] = []
    for variable in process["variables"]:
        name: str = variable["options"][0] if variable["shapes"] else ""
        known, x = OPTIONS.get(name, ()), values.get(name)
        if x is None or not known or x in known:
            continue
        weight = max(process["extrapolation"], 2 / len(known))
        if (known[0] > 0 and x <= 0) or (known[0] == 0 and x <= -1):
            usable[name] = known[0]
            moved.append((name, known[-1], weight))
            continue
        nearest = min((abs(level - x), level) for level in known)[1]
        moved.append((name, nearest, weight / 2 if known[0] < x < known[-1] else weight))
    return usable, [({**usable, name: level}, weight) for name, level, weight in moved]


def _means(
    process: Mapping[str, Any], number: int, values: Mapping[str, Value]
) -> tuple[list[Sequence[float]], list[list[float]], list[float]]:
    """Return the columns of a configuration, its kernels with the rows, and the mean of each kernel."""
    columns = [_columns(variable, values) for variable in process["variables"]]
    crosses = [_kernel(process, kernel, _states(number), columns) for kernel in process["kernels"]]
    means = [
        kernel["mean"] + kernel["deviation"] * sum(map(mul, kernel["weights"], cross))
        for kernel, cross in zip(process["kernels"], crosses, strict=True)
    ]
    return columns, crosses, means


def _columns(variable: Mapping[str, Any], values: Mapping[str, Value]) -> Sequence[float]:
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


def _shape(shape: Mapping[str, Any], x: Value) -> float:
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


@cache
def _states(number: int) -> list[list[int]]:
    """Return the states of the rows, for each variable of a Gaussian process."""
    return [[ord(state) - 48 for state in variable["rows"]] for variable in PROGRAM["full"][number]["variables"]]


def _kernel(
    process: Mapping[str, Any],
    kernel: Mapping[str, Any],
    rows: Sequence[Sequence[int]],
    point: Sequence[Sequence[float]],
) -> list[float]:
    """Return the kernel between rows and a configuration with these columns."""
    rho, size, width = kernel["interaction"], kernel["stationary"], kernel["width"]
    products = [1.0] * len(rows[0])
    distances = [0.0] * len(rows[0])
    for variable, states, columns, relevances in zip(
        process["variables"], rows, point, kernel["relevances"], strict=True
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


def _variance(
    process: Mapping[str, Any],
    number: int,
    index: int,
    point: Sequence[Sequence[float]],
    cross: Sequence[float],
) -> float:
    """Return the posterior variance at a configuration, without noise."""
    kernel = process["kernels"][index]
    white: list[float] = []
    for row, value in zip(_factor(number, index), cross, strict=True):
        white.append((value - sum(map(mul, row, white))) / row[-1])
    rho, product = kernel["interaction"], 1.0
    for columns, relevances in zip(point, kernel["relevances"], strict=True):
        product *= 1 + rho * sum(weight * entry * entry for weight, entry in zip(relevances, columns, strict=True))
    prior = 1 + (product - 1) / rho + kernel["stationary"]
    return float(kernel["deviation"] ** 2 * max(prior - sum(map(mul, white, white)), 0.0))


@cache
def _factor(number: int, index: int) -> list[list[float]]:
    """Return the rows of the Cholesky factor of the kernel between the rows."""
    process = PROGRAM["full"][number]
    kernel, states = process["kernels"][index], _states(number)
    factor: list[list[float]] = []
    for at, noise in enumerate(process["noises"]):
        states_so_far = [variable_states[: at + 1] for variable_states in states]
        point = [variable["columns"][row[at]] for variable, row in zip(process["variables"], states, strict=True)]
        values = _kernel(process, kernel, states_so_far, point)
        values[at] += kernel["noise"] * noise + process["jitter"]
        row: list[float] = []
        for value, factor_row in zip(values, factor, strict=False):
            row.append((value - sum(map(mul, row, factor_row))) / factor_row[-1])
        factor.append([*row, math.sqrt(values[at] - sum(map(mul, row, row)))])
    return factor
