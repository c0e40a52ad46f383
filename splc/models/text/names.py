"""Names in model text: options, constants, and machine parameters."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping

from splc.arithmetic.parser import MAX_DEPTH, parse
from splc.arithmetic.tokens import MODEL_FUNCTIONS, NameTable
from splc.arithmetic.tree import names_in
from splc.errors import ExpressionError, Problem
from splc.models.parameters import Parameters, Quantity, symbol, wrong_name
from splc.models.subexpressions import Parameter, names_of_terms, needed
from splc.models.terms import CONSTANT, option_term
from splc.models.text.algebra import Expander
from splc.models.text.products import Expansion, constant


class Symbols:
    """The names that a text may use, and their meaning; `constants` are names whose value is always 1."""

    def __init__(self, names: Mapping[str, str] | None, expander: Expander, constants: Collection[str] = ()) -> None:
        self.names = names  # accepted spelling → option name; None accepts every plain name as an option
        self.expander = expander  # the expander of the text, which uses the definitions of this table
        self.table = None if names is None else NameTable({})  # the names that the text may use; None for plain names
        self._composed = names is not None and _stay_apart(names)
        for spelling, name in ({} if names is None else names).items():
            self._spell(spelling, name)
        # Name → its sum of terms, for names that are not options.
        self.known: dict[str, Expansion] = {name: {CONSTANT: 1.0} for name in constants}
        expander.definitions = self.known
        self.parameters = Parameters()
        self.problems: list[Problem] = []  # of the parameters

    def add(self, name: str, expansion: Expansion) -> None:
        """Define a name as a sum of terms."""
        self.known[name] = expansion
        self._spell(name, name)

    def _spell(self, spelling: str, name: str) -> None:
        if self.table is None:
            return
        self.table.add(spelling, name)
        if self._composed:
            self.table.add(self.normalised(spelling), name)

    def normalised(self, text: str) -> str:
        """Return a text with composed characters (NFC), so that `ö` is one letter in any input."""
        return unicodedata.normalize("NFC", text) if self._composed else text

    def meaning(self, name: str) -> str:
        """Return the name of a spelling, or the spelling itself if it is unknown."""
        return name if self.table is None else self.table.meaning(name) or name

    def is_option(self, name: str) -> bool:
        """Return whether a spelling is that of an option."""
        return self.names is not None and (name in self.names or self.meaning(name) in self.names)

    def standing_for(self, name: str) -> str:
        """Return an addition to a message that names the option of a spelling; empty if they are equal."""
        real = self.meaning(name)
        return "" if real == name else f" (another spelling of {real!r})"

    def state(self, parameters: Parameters, symbolic: Collection[str]) -> None:
        """Define the parameters, each after those in it; `symbolic`: numbers that remain names, as tables do."""
        self.parameters = parameters
        for name in parameters.names:
            message, hint = wrong_name(name)
            if name in self.known or self.is_option(name):
                message = f"the parameter {name!r} has the name of an option{self.standing_for(name)}"
                hint = "rename it, here and in the model"
            if message:
                self._report(name, message, hint)
        if not self.problems:
            for name in parameters.names:
                self._spell(name, name)
            for name in parameters.names:
                self._resolve(name, symbolic, ())
        if self.problems:
            raise ExpressionError(self.problems)

    def _report(self, name: str, message: str, hint: str | None, text: str | None = None, part: str = "") -> None:
        """Add a problem of a parameter, or of a part of it, with its line."""
        self.problems.append(Problem(message, *self.parameters.place(name, part), text=text, hint=hint))

    def _resolve(self, name: str, symbolic: Collection[str], open_names: tuple[str, ...]) -> None:
        """Define a parameter; `open_names`: those whose expressions contain it."""
        if name in self.known:
            return
        if name in open_names or len(open_names) > MAX_DEPTH:
            is_circular = name in open_names
            message = "is defined in terms of itself" if is_circular else f"is nested more than {MAX_DEPTH} levels deep"
            hint = "write it in terms of options" if is_circular else "define the inner parameters first"
            self._report(name, f"the parameter {name!r} {message}", hint)
            return
        definition = self.parameters.quantities.get(name, self.parameters.expressions.get(name, ""))
        if isinstance(definition, Quantity) and definition.is_exact and name not in symbolic:
            self.known[name] = constant(definition.value)
            return
        key: Expansion = {}
        if not isinstance(definition, Quantity):
            text = definition if isinstance(definition, str) else definition.by
            key = self._expression(name, text, symbolic, (*open_names, name))
        if isinstance(definition, str):
            self.known[name] = key
            return
        used = needed(names_of_terms(key.items()), self.expander.derived)
        if parameters := [part.name for part in used if isinstance(part, Parameter)]:
            message = f"the table {name!r} is over the parameter {parameters[0]!r}, which is not a plain number"
            self._report(name, message, "a table must be over an expression of the options", part="by")
        file, line = self.parameters.place(name)
        location = f"{file}:{line}" if file and line else file or ""
        self.expander.derive(symbol(name, definition, tuple(key.items()), location))
        self.known[name] = {option_term(name): 1.0}

    def _expression(self, name: str, text: str, symbolic: Collection[str], open_names: tuple[str, ...]) -> Expansion:
        """Return an expression as a sum of terms, the empty sum (and problems) if it is wrong."""
        try:
            node = parse(self.normalised(text), self.table, functions=MODEL_FUNCTIONS)
            for inner in names_in(node):
                if inner in self.parameters.names:
                    self._resolve(inner, symbolic, open_names)
            return self.expander.expanded(node)
        except ExpressionError as error:
            for problem in error.problems:
                # Columns of the expression are not columns of the file.
                self._report(name, problem.message, problem.hint, problem.text or text, part="by")
            return {}


def _stay_apart(names: Mapping[str, str]) -> bool:
    """Return whether different names remain different with composed characters."""
    composed: dict[str, str] = {}
    return all(composed.setdefault(unicodedata.normalize("NFC", text), name) == name for text, name in names.items())
