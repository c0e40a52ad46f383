"""Model text ↔ performance-influence model: definitions, comments, and the expansion to a canonical sum of terms.

Text: numbers, option names, `+ - * / ^ ( )`, `log2 log10 ln log sqrt`, `#` comments, line continuations inside
parentheses, `name = expression` definitions before the model line (`T = …` or a bare expression). Operators
associate as in mathematics. Products of sums are multiplied out, `log(a*b)` is split, log bases are converted to 10.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from splc.arithmetic import Associate, parse
from splc.errors import ExpressionError, Problem
from splc.expansion import MAX_TERMS, Expander, Expansion, expand
from splc.terms import CONSTANT
from splc.tokens import NameTable, unquoted

__all__ = ["MAX_TERMS", "Expansion", "ModelText", "expand", "expand_text", "split_text"]

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
    known: dict[str, Expansion] = {}
    for name, value in (parameters or {}).items():
        if not math.isfinite(value):
            raise ExpressionError(f"the parameter {name!r} is {value:g}, it must be a finite number")
        known[name] = {CONSTANT: float(value)} if value != 0 else {}
    table = None if names is None else NameTable({**names, **{key: key for key in known}})
    expander = Expander(known)
    for name, statement, line in (*parts.definitions, ("", parts.model, parts.line)):
        try:
            expansion = expander.expanded(parse(statement, table, associate))
        except ExpressionError as error:
            raise ExpressionError([_placed(problem, statement, line) for problem in error.problems]) from None
        if not name:
            return expansion
        known[name] = expansion
        if table is not None:
            table.add(name, name)
    raise AssertionError("the model line comes last")  # pragma: no cover


def _placed(problem: Problem, statement: str, line: int) -> Problem:
    """Return a problem of a statement that begins in `line` with its line and column in the text."""
    if problem.column is None:
        return replace(problem, line=line)
    before = statement[: problem.column - 1]
    return replace(problem, line=line + before.count("\n"), column=len(before) - before.rfind("\n"))
