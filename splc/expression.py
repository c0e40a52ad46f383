"""Model text ↔ performance-influence model: definitions, comments, and the expansion to a canonical sum of terms.

Text: numbers, option names, `+ - * / ^ ( )`, `log2 log10 ln log sqrt`, `#` comments, line continuations inside
parentheses, `name = expression` definitions before the model line (`T = …` or a bare expression). Operators
associate as in mathematics. Products of sums are multiplied out, `log(a*b)` is split, log bases are converted to 10.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from splc.arithmetic import (
    Associate,
    Call,
    Name,
    NameTable,
    Node,
    Number,
    Power,
    Product,
    Sum,
    parse,
)
from splc.errors import ExpressionError, Problem
from splc.terms import CONSTANT, Term, exponent, log_term, option_term

MAX_TERMS = 20_000

Expansion = dict[Term, float]

_DEFINITION = re.compile(r"\s*(`[^`]+`|[^\W\d][\w.]*)\s*=(?!=)")


@dataclass(frozen=True)
class ModelText:
    """A model text taken apart: its definitions in order and the model's own expression, each with its first line."""

    definitions: tuple[tuple[str, str, int], ...]
    model: str
    line: int


def split_text(text: str) -> ModelText:
    """Take model text apart into definitions and the model line.

    Raises:
        ExpressionError: if there is no model line, several, or a definition after it.
    """
    definitions: list[tuple[str, str, int]] = []
    for statement, line in _statements(text):
        if match := _DEFINITION.match(statement):
            definitions.append((match[1].strip("`"), statement[match.end() :], line))
        else:
            definitions.append(("", statement, line))
    if not definitions:
        raise ExpressionError(Problem("there is no model: the text is empty", hint="write a sum of terms"))
    for name, statement, line in definitions[:-1]:
        if not name:
            raise ExpressionError(
                Problem("another expression follows the model", line=line, text=statement, hint="keep one model line")
            )
    name, model, line = definitions[-1]
    return ModelText(tuple(definitions[:-1]), model, line)


def _statements(text: str) -> list[tuple[str, int]]:
    """Return the logical lines: without comments, joined while a parenthesis is open, with their first line number."""
    found: list[tuple[str, int]] = []
    pending, start, depth = "", 0, 0
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.split("#", 1)[0]
        if not pending:
            start = number
        pending += (" " if pending else "") + line
        depth += line.count("(") - line.count(")")
        if depth <= 0:
            if pending.strip():
                found.append((pending, start))
            pending, depth = "", 0
    if pending.strip():
        found.append((pending, start))
    return found


def expand(node: Node, definitions: Mapping[str, Expansion] | None = None) -> Expansion:
    """Expand a tree to its canonical sum of terms: term → coefficient.

    Args:
        node: the tree; its names are options unless `definitions` has them.
        definitions: name → what it stands for.

    Raises:
        ExpressionError: where it is no sum of terms (log of a sum, division by a sum, an exponent that is no number),
            or where it has more than `MAX_TERMS` terms.
    """
    definitions = definitions or {}
    match node:
        case Number(value):
            return {CONSTANT: value} if value != 0 else {}
        case Name(name):
            return dict(definitions[name]) if name in definitions else {option_term(name): 1.0}
        case Sum(addends):
            total: Expansion = {}
            for sign, child in addends:
                _add(total, expand(child, definitions), sign)
            return total
        case Product(factors):
            result: Expansion = {CONSTANT: 1.0}
            for side, child in factors:
                other = expand(child, definitions)
                result = _multiply(result, other if side > 0 else _power(other, -1))
            return result
        case Power(base, exponent_node):
            power = expand(exponent_node, definitions)
            if set(power) - {CONSTANT}:
                raise ExpressionError("an exponent must be a number, not depend on options")
            return _power(expand(base, definitions), power.get(CONSTANT, 0.0))
        case Call(function, argument):
            inner = expand(argument, definitions)
            return _power(inner, 0.5) if function == "sqrt" else _logarithm(inner, function)


def _add(total: Expansion, other: Expansion, sign: float = 1.0) -> None:
    for term, value in other.items():
        total[term] = total.get(term, 0.0) + sign * value


def _multiply(left: Expansion, right: Expansion) -> Expansion:
    if len(left) * len(right) > MAX_TERMS:
        raise ExpressionError(f"multiplied out, the expression has more than {MAX_TERMS:,} terms")
    result: Expansion = {}
    for term, value in left.items():
        for other, factor in right.items():
            product = term * other
            result[product] = result.get(product, 0.0) + value * factor
    return result


def _power(base: Expansion, power: float) -> Expansion:
    if len(base) == 1:
        [(term, value)] = base.items()
        if value < 0 and power != int(power):
            raise ExpressionError(f"a negative number to the power of {power:g} has no real value")
        try:
            return {term ** exponent(power): value**power}
        except OverflowError:
            raise ExpressionError("a number in the expression is too large") from None
    if not base:
        if power <= 0:
            raise ExpressionError("division by zero" if power < 0 else "0^0 has no value")
        return {}
    if power != int(power) or power < 0:
        what = "a division by a sum" if power == -1 else f"a sum to the power of {power:g}"
        raise ExpressionError(f"{what} cannot be written as a sum of terms")
    result: Expansion = {CONSTANT: 1.0}
    for _ in range(int(power)):
        result = _multiply(result, base)
    return result


_LOG10_OF_BASE = {"log2": math.log10(2), "log10": 1.0, "ln": math.log10(math.e), "log": math.log10(math.e)}


def _logarithm(inner: Expansion, function: str) -> Expansion:
    """Return log(c * x^a * y^b) = log c + a log x + b log y, in base 10 divided by log10 of the base."""
    if len(inner) != 1:
        raise ExpressionError(
            "the logarithm of a sum cannot be written as a sum of terms" if inner else "the logarithm of 0 has no value"
        )
    [(term, value)] = inner.items()
    if value <= 0:
        raise ExpressionError(f"the logarithm of a negative number ({value:g}) has no real value")
    base = _LOG10_OF_BASE[function]
    result: Expansion = {CONSTANT: math.log10(value) / base} if value != 1 else {}
    for factor in term.factors:
        if factor.log != 0:
            raise ExpressionError("the logarithm of a logarithm cannot be written as a sum of terms")
        _add(result, {log_term(factor.option): float(factor.power) / base})
    return result


def expand_text(
    text: str,
    names: Mapping[str, str] | None,
    parameters: Mapping[str, float] | None = None,
    associate: Associate = "left",
) -> Expansion:
    """Expand model text with its definitions to a sum of terms.

    Args:
        text: the model text.
        names: accepted spelling → option name; None accepts every plain name as an option.
        parameters: name → number.
        associate: how `*` and `/` associate, see `splc.arithmetic.parse`.

    Raises:
        ExpressionError: with line and column.
    """
    parts = split_text(text)
    known: dict[str, Expansion] = {
        name: ({CONSTANT: float(value)} if value != 0 else {}) for name, value in (parameters or {}).items()
    }
    for name, statement, line in (*parts.definitions, ("", parts.model, parts.line)):
        table = None if names is None else NameTable({**names, **{key: key for key in known}})
        try:
            expansion = expand(parse(statement, table, associate), known)
        except ExpressionError as error:
            raise error.at(None, line) from None
        if not name:
            return expansion
        known[name] = expansion
    raise AssertionError("the model line comes last")  # pragma: no cover
