"""Statements of model text: definitions, followed by the model.

A statement is a line. It continues on the next line while a parenthesis is open, if the line ends in an operator or
`=`, and if the next line begins with an operator. Comment lines in between are ignored. After a blank line, `+` and `-`
begin a new statement, because a sum may begin with a sign.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from splc.arithmetic.tokens import NameTable, is_word, unquoted
from splc.errors import ExpressionError, Problem

MODEL = "T"

_DEFINITION = re.compile(r"\s*(`(?:[^`]|``)+`|[^\W\d][\w.]*)\s*=(?!=)")
_MARK = re.compile(r"`[^`]*`|[#()]")
_OPERATORS = "+-*/^"


@dataclass(frozen=True)
class Statement:
    """A statement of a model text."""

    name: str  # the defined name, empty for an expression without a name
    text: str  # the expression, in which spaces replace the name and comments; it may contain line breaks
    line: int  # the first line


@dataclass(frozen=True)
class ModelText:
    """A model text, split into statements."""

    definitions: tuple[Statement, ...]  # the definitions, in order
    model: Statement  # the model, which is the last statement
    is_marked: bool  # whether the model is marked by the name `T`


def split_text(text: str, names: NameTable | None = None) -> ModelText:
    """Split model text into definitions and the model line.

    `names`: the known names, which may begin or end with operators; None if no name does.
    """
    statements = [_named(lines, line) for lines, line in _statements(text, names)]
    if not statements:
        raise ExpressionError(Problem("there is no model: the text is empty", hint="write a sum of terms"))
    last = statements[-1]
    # If an option is called T, the model is recognised by its position only.
    marked = names is None or names.meaning(MODEL) is None
    for index, statement in enumerate(statements[:-1]):
        if not statement.name or (marked and statement.name == MODEL != last.name):
            raise ExpressionError(_after_the_model(statement, statements[index + 1]))
    return ModelText(tuple(statements[:-1]), last, last.name == MODEL)


def _after_the_model(model: Statement, following: Statement) -> Problem:
    """Return the problem of a statement that follows the model."""
    if following.name:
        message, hint = f"the definition {following.name!r} follows", "write definitions before the model line"
    else:
        message = "another expression follows"
        hint = "keep one model line; it continues where a line begins with an operator, and not after a blank line"
    # Spaces replace the name in the text of the statement.
    shown = f"{following.name} = {following.text.strip()}" if following.name else following.text.strip()
    return Problem(f"{message} the model of line {model.line}", line=following.line, text=shown, hint=hint)


def _named(statement: str, line: int) -> Statement:
    match = _DEFINITION.match(statement)
    if match is None:
        return Statement("", statement, line)
    name = unquoted(match[1], 0)[0] if match[1].startswith("`") else match[1]
    # Spaces instead of the name keep the columns of the rest.
    return Statement(name, re.sub(r"[^\n]", " ", match[0]) + statement[match.end() :], line)


def _statements(text: str, names: NameTable | None) -> list[tuple[str, int]]:
    """Return the statements without comments, each with the number of its first line."""
    statements: list[tuple[str, int]] = []
    pending: list[str] = []
    open_ends = _names_like_open_ends(names)
    depth, gap, continues = 0, False, False
    for number, line in enumerate(text.splitlines(), 1):
        content, change = _uncommented(line)
        if depth <= 0 and not content.strip():
            pending += [""] if pending else []
            gap = gap or not line.strip()
            continue
        if depth <= 0 and pending and not (continues or _begins_with_operator(content, names, gap)):
            statements.append(("\n".join(pending).rstrip("\n"), number - len(pending)))
            pending = []
        pending.append(content)
        depth = max(depth, 0) + change
        gap, continues = False, _ends_open(content, open_ends)
    if pending:
        statements.append(("\n".join(pending).rstrip("\n"), len(text.splitlines()) + 1 - len(pending)))
    return statements


def _uncommented(line: str) -> tuple[str, int]:
    """Return a line without its comment, and the number of parentheses it opens minus those it closes."""
    depth = 0
    for mark in _MARK.finditer(line):
        if mark[0] == "#":
            return line[: mark.start()], depth
        depth += (mark[0] == "(") - (mark[0] == ")")
    return line, depth


def _begins_with_operator(line: str, names: NameTable | None, gap: bool) -> bool:
    """Return whether a line continues the previous statement; `gap`: whether a blank line is between them."""
    text = line.lstrip()
    if text[0] not in _OPERATORS or (gap and text[0] in "+-"):
        return False
    return names is None or names.find(text, 0) is None


def _names_like_open_ends(names: NameTable | None) -> tuple[str, ...]:
    """Return the known names that end in an operator."""
    return () if names is None else tuple(name for name in names.names if name and name[-1] in (*_OPERATORS, "="))


def _ends_open(line: str, names: tuple[str, ...]) -> bool:
    """Return whether a line ends in an operator or `=`, so that the next line continues it."""
    text = line.rstrip()
    if not text.endswith((*_OPERATORS, "=")):
        return False
    for name in names:
        before = text[: -len(name)]
        if text.endswith(name) and not (before and is_word(before[-1]) and is_word(name[0])):
            return False
    return True
