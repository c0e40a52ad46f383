"""Model text ↔ performance-influence model: definitions, comments, and the expansion to a canonical sum of terms.

Text: numbers, option names, `+ - * / ^ ( )`, `log2 log10 ln log sqrt ceil floor`, `#` comments, line continuations
inside parentheses, `name = expression` definitions before the model line (`T = …` or a bare expression). Operators
associate as in mathematics. Products of sums are multiplied out, `log(a*b)` is split, log bases are converted to 10.

A definition must not have the name of an option, nor that of a parameter with another value: whoever gives
`--parameter alpha=2` means it. One that is made of what it replaces (`alpha = alpha / 1000`) may.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from splc.arithmetic import Associate, Node, names_in, parse
from splc.derived import Derived, needed
from splc.errors import ExpressionError, Problem, shorten, unknown_name_hint
from splc.expansion import MAX_TERMS, Expander, Expansion, expand
from splc.parameters import Parameters
from splc.signs import Signs
from splc.symbols import Symbols
from splc.terms import option_term
from splc.tokens import UnknownNameError, unquoted

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

_MOST_PROBLEMS = 20
_MOST_CHARACTERS = 1_000_000

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
    return _Text(text, Symbols(names, Expander({})), Parameters.of(parameters), associate, None).expanded().expansion


def expand_model(
    text: str,
    names: Mapping[str, str] | None,
    parameters: Parameters | None = None,
    *,
    symbols: Collection[str] = (),
    constants: Collection[str] = (),
    binary: Collection[str] = (),
    signs: Signs | None = None,
) -> ExpandedText:
    """Expand model text to a sum of terms in which subexpressions and parameters may stand where options stand.

    Parameters that are plain numbers are put in; those that are tables or have intervals, or are in `symbols`, stay.

    Args:
        text: the model text.
        names: accepted spelling → option name; None accepts every plain name as an option.
        parameters: the machine parameters.
        symbols: parameters to keep as names.
        constants: names of what is always 1.
        binary: names of what is 0 or 1, whose powers are all the same.
        signs: the options' lower bounds; by default all are positive.

    Raises:
        ExpressionError: with line and column, naming every unknown name at once; or with file and line for what is
            wrong in the parameters.
    """
    expander = Expander({}, subexpressions=True, binary=binary, signs=signs)
    stated = Symbols(names, expander, constants)
    return _Text(text, stated, parameters or Parameters(), "left", symbols).expanded()


class _Text:
    """Expands the statements of one text; collects what is wrong with them."""

    def __init__(
        self, text: str, symbols: Symbols, parameters: Parameters, associate: Associate, kept: Collection[str] | None
    ) -> None:
        self.parts = split_text(text)
        self.symbols = symbols
        self.parameters = parameters
        self.associate = associate
        self.kept = kept
        self.problems: list[Problem] = []
        self.unknown: set[str] = set()
        symbols.state(parameters, kept)

    def expanded(self) -> ExpandedText:
        """Return the model as a sum of terms.

        Raises:
            ExpressionError: naming everything that is wrong.
        """
        expander, used = self.symbols.expander, set[str]()
        for name, statement, line in self.parts.definitions:
            node, expansion = self.statement(statement, line)
            used |= self.used(node)
            # What is defined wrongly is a name all the same, so that its uses are not reported as well.
            found = {option_term(name): 1.0} if expansion is None else expansion
            if node is not None:
                self.require_free(name, node, found, line)
            self.symbols.add(name, found)
        node, expansion = self.statement(self.parts.model, self.parts.line)
        if self.problems or node is None or expansion is None:
            shown = self.problems[:_MOST_PROBLEMS]
            if len(shown) < len(self.problems):
                shown.append(Problem(f"… and {len(self.problems) - len(shown)} more problems"))
            raise ExpressionError(shown)
        used |= self.used(node)
        about = frozenset().union(*(term.options for term in expansion))
        derived = needed(about, expander.derived)
        return ExpandedText(expansion, derived, frozenset(used))

    def used(self, node: Node | None) -> set[str]:
        """Return the parameters that a tree names."""
        if node is None or not self.parameters.names:
            return set()
        return set(self.parameters.names).intersection(names_in(node))

    def statement(self, statement: str, line: int) -> tuple[Node | None, Expansion | None]:
        """Return the tree of a statement and its sum of terms, None for what is wrong."""
        node = None
        try:
            node = self.parsed(statement)
            return node, None if self.problems else self.symbols.expander.expanded(node)
        except ExpressionError as error:
            self.problems += [_placed(problem, statement, line) for problem in error.problems]
            return node, None

    def parsed(self, statement: str) -> Node:
        """Parse a statement; all its unknown names are reported at once."""
        table = self.symbols.table
        known = () if table is None else tuple(sorted(table.names.keys() - self.unknown))
        problems: list[Problem] = []
        while True:
            try:
                node = parse(statement, table, self.associate)
            except UnknownNameError as error:
                problems += [replace(each, hint=self.hint(error.name, known)) for each in error.problems]
                assert table is not None
                table.add(error.name, error.name)
                self.unknown.add(error.name)
                # Each look at a long text takes a while.
                if len(problems) >= _MOST_PROBLEMS or len(problems) * len(statement) > _MOST_CHARACTERS:
                    break
            except ExpressionError as error:
                raise ExpressionError([*problems, *error.problems]) from None
            else:
                if not problems:
                    return node
                break
        raise ExpressionError(problems)

    def hint(self, name: str, known: tuple[str, ...]) -> str:
        """Return what to do about an unknown name."""
        hint = unknown_name_hint(name, known)
        if self.parameters.names or self.kept is None:
            return hint
        return f"{hint}; machine parameters come from a parameters file or from --parameter {shorten(name, 40)}=NUMBER"

    def require_free(self, name: str, node: Node, expansion: Expansion, line: int) -> None:
        """Refuse a definition that silently replaces an option or a parameter of another value.

        One that is made of what it replaces, as `alpha = alpha / 1000`, does so knowingly.
        """
        names, where = self.symbols.names, ""
        if names is not None and name in names:
            what = "an option"
        elif name in self.parameters.names and expansion != self.symbols.known[name]:
            what, source = "a parameter", self.parameters.source
            at = self.parameters.lines.get(name)
            where = f" ({source}:{at})" if source and at else f" ({source})" if source else ""
        else:
            return
        if name in names_in(node):
            return
        hint = "rename it, or delete one of them"
        self.problems.append(Problem(f"the definition {name!r} has the name of {what}{where}", line=line, hint=hint))


def _placed(problem: Problem, statement: str, line: int) -> Problem:
    """Return a problem of a statement that begins in `line` with its line and column in the text."""
    if problem.column is None:
        return replace(problem, line=line)
    before = statement[: problem.column - 1]
    return replace(problem, line=line + before.count("\n"), column=len(before) - before.rfind("\n"))
