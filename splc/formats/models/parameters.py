"""Files of machine parameters in TOML: numbers, expressions, tables over expressions, and numbers with intervals.

The forms and their keys are those of docs/reference/configuration.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from splc.errors import InputError, Problems, listed, nearest
from splc.io.files import Source, read_source, write_whole
from splc.io.numbers import number_text
from splc.io.toml import finite_number, parse_toml, toml_key, toml_value
from splc.models.parameters import Parameters, ParameterTable, Quantity, wrong_name

_NUMBER = re.compile(r"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?")
_WANTED = "write a number, an expression in quotes, or a table"
QUANTITY_KEYS = ("value", "low", "high", "level", "determined")


def read_parameters(path: str | Path) -> Parameters:
    """Read machine parameters, also compressed (`.gz`)."""
    return parse_parameters(read_source(path))


def parse_parameters(source: Source) -> Parameters:
    """Return the machine parameters of a file."""
    problems = Problems(source.name)
    content, lines = parse_toml(source)
    quantities, expressions = dict[str, Quantity | ParameterTable](), dict[str, str]()
    for name, value in content.items():
        line = lines.get(name)
        problem, hint = wrong_name(name)
        if problem:
            problems.add(problem, line, hint=hint)
        elif isinstance(value, str) and value.strip():
            expressions[name] = value
        elif isinstance(value, dict):
            if table := _table(name, value, lines, problems):
                quantities[name] = table
        elif (number := finite_number(value)) is not None:
            quantities[name] = Quantity.exactly(number)
        else:
            problems.add(f"the parameter {name!r} must be a finite number", line, text=toml_value(value), hint=_WANTED)
    problems.raise_if_any(InputError)
    return Parameters(quantities, expressions, source.name, lines)


def _table(
    name: str, content: Mapping[str, Any], lines: Mapping[str, int], problems: Problems
) -> Quantity | ParameterTable | None:
    """Return a TOML table as a quantity or a table, None if it is wrong."""
    line = lines.get(name)
    if "by" not in content:
        if {"value"} <= content.keys() <= {*QUANTITY_KEYS}:
            return _quantity(name, content, line, problems)
        hint = 'a table has by = "…", the expression of its rows; an interval has value, low, high and perhaps level'
        if content.keys().isdisjoint(QUANTITY_KEYS):
            hint += f"; single parameters stand without the heading [{name}]"
        problems.add(f"the parameter {name!r} is neither a table nor a number with an interval", line, hint=hint)
        return None
    row_expression = content["by"]
    if not isinstance(row_expression, str) or not row_expression.strip():
        problems.add(f"{name}.by must be an expression of the options, in quotes", lines.get(f"{name}.by", line))
        return None
    rows, problem_count = dict[float, Quantity](), len(problems)
    for key, value in ((key, value) for key, value in content.items() if key != "by"):
        at = lines.get(f"{name}.{key}", line)
        row_key = finite_number(float(key)) if _NUMBER.fullmatch(key) else None
        if isinstance(value, dict) and value and all(part.isdigit() for part in (key, *value)):
            number = f"{key}.{next(iter(value))}"
            message = f"{name}.{number}: TOML takes a point in a key for nesting"
            problems.add(message, lines.get(f"{name}.{number}", at), hint=f'put the number in quotes: "{number}" = …')
        elif row_key is None:
            problems.add(f"{name}.{key}: a row of a table begins with a number", at, hint='write 4 = 1.2e-6, "2.5" = …')
        elif row_key in rows:
            problems.add(f"{name}.{key}: the table has two rows for {row_key:g}", at)
        else:
            stated = value if isinstance(value, dict) else {"value": value}
            if quantity := _quantity(f"{name}.{key}", stated, at, problems):
                rows[row_key] = quantity
    if not rows and len(problems) == problem_count:
        problems.add(f"the table {name!r} has no rows", line, hint="write one number per value: 4 = 1.2e-6")
    return ParameterTable(row_expression, tuple(sorted(rows.items()))) if rows else None


def _quantity(name: str, content: Mapping[str, Any], line: int | None, problems: Problems) -> Quantity | None:
    """Return a number with its interval, None if it is wrong."""
    value = finite_number(content.get("value"))
    # A missing bound is equal to the value.
    low, high = (finite_number(content[key]) if key in content else value for key in ("low", "high"))
    level, determined = finite_number(content.get("level")), content.get("determined", True)
    bounds, unknown = {"low", "high"} & set(content), sorted(set(content) - set(QUANTITY_KEYS))
    hint: str | None = "or { value = …, low = …, high = … }"
    wrong_key = ""
    if value is None or low is None or high is None:
        wrong_key = "value" if value is None else "low" if low is None else "high"
        key_path = f"{name}.{wrong_key}" if {*content} - {"value"} else name
        message = f"{key_path} must be a finite number"
    elif unknown:
        message = f"{name} has {listed(unknown)}, which a number cannot have"
        hint = nearest(unknown[0], QUANTITY_KEYS) or hint
    elif not low <= value <= high:
        message, hint = f"{name}: {value:g} does not lie between low = {low:g} and high = {high:g}", None
    elif "level" in content and (level is None or not 0 < level < 1 or not bounds):
        wrong_key, message = "level", f"the level of {name} must be a number between 0 and 1, beside low or high"
        hint = "it is the level of the interval from low to high, such as 0.95"
    elif not isinstance(determined, bool) or (bounds and not determined):
        wrong_key = "determined"
        message = f"determined of {name} must be true, or false for a number without an interval"
        hint = "false marks a number that measurements do not determine"
    else:
        return Quantity(value, low, high, level, determined)
    problems.add(message, line, text=(toml_value(content[wrong_key]) if wrong_key in content else None), hint=hint)
    return None


def parameters_text(parameters: Parameters, heading: str = "") -> str:
    """Return parameters as TOML."""
    printable_lines = ("".join(c if c.isprintable() else " " for c in line) for line in heading.splitlines())
    lines = [f"# {line}".rstrip() for line in printable_lines]
    lines += [f"{toml_key(name)} = {toml_value(expression)}" for name, expression in parameters.expressions.items()]
    for name, quantity in sorted(parameters.quantities.items(), key=lambda item: isinstance(item[1], ParameterTable)):
        if isinstance(quantity, Quantity):
            lines.append(f"{toml_key(name)} = {_value(quantity)}")
        else:
            lines += ["", f"[{toml_key(name)}]", f"by = {toml_value(quantity.by)}"]
            lines += [f"{toml_key(number_text(key))} = {_value(value)}" for key, value in quantity.rows]
    return "\n".join(lines) + "\n"


def write_parameters(parameters: Parameters, path: str | Path, heading: str = "") -> None:
    """Write parameters as TOML, whole or not at all; `-` is standard output."""
    write_whole(path, parameters_text(parameters, heading))


def _value(quantity: Quantity) -> str:
    if not quantity.determined:
        return f"{{ value = {quantity.value!r}, determined = false }}"
    if quantity.is_exact and quantity.level is None:
        return repr(quantity.value)
    level = "" if quantity.level is None else f", level = {quantity.level!r}"
    return f"{{ value = {quantity.value!r}, low = {quantity.low!r}, high = {quantity.high!r}{level} }}"
