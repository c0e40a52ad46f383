"""Reader of model text: definitions, comments, and the expansion to a canonical sum of terms.

In: a text of numbers, option names, `+ - * / ^ ( )`, the functions of `splc.arithmetic.functions`, thresholds
(`[x >= 8]`), `#` comments, statements over several lines, and `name = expression` definitions before the model line
(`T = …` or a bare expression). Operators associate as in mathematics. Out: the terms with their coefficients, and the
subexpressions in them (`expand_model`; of stored terms `expand_text`, `expand_subexpression`, `expand_definition`). A
model whose parameters become numbers is read again (`bound`).

A definition must not have the name of an option, of another definition, or of a parameter with a different value, so
that `--parameter alpha=2` always has an effect. A definition in terms of the name it replaces (`alpha = alpha / 1000`)
is allowed. If the model is not marked as `T = …`, it must use all definitions.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from splc.arithmetic.parser import parse
from splc.arithmetic.tokens import FUNCTIONS, MODEL_FUNCTIONS, NameTable, is_word, unknown_name, unquoted
from splc.arithmetic.tree import Node, names_in
from splc.errors import ExpressionError, Problem, Problems, shorten, unknown_name_hint
from splc.models.influence import InfluenceModel
from splc.models.parameters import Parameters, chosen_rows
from splc.models.subexpressions import Derived, Parameter, by_name, names_of_terms, needed
from splc.models.terms import Factor, Subexpression, Term, option_term
from splc.models.text.algebra import Expander, without_subexpressions
from splc.models.text.names import Symbols
from splc.models.text.products import Expansion, Signs

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


def split_text(text: str, names: NameTable | None = None) -> tuple[Statement, ...]:
    """Return the statements of a text, the model line last; `names`: the known ones; None: none has operators."""
    statements = _statements(text, names)
    if not statements:
        raise ExpressionError(Problem("there is no model: the text is empty", hint="write a sum of terms"))
    last = statements[-1]
    # If an option is called T, the model is recognised by its position only.
    marked = names is None or names.meaning(MODEL) is None
    for index, statement in enumerate(statements[:-1]):
        if not statement.name or (marked and statement.name == MODEL != last.name):
            raise ExpressionError(_after_the_model(statement, statements[index + 1]))
    return tuple(statements)


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


def _statements(text: str, names: NameTable | None) -> list[Statement]:
    statements: list[tuple[int, list[str]]] = []
    open_ends = () if names is None else tuple(name for name in names.names if name.endswith((*_OPERATORS, "=")))
    depth, gap, continues = 0, False, False
    for number, line in enumerate(text.splitlines(), 1):
        content, change = _uncommented(line)
        if depth <= 0 and not content.strip():
            gap = gap or not line.strip()
            if statements:
                statements[-1][1].append("")
            continue
        if depth > 0 or (statements and (continues or _begins_with_operator(content, names, gap))):
            statements[-1][1].append(content)
        else:
            statements.append((number, [content]))
        depth = max(depth, 0) + change
        gap, continues = False, _ends_open(content, open_ends)
    return [_named("\n".join(lines).rstrip("\n"), number) for number, lines in statements]


def _named(statement: str, line: int) -> Statement:
    match = _DEFINITION.match(statement)
    if match is None:
        return Statement("", statement, line)
    name = unquoted(match[1], 0)[0] if match[1].startswith("`") else match[1]
    # Spaces instead of the name keep the columns of the rest.
    return Statement(name, re.sub(r"[^\n]", " ", match[0]) + statement[match.end() :], line)


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


def _ends_open(line: str, names: tuple[str, ...]) -> bool:
    """Return whether a line ends in an operator or `=`, so that the next line continues it."""
    text = line.rstrip()
    ends = (name for name in names if text.endswith(name))
    whole = (not is_word(text[: -len(name)][-1:]) or not is_word(name[0]) for name in ends)
    return text.endswith((*_OPERATORS, "=")) and not any(whole)


@dataclass(frozen=True)
class ExpandedText:
    """A model text as a sum of terms."""

    expansion: Expansion  # term → coefficient
    derived: tuple[Derived, ...] = ()  # names in terms that are not options: subexpressions and machine parameters
    used: frozenset[str] = frozenset()  # the parameters that the text uses


def expand_text(text: str, names: Mapping[str, str] | None) -> Expansion:
    """Expand model text with its definitions to a sum of terms, without functions that exist in model text only."""
    return without_subexpressions(_Text(text, Symbols(names, Expander()), Parameters(), None).expanded().expansion)


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
    """Expand model text to a sum of terms, which may contain subexpressions and parameters without plain numbers.

    `names`: accepted spelling → option; None: every plain name. `symbols`: parameters that stay names. `constants`:
    names that are always 1. `binary`: those of 0 and 1. `signs`: lower bounds; by default options are positive.
    """
    stated = Symbols(names, Expander(binary, signs), constants)
    return _Text(text, stated, parameters or Parameters(), symbols).expanded()


def expand_subexpression(text: str, names: Mapping[str, str] | None) -> tuple[Subexpression, dict[str, Derived]]:
    """Return the name of the subexpression with this text, and with it and those inside of it all of them by name.

    The name is the text, unless that was written by another version, with the arguments of `max` in another order.
    """
    # A sum is a subexpression only where it cannot be multiplied out, as in a divisor.
    for model, power in ((text, 1), (f"1 / {text}", -1)):
        expanded = expand_model(model, names)
        derived: dict[str, Derived] = by_name(expanded.derived)
        if text in derived:
            return Subexpression(text), derived
        match list(expanded.expansion.items()):
            case [(Term((Factor(Subexpression() as name, exponent, 0),)), 1.0)] if exponent == power:
                return name, derived
    raise ExpressionError(f"{shorten(text, 80)!r} is not a subexpression of a model")


def expand_definition(text: str, names: Mapping[str, str] | None) -> tuple[Term, dict[str, Derived]]:
    """Return the term that a definition in a log means, and all subexpressions in it by name."""
    # Where logarithms are positive, powers of them are split.
    expanded = expand_model(text, names, signs=Signs(otherwise=math.inf))
    match list(expanded.expansion.items()):
        case [(Term((Factor(_, power, log),)) as term, 1.0)] if power % 1 or log % 1:
            return term, by_name(expanded.derived)
    name, derived = expand_subexpression(text, names)
    return option_term(name), derived


def bound(model: InfluenceModel, at: Mapping[str, float] | None = None) -> InfluenceModel:
    """Return a model with numbers as parameters; `at`: expression of tables → key, by default the middle row."""
    rows = chosen_rows(model.parameters, at or {})
    if not rows:
        return model
    values = {parameter.name: parameter.values_of[rows[parameter.name]] for parameter in model.parameters}
    names, derived = by_name(model.derived), by_name(model.subexpressions)

    def varies(term: Term) -> bool:
        return any(isinstance(part, Parameter) for part in needed(term.options, names))

    terms: list[tuple[Term, float]] = []
    for term, influence in model.terms:
        if not varies(term):
            terms.append((term, influence))
            continue
        try:
            # The signs of options are unknown here, so any may be negative.
            found = expand_model(term.text(), None, Parameters.of(values), signs=Signs(otherwise=-math.inf))
        except ExpressionError as error:
            numbers = ", ".join(f"{name} = {number:g}" for name, number in values.items())
            message = f"{error.problems[0].message}, in {term.text(model.order)} with {numbers}"
            raise ExpressionError(Problem(message, hint="choose other rows, or correct the parameters")) from None
        derived |= by_name(found.derived)
        terms += [(each, influence * weight) for each, weight in found.expansion.items()]
        if not found.expansion:
            # A term whose influence becomes 0 is still a term of the model.
            terms.append((Term(tuple(factor for factor in term.factors if not varies(Term((factor,))))), 0.0))
    result = InfluenceModel.from_terms(terms, model.order, model.link)
    return replace(result, derived=needed(names_of_terms(result.terms), derived))


class _Text:
    """Expands the statements of one text and collects their problems."""

    def __init__(self, text: str, symbols: Symbols, parameters: Parameters, symbolic: Collection[str] | None) -> None:
        self.symbols = symbols
        self.parameters = parameters
        self.symbolic = symbolic
        self.problems = Problems()
        self.unknown: set[str] = set()
        # Without parameters, the text is a term of a stored model.
        self.functions = FUNCTIONS if symbolic is None else MODEL_FUNCTIONS
        symbols.state(parameters, symbolic or ())
        *self.definitions, self.model = split_text(symbols.normalised(text), symbols.table)

    def expanded(self) -> ExpandedText:
        """Return the model as a sum of terms."""
        stated: dict[Statement, set[str]] = {}  # statement → the names in it, of those that can be read
        lines: dict[str, int] = {}
        for definition in self.definitions:
            node, expansion = self.statement(definition)
            # A wrong definition still defines its name, so that uses of the name are not reported, too.
            meaning = {option_term(definition.name): 1.0} if expansion is None else expansion
            if node is not None:
                stated[definition] = set(names_in(node))
                self.require_free(definition, stated[definition], meaning, lines)
                lines.setdefault(definition.name, definition.line)
            self.symbols.add(definition.name, meaning)
        node, expansion = self.statement(self.model)
        if node is not None:
            stated[self.model] = set(names_in(node))
            self.require_distinct(self.model, stated[self.model], lines)
            if not self.problems and self.model.name != MODEL:
                self.require_all_used(stated)
        self.problems.raise_if_any(ExpressionError)
        assert expansion is not None
        used = frozenset(self.parameters.names) & frozenset().union(*stated.values())
        return ExpandedText(expansion, needed(names_of_terms(expansion.items()), self.symbols.expander.derived), used)

    def statement(self, statement: Statement) -> tuple[Node | None, Expansion | None]:
        """Return the tree of a statement and its sum of terms, None (and problems) for wrong ones."""
        node = None
        try:
            node = self.parsed(statement)
            return node, None if self.problems else self.symbols.expander.expanded(node)
        except ExpressionError as error:
            self.problems.include(ExpressionError([_placed(problem, statement) for problem in error.problems]))
            return node, None

    def parsed(self, statement: Statement) -> Node:
        """Parse a statement; report all its unknown names at once."""
        table, unknown, problems = self.symbols.table, dict[str, int](), list[Problem]()
        if table is not None:
            table.unknown = unknown
        node, wrong = None, tuple[Problem, ...]()
        try:
            node = parse(statement.text, table, functions=self.functions)
        except ExpressionError as error:
            wrong = error.problems
        finally:
            if table is not None:
                table.unknown = None
        for name in [name for name in unknown if name not in self.unknown][: self.problems.limit]:
            assert table is not None
            hint = self.hint(name, table.real)
            if name == statement.name and "\n" in statement.text:
                hint = "a line that begins with an operator continues the line before, unless that is blank"
            found = unknown_name(statement.text, unknown[name], name, table)
            problems += [replace(problem, hint=hint) for problem in found.problems]
        self.unknown |= unknown.keys()
        if node is None or problems:
            raise ExpressionError([*problems, *wrong])
        return node

    def hint(self, name: str, known: tuple[str, ...]) -> str:
        """Return a hint for an unknown name."""
        hint = unknown_name_hint(name, known)
        if self.symbolic is None:
            return hint
        file = self.parameters.source or "a parameters file"
        hint += " " if hint.endswith("?") else "; "
        option = f"--parameter {shorten(name, 40)}=NUMBER (in Python the argument parameters)"
        return f"{hint}machine parameters come from {file} or from {option}"

    def require_free(
        self, definition: Statement, names: set[str], expansion: Expansion, lines: Mapping[str, int]
    ) -> None:
        """Add a problem if a definition replaces an option, another parameter or definition, but in terms of itself."""
        meant = self.symbols.meaning(definition.name)
        if self.symbols.is_option(definition.name):
            owner = f"an option{self.symbols.standing_for(definition.name)}"
        elif meant in self.parameters.names and meant not in lines:
            if expansion == self.symbols.known[meant]:
                return
            file, line = self.parameters.place(meant)
            owner = "a parameter" + (f" ({file}:{line})" if file and line else f" ({file})" if file else "")
        else:
            self.require_distinct(definition, names, lines)
            return
        if meant not in names:
            message = f"the definition {definition.name!r} has the name of {owner}"
            self.problems.add(message, definition.line, hint="rename it, or delete one of them")

    def require_distinct(self, definition: Statement, names: set[str], lines: Mapping[str, int]) -> None:
        """Add a problem for a second definition of a name, unless it is in terms of the first."""
        line = lines.get(definition.name)
        if line is not None and definition.name not in names:
            hint = f"it is defined in line {line} already; rename or delete one of them"
            self.problems.add(f"{definition.name!r} is defined twice", definition.line, hint=hint)

    def require_all_used(self, stated: Mapping[Statement, set[str]]) -> None:
        """Add problems for definitions that the model does not use, because they may be missing in it."""
        *definitions, (_, used) = stated.items()
        for definition, names in reversed(definitions):
            name = definition.name
            if name in used:
                used = (used - {name}) | names
                continue
            message = f"the model in line {self.model.line} does not use the definition {name!r}"
            hint = f"add {name} to it or delete it; a model that begins with 'T =' need not use all of them"
            self.problems.add(message, definition.line, hint=hint)


def _placed(problem: Problem, statement: Statement) -> Problem:
    """Return a problem of a statement with its line and column in the text."""
    if problem.column is None:
        return replace(problem, line=statement.line)
    before = statement.text[: problem.column - 1]
    return replace(problem, line=statement.line + before.count("\n"), column=len(before) - before.rfind("\n"))
