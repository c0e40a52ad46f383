"""Model text ↔ performance-influence model: definitions, comments, and the expansion to a canonical sum of terms.

Text: numbers, option names, `+ - * / ^ ( )`, `log2 log10 ln log sqrt`, `#` comments, line continuations inside
parentheses, `name = expression` definitions before the model line (`T = …` or a bare expression). Operators
associate as in mathematics. Products of sums are multiplied out, `log(a*b)` is split, log bases are converted to 10.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from splc.arithmetic import Associate, Node, names_in, parse
from splc.derived import Derived, needed
from splc.errors import ExpressionError, Problem
from splc.expansion import MAX_TERMS, Expander, Expansion, expand
from splc.parameters import Parameters, Quantity, Table, symbol
from splc.terms import CONSTANT, option_term
from splc.tokens import NameTable, UnknownNameError, unquoted

__all__ = [
    "MAX_TERMS",
    "ExpandedText",
    "Expansion",
    "ModelText",
    "expand",
    "expand_model",
    "expand_text",
    "split_text",
]

_MOST_UNKNOWN = 20

_DEFINITION = re.compile(r"\s*(`(?:[^`]|``)+`|[^\W\d][\w.]*)\s*=(?!=)")
_MARK = re.compile(r"`[^`]*`|[#()]")


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
            name = unquoted(match[1], 0)[0] if match[1].startswith("`") else match[1]
            # Blanks in place of the name keep the columns of what follows.
            definitions.append((name, " " * match.end() + statement[match.end() :], line))
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
    """Return the statements, without comments, with their first line number.

    A statement is a line, or several (still with line breaks) while a parenthesis is open.
    """
    found: list[tuple[str, int]] = []
    pending: list[str] = []
    depth = 0
    for number, line in enumerate(text.splitlines(), 1):
        end = len(line)
        for mark in _MARK.finditer(line):
            if mark[0] == "#":
                end = mark.start()
                break
            depth += (mark[0] == "(") - (mark[0] == ")")
        pending.append(line[:end])
        if depth <= 0:
            found.append(("\n".join(pending), number + 1 - len(pending)))
            pending, depth = [], 0
    if pending:
        found.append(("\n".join(pending), number + 1 - len(pending)))
    return [(statement, line) for statement, line in found if statement.strip()]


@dataclass(frozen=True)
class ExpandedText:
    """A model text as a sum of terms.

    Attributes:
        expansion: term → coefficient.
        derived: what its terms are about beside options: subexpressions that are no sum of terms, and parameters.
        used: the parameters that the text uses.
    """

    expansion: Expansion
    derived: tuple[Derived, ...] = ()
    used: frozenset[str] = frozenset()


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
        ExpressionError: with line and column; also where it is no sum of terms.
    """
    return _expanded(text, names, Parameters.of(parameters), associate, None).expansion


def expand_model(
    text: str,
    names: Mapping[str, str] | None,
    parameters: Parameters | None = None,
    *,
    symbols: Collection[str] = (),
    constants: Collection[str] = (),
) -> ExpandedText:
    """Expand model text to a sum of terms in which subexpressions and parameters may stand where options stand.

    Parameters that are plain numbers are put in; those that are tables or have intervals, or are in `symbols`, stay.

    Args:
        text: the model text.
        names: accepted spelling → option name; None accepts every plain name as an option.
        parameters: the machine parameters.
        symbols: parameters to keep as names.
        constants: names of what is always 1.

    Raises:
        ExpressionError: with line and column, naming every unknown name at once; or with file and line for what is
            wrong in the parameters.
    """
    return _expanded(text, names, parameters or Parameters(), "left", (frozenset(symbols), frozenset(constants)))


def _expanded(
    text: str,
    names: Mapping[str, str] | None,
    parameters: Parameters,
    associate: Associate,
    kept: tuple[frozenset[str], frozenset[str]] | None,
) -> ExpandedText:
    """Expand model text; `kept` are the symbols and constants, None: no names are kept, no subexpressions allowed."""
    parts = split_text(text)
    symbols, constants = kept or (frozenset(), frozenset())
    expander = Expander({}, subexpressions=kept is not None)
    known = {name: {CONSTANT: 1.0} for name in constants}
    expander.definitions = known
    table = None if names is None else NameTable(names)
    for name, expression in parameters.expressions.items():
        _require_free(name, names, parameters)
        try:
            known[name] = expander.expanded(parse(expression, table))
        except ExpressionError as error:
            raise error.at(parameters.source or None, parameters.lines.get(name)) from None
    for name, quantity in parameters.quantities.items():
        _require_free(name, names, parameters)
        if isinstance(quantity, Quantity) and (kept is None or (quantity.is_exact and name not in symbols)):
            known[name] = {CONSTANT: quantity.value} if quantity.value != 0 else {}
            continue
        key: Expansion = {}
        if isinstance(quantity, Table):
            try:
                by = quantity.by
                key = known[by] if by in parameters.expressions else expander.expanded(parse(by, table))
            except ExpressionError as error:
                raise error.at(parameters.source or None, parameters.lines.get(name)) from None
        found = symbol(name, quantity, tuple(key.items()))
        expander.derived[name] = found
        expander.depths[name] = 1 + max((expander.depths.get(inner, 0) for inner in found.names), default=0)
        known[name] = {option_term(name): 1.0}
    if table is not None:
        for name in parameters.names:
            table.add(name, name)
    used: set[str] = set()
    for name, statement, line in (*parts.definitions, ("", parts.model, parts.line)):
        try:
            node = _parsed(statement, table, associate)
            expansion = expander.expanded(node)
        except ExpressionError as error:
            raise ExpressionError([_placed(problem, statement, line) for problem in error.problems]) from None
        used.update(names_in(node))
        if not name:
            about = frozenset().union(*(term.options for term in expansion))
            derived = needed(about, expander.derived)
            return ExpandedText(expansion, derived, frozenset(used & set(parameters.names)))
        known[name] = expansion
        if table is not None:
            table.add(name, name)
    raise AssertionError("the model line comes last")  # pragma: no cover


def _require_free(name: str, names: Mapping[str, str] | None, parameters: Parameters) -> None:
    """Refuse a parameter that has the name of an option."""
    if names is not None and name in names:
        raise ExpressionError(
            Problem(
                f"the parameter {name!r} has the name of an option",
                parameters.source or None,
                parameters.lines.get(name),
                hint="rename it, here and in the model",
            )
        )


def _parsed(statement: str, table: NameTable | None, associate: Associate) -> Node:
    """Parse a statement; all its unknown names are reported at once."""
    problems: list[Problem] = []
    trial = table
    while True:
        try:
            node = parse(statement, trial, associate)
        except UnknownNameError as error:
            problems += error.problems
            if len(problems) >= _MOST_UNKNOWN:
                break
            assert trial is not None
            trial = NameTable({**trial.names, error.name: error.name})
        except ExpressionError:
            if problems:
                break
            raise
        else:
            if not problems:
                return node
            break
    raise ExpressionError(problems)


def _placed(problem: Problem, statement: str, line: int) -> Problem:
    """Return a problem of a statement that begins in `line` with its line and column in the text."""
    if problem.column is None:
        return replace(problem, line=line)
    before = statement[: problem.column - 1]
    return replace(problem, line=line + before.count("\n"), column=len(before) - before.rfind("\n"))
