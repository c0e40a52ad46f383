"""Performance-influence models: sums of terms with their influences.

Subexpressions that select values of one numeric option have texts of their own: `[x >= 4]`, `[x = 4]`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np

from splc.data.configurations import Configurations
from splc.data.table import numbers_of, table_columns
from splc.errors import ConfigurationError, Problem, listed, unknown_name_hint
from splc.io.numbers import number_text
from splc.io.presentation import Bars, page
from splc.models.subexpressions import Derived, Parameter, addends_text, by_name, derived_column, options_of
from splc.models.terms import CONSTANT, Subexpression, Term, option_term, product_of, quoted
from splc.system.options import NumericOption
from splc.system.variability import ROOT, VariabilityModel
from splc.types import Array, Link

FROM_FRAME = "Configurations.from_frame(system, table) reads columns of texts and missing values"


@dataclass(frozen=True, eq=False)
class TableRows:
    """The rows of a table without a system; a model needs the columns that its terms name."""

    columns: Mapping[str, Array]  # name → values, shape (n,)
    rows: int  # the number of rows n

    def __len__(self) -> int:
        return self.rows

    def __getitem__(self, rows: slice) -> TableRows:
        """Return some rows."""
        return TableRows({name: values[rows] for name, values in self.columns.items()}, len(range(self.rows)[rows]))

    def column(self, name: str) -> Array:
        """Return the values of a name in terms, floats of shape (n,)."""
        if name == ROOT:
            return np.ones(self.rows)
        if name not in self.columns:
            near = unknown_name_hint(name, list(self.columns))
            hint = f"{near}{' ' if near.endswith('?') else '; '}{FROM_FRAME}"
            raise ConfigurationError(f"the table has no column {name!r}, which the model uses", hint=hint)
        values = numbers_of(self.columns[name])
        if values is None:
            raise ConfigurationError(f"the column {name!r} contains text, but the option has numbers", hint=FROM_FRAME)
        if np.isnan(values).any():
            row = int(np.argmax(np.isnan(values)))
            raise ConfigurationError(f"row {row}: the option {name!r} has no value", hint=FROM_FRAME)
        return values


def rows_of(table: Any) -> Configurations | TableRows:
    """Return configurations as they are, and a data frame or a dict of columns as its rows."""
    if isinstance(table, Configurations | TableRows):
        return table
    columns = table_columns(table)
    return TableRows(columns, len(next(iter(columns.values()))) if columns else 0)


LATEX = "splc.formats.models.text"  # the module that writes LaTeX; it imports this one, so only its name is known here

BLOCK = 1 << 14  # number of configurations whose contributions are in memory at a time if only their sums are needed


class EvaluationError(ConfigurationError):
    """A model has no finite value at a configuration."""

    def __init__(
        self, problems: str | Iterable[Problem], *, hint: str | None = None, row: int = 0, what: str | None = None
    ) -> None:
        super().__init__(problems, hint=hint)
        self.row = row  # the position of the configuration
        self.what = self.problems[0].message if what is None else what  # the message without the configuration
        self.advice = self.problems[0].hint  # what to do, None if unknown


@dataclass(frozen=True)
class InfluenceModel:
    """A sum of terms with their influences (coefficients). `predict` evaluates it at configurations.

    Build models with `from_terms`, which merges equal terms and sorts them. Influences have the unit of the predicted
    property, divided by the units of the options in the term. `str(model)` is the model as text.
    """

    terms: tuple[tuple[Term, float], ...]  # pairs (term, influence) of distinct terms, in canonical order
    order: tuple[str, ...] = ()  # the option names of the system, in the order in which factors are printed
    link: Link = "identity"  # 'identity': the sum is the prediction; 'log': the exponential of the sum is
    derived: tuple[Derived, ...] = ()  # names in terms that are not options: subexpressions and machine parameters

    @classmethod
    def from_terms(
        cls,
        terms: Iterable[tuple[Term, float]] | Mapping[Term, float],
        order: Iterable[str] = (),
        link: Link = "identity",
        derived: Iterable[Derived] = (),
    ) -> InfluenceModel:
        """Return the model of (term, influence) pairs, in which equal terms are merged and terms are sorted.

        A term whose influences add up to 0 is kept with the influence 0. The other arguments are fields of the model.
        """
        order = tuple(order)
        merged: dict[Term, float] = {}
        for term, influence in terms.items() if isinstance(terms, Mapping) else terms:
            merged[term] = merged.get(term, 0.0) + float(influence)
        positions = {name: position for position, name in enumerate(order)}
        ordered = sorted(merged.items(), key=lambda pair: pair[0].sort_key(positions))
        return cls(tuple(ordered), order, link, tuple(derived))

    @classmethod
    def of_system(
        cls,
        terms: Iterable[tuple[Term, float]],
        system: VariabilityModel,
        link: Link = "identity",
        derived: Iterable[Derived] = (),
    ) -> InfluenceModel:
        """Return the model of (term, influence) pairs over the names of a system, in its order and `reduced`."""
        binary = [option.name for option in system.binary_options]
        model = cls.from_terms(terms, system.term_order, link, derived)
        return model.reduced([*binary, *system.switches], system.mandatory | {ROOT})

    @property
    def influences(self) -> dict[Term, float]:
        """Term → influence."""
        return dict(self.terms)

    @property
    def options(self) -> frozenset[str]:
        """The options that its terms use."""
        return frozenset().union(*(self.options_of(term) for term, _ in self.terms))

    def options_of(self, term: Term) -> frozenset[str]:
        """Return the options that a term uses (its equivalence class), including those in subexpressions."""
        return options_of(term.options, by_name(self.derived)) if self.derived else term.options

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The machine parameters that its terms use by name."""
        return tuple(derived for derived in self.derived if isinstance(derived, Parameter))

    @property
    def subexpressions(self) -> tuple[Derived, ...]:
        """The subexpressions that its terms use."""
        return tuple(derived for derived in self.derived if not isinstance(derived, Parameter))

    @property
    def factors(self) -> tuple[Derived, ...]:
        """The subexpressions that are factors of its terms; others are only inside of these."""
        used = frozenset().union(*(term.options for term, _ in self.terms))
        return tuple(subexpression for subexpression in self.subexpressions if subexpression.name in used)

    def scaled(self, factor: float) -> InfluenceModel:
        """Return the model with its predictions multiplied by a factor, which is positive for the link 'log'."""
        if self.link == "log":
            pairs = (*self.terms, (CONSTANT, math.log(factor)))
            return self.from_terms(pairs, self.order, self.link, self.derived)
        return replace(self, terms=tuple((term, influence * factor) for term, influence in self.terms))

    def reduced(self, binary: Iterable[str], constant: Iterable[str] = ()) -> InfluenceModel:
        """Return the model with powers of 0/1 options and options that are always 1 simplified (see `Term.reduced`)."""
        binary, constant = frozenset(binary), frozenset(constant)
        terms = ((term.reduced(binary, constant), influence) for term, influence in self.terms)
        return self.from_terms(terms, self.order, self.link, self.derived)

    def contributions(self, configurations: Configurations | Any, undefined: Array | None = None) -> Array:
        """Return influence × term value, shape (n, terms).

        Raises an `EvaluationError` if a term has no finite value at a configuration (a division by zero, the logarithm
        of a number that is not positive), unless such rows are to be marked in `undefined`, shape (n,).
        """
        configurations = rows_of(configurations)
        column = self._columns(configurations, undefined)
        result = np.empty((len(configurations), len(self.terms)))
        with np.errstate(over="ignore", invalid="ignore"):
            for j, (term, influence) in enumerate(self.terms):
                column_values = term.evaluate(column)
                result[:, j] = influence * column_values if influence != 0 else 0.0
        wrong = ~np.isfinite(result)
        if undefined is not None:
            undefined[wrong.any(axis=1)] = True
        elif wrong.any():
            row, j = (int(indices[0]) for indices in np.nonzero(wrong))
            raise self._without_value(row, j, column)
        return result

    def contribution_blocks(
        self, configurations: Configurations | Any, undefined: Array | None = None
    ) -> Iterator[tuple[slice, Array]]:
        """Yield blocks of rows with their contributions, shape (rows, terms): less memory than all at once."""
        configurations = rows_of(configurations)
        for start in range(0, max(len(configurations), 1), BLOCK):
            rows = slice(start, start + BLOCK)
            try:
                contributions = self.contributions(configurations[rows], None if undefined is None else undefined[rows])
            except EvaluationError:
                # The row must count from the first of all configurations.
                self.contributions(configurations)
                raise
            yield rows, contributions

    def _columns(self, configurations: Configurations | TableRows, undefined: Array | None) -> Callable[[str], Array]:
        """Return a function that returns the column of an option or a derived name; each is computed once."""
        columns: dict[str, Array] = {}
        derived = by_name(self.derived)

        def column(name: str) -> Array:
            if name not in columns:
                definition = derived.get(name)
                columns[name] = configurations.column(name) if definition is None else values(definition)
            return columns[name]

        def values(definition: Derived) -> Array:
            options = sorted(options_of(frozenset((definition.name,)), derived))
            inner = [column(name) for name in options]
            result, wrong = derived_column(definition.values(column), inner, len(configurations))
            if undefined is not None:
                undefined[wrong] = True
            elif wrong.any():
                row = int(np.argmax(wrong))
                assignment = ", ".join(f"{name} = {column(name)[row]:g}" for name in options)
                what, advice = f"{definition.name} has no finite value", None
                if isinstance(definition, Parameter) and definition.keys:
                    rows = listed([f"{key:g}" for key in definition.keys])
                    table = f"{definition.name} ({definition.place})" if definition.place else definition.name
                    what = f"the parameter {table}, a table over {definition.by} with rows for {rows}, has no value"
                    missing = float(np.broadcast_to(definition.keys_of(column), len(configurations))[row])
                    advice = f"add a row for {number_text(missing)}" if math.isfinite(missing) else None
                raise _without_value(what, assignment, row, advice)
            return result

        return column

    def _without_value(self, row: int, at: int, column: Callable[[str], Array]) -> ConfigurationError:
        """Return the error for a term without a finite value in a row."""
        term, influence = self.terms[at]
        text = term.text(self.order)
        if not math.isfinite(influence):
            return ConfigurationError(f"the influence of {text} is {influence}, not a finite number")
        if np.isfinite(term.evaluate(lambda name: column(name)[row : row + 1])).all():
            # The term itself has a finite value; only its product with the influence is too large.
            text = f"{number_text(influence)} * {text}"
        options = self.options_of(term)
        names = [*sorted(term.options - options), *sorted(options)]
        values = ", ".join(f"{name} = {column(name)[row]:g}" for name in names)
        return _without_value(f"{text} has no finite value", values, row)

    def predict(self, configurations: Configurations | Any) -> Array:
        """Return the predictions, shape (n,), in the unit of the property.

        Args:
            configurations: n configurations of the system; deselected options contribute nothing. Or a data frame or a
                dict of columns of numbers, one for each option that the model uses; values are not checked.

        Raises:
            ConfigurationError: if the model uses unknown options, or an influence is not finite; if a column is
                missing, or has a text or no value.
            MeasurementError: if it is neither configurations nor a table.
            EvaluationError: if a term or a prediction has no finite value at a configuration.
        """
        configurations = rows_of(configurations)
        total = np.empty(len(configurations))
        with np.errstate(over="ignore", invalid="ignore"):
            for rows, contributions in self.contribution_blocks(configurations):
                total[rows] = contributions.sum(axis=1)
            predicted: Array = np.asarray(np.exp(total)) if self.link == "log" else total
        if not np.isfinite(predicted).all():
            row, what = int(np.argmin(np.isfinite(predicted))), "is too large to be a number"
            message = f"the prediction for configuration {row} {what}"
            raise EvaluationError(message, row=row, what=f"the prediction {what}")
        return predicted

    @property
    def text(self) -> str:
        """The model as one line of model text: `12.6 * log10(py) + 3e-10 * nx^3`."""
        return addends_text(self.terms, self.order, ones=True)

    def __str__(self) -> str:
        return self.text

    @property
    def bars(self) -> Bars:
        """Its influences as bars."""
        about = "influences (of the logarithm of the prediction)" if self.link == "log" else "influences"
        return Bars(about, [(term.text(self.order), influence) for term, influence in self.terms])

    def _repr_html_(self) -> str:
        bars = self.bars
        texts, influences = [text for text, _ in bars.rows], [influence for _, influence in bars.rows]
        columns: dict[str, list[Any]] = {"term": texts, "influence": influences}
        return page(f"exp({self.text})" if self.link == "log" else self.text, columns, bars)

    def _repr_latex_(self) -> str:
        text: str = import_module(LATEX).latex_text(self)
        return f"${text}$"


def _without_value(what: str, values: str, row: int, hint: str | None = None) -> EvaluationError:
    message = f"{what} at configuration {row}" + (f" ({values})" if values else "")
    return EvaluationError(message, hint=hint, row=row, what=what + (f" where {values}" if values else ""))


ROUNDING = 1e-9  # a subexpression that is this close to 1 at one value and to 0 at all others is this value


def term_texts(model: InfluenceModel, system: VariabilityModel) -> list[str]:
    """Return the text of each term; thresholds and values of numeric options are written `[x >= 4]` and `[x = 4]`."""
    levels = levels_of(model, system)
    return [with_levels(term, levels).text(model.order) for term, _ in model.terms]


def with_levels(term: Term, levels: Mapping[str, str]) -> Term:
    """Return a term whose subexpressions have other names where `levels` has one."""
    if levels.keys().isdisjoint(term.options):
        return term
    named = (replace(f, option=Subexpression(levels[f.option])) if f.option in levels else f for f in term.factors)
    return product_of(named)


def levels_of(model: InfluenceModel, system: VariabilityModel) -> dict[str, str]:
    """Return subexpression → `[x >= 4]` or `[x = 4]`, for those that are 1 at these values and 0 at all others."""
    texts = {str(subexpression.name): _level(subexpression, model, system) for subexpression in model.factors}
    return {name: text for name, text in texts.items() if text is not None}


def _level(derived: Derived, model: InfluenceModel, system: VariabilityModel) -> str | None:
    term = option_term(derived.name)
    names = model.options_of(term)
    option = system.option(next(iter(names))) if len(names) == 1 and names <= set(system.names) else None
    if not isinstance(option, NumericOption):
        return None
    indices = np.zeros((len(option.values), len(system.options)), dtype=int)
    indices[:, system.positions[option.name]] = np.arange(len(option.values))
    values = replace(model, terms=((term, 1.0),), link="identity").predict(Configurations(system, indices))
    # Slopes such as 1/6 are rounded.
    selected = values > 1 / 2
    count, first = int(selected.sum()), int(selected.argmax())
    is_threshold = bool(selected[first:].all())
    if not np.allclose(values, selected, rtol=0, atol=ROUNDING) or count in (0, len(values)):
        return None
    if count > 1 and not is_threshold:
        return None
    sign = ">=" if is_threshold else "="
    return f"[{quoted(option.name)} {sign} {number_text(option.values[first])}]"


_WHOLE = 100 + 1e-6  # larger shares, in percent, mean that terms cancel


@dataclass(frozen=True)
class TermShares:
    """The shares of the terms of a model."""

    # mean contribution / mean prediction of each term, in percent (negative for a term that lowers it); None where the
    # mean prediction is 0, and for a model whose terms do not add up to the prediction (a log link)
    values: tuple[float | None, ...]
    # whether they are mean |contribution| / sum of these over all terms instead, with the sign of the mean
    # contribution: terms cancel, so that the others would be above 100 %
    absolute: bool = False


def term_shares(model: InfluenceModel, configurations: Configurations) -> TermShares:
    """Return the share of each term in the mean prediction."""
    sums, sizes = np.zeros(len(model.terms)), np.zeros(len(model.terms))
    for _, contributions in model.contribution_blocks(configurations):
        sums += contributions.sum(axis=0)
        sizes += np.abs(contributions).sum(axis=0)
    total = float(sums.sum())
    if model.link != "identity" or total == 0:
        return TermShares((None,) * len(model.terms))
    shares = sums / total * 100
    absolute = bool((np.abs(shares) > _WHOLE).any())
    if absolute:
        shares = np.where(sums < 0, -1.0, 1.0) * sizes / sizes.sum() * 100
    return TermShares(tuple(shares.tolist()), absolute)
