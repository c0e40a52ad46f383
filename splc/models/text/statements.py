"""Model text → statements: definitions, and the model that they lead to.

A statement is a line. It goes on while a parenthesis is open, where a line ends in an operator or in `=`, and where the
next line begins with an operator, for formulas are broken in front of operators. Lines of comments in between do not
matter. After a blank line, `+` and `-` begin a statement of their own, as a sum may.
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
    """A statement of a model text.

    Attributes:
        name: what it defines, empty for an expression without a name.
        text: its expression, with blanks in the place of the name and of comments; may hold line breaks.
        line: its first line.
    """

    name: str
    text: str
    line: int


@dataclass(frozen=True)
class ModelText:
    """A model text taken apart.

    Attributes:
        definitions: its definitions, in order.
        model: the statement that is the model, the last one.
        is_marked: whether the text says that this is the model: it is named `T`.
    """

    definitions: tuple[Statement, ...]
    model: Statement
    is_marked: bool


def split_text(text: str, names: NameTable | None = None) -> ModelText:
    """Take model text apart into definitions and the model line.

    Args:
        text: the text.
        names: the known names, which may begin or end with what else is an operator; None: there are no such names.

    Raises:
        ExpressionError: if there is no model line, several, or a definition after it.
    """
    statements = [_named(lines, line) for lines, line in _statements(text, names)]
    if not statements:
        raise ExpressionError(Problem("there is no model: the text is empty", hint="write a sum of terms"))
    last = statements[-1]
    # Who calls an option T has no other mark for the model than its place.
    marked = names is None or names.meaning(MODEL) is None
    for place, statement in enumerate(statements[:-1]):
        if not statement.name or (marked and statement.name == MODEL != last.name):
            raise ExpressionError(_after_the_model(statement, statements[place + 1]))
    return ModelText(tuple(statements[:-1]), last, last.name == MODEL)


def _after_the_model(model: Statement, found: Statement) -> Problem:
    """Return the problem that a statement follows the model."""
    if found.name:
        what, hint = f"the definition {found.name!r} follows", "write definitions before the model line"
    else:
        what = "another expression follows"
        hint = "keep one model line; it goes on where a line begins with an operator, and not after a blank line"
    # The statement has blanks in the place of its name.
    shown = f"{found.name} = {found.text.strip()}" if found.name else found.text.strip()
    return Problem(f"{what} the model of line {model.line}", line=found.line, text=shown, hint=hint)


def _named(statement: str, line: int) -> Statement:
    match = _DEFINITION.match(statement)
    if match is None:
        return Statement("", statement, line)
    name = unquoted(match[1], 0)[0] if match[1].startswith("`") else match[1]
    # Blanks in place of the name keep the columns of what follows.
    return Statement(name, re.sub(r"[^\n]", " ", match[0]) + statement[match.end() :], line)


def _statements(text: str, names: NameTable | None) -> list[tuple[str, int]]:
    """Return the statements, without comments, with their first line number."""
    found: list[tuple[str, int]] = []
    pending: list[str] = []
    open_ends = _names_like_open_ends(names)
    depth, gap, goes_on = 0, False, False
    for number, line in enumerate(text.splitlines(), 1):
        said, change = _uncommented(line)
        if depth <= 0 and not said.strip():
            pending += [""] if pending else []
            gap = gap or not line.strip()
            continue
        if depth <= 0 and pending and not (goes_on or _begins_with_operator(said, names, gap)):
            found.append(("\n".join(pending).rstrip("\n"), number - len(pending)))
            pending = []
        pending.append(said)
        depth = max(depth, 0) + change
        gap, goes_on = False, _ends_open(said, open_ends)
    if pending:
        found.append(("\n".join(pending).rstrip("\n"), len(text.splitlines()) + 1 - len(pending)))
    return found


def _uncommented(line: str) -> tuple[str, int]:
    """Return a line without its comment, and by how much it opens more parentheses than it closes."""
    depth = 0
    for mark in _MARK.finditer(line):
        if mark[0] == "#":
            return line[: mark.start()], depth
        depth += (mark[0] == "(") - (mark[0] == ")")
    return line, depth


def _begins_with_operator(line: str, names: NameTable | None, gap: bool) -> bool:
    """Whether a line goes on with the statement before it; `gap`: there is a blank line between them."""
    text = line.lstrip()
    if text[0] not in _OPERATORS or (gap and text[0] in "+-"):
        return False
    return names is None or names.find(text, 0) is None


def _names_like_open_ends(names: NameTable | None) -> tuple[str, ...]:
    """Return the known names that end in what else is an operator."""
    return () if names is None else tuple(name for name in names.names if name and name[-1] in (*_OPERATORS, "="))


def _ends_open(line: str, names: tuple[str, ...]) -> bool:
    """Whether something must follow the end of a line."""
    text = line.rstrip()
    if not text.endswith((*_OPERATORS, "=")):
        return False
    for name in names:
        before = text[: -len(name)]
        if text.endswith(name) and not (before and is_word(before[-1]) and is_word(name[0])):
            return False
    return True
