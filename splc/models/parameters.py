"""Machine parameters of analytical models: numbers, numbers with an interval, and tables.

A table has one number per value of an expression of the options, for example the latency for each number of nodes,
`ceil(px * py * pz / 4)` (table 5.4 of the thesis).
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from splc.arithmetic.tokens import MODEL_FUNCTIONS
from splc.errors import ExpressionError, InputError, Problem, listed, unknown_name_hint
from splc.models.subexpressions import Addends, Parameter

_NAME = re.compile(r"[^\W\d][\w.-]*")


@dataclass(frozen=True)
class Quantity:
    """A number, possibly with an interval: low <= value <= high, all finite."""

    value: float  # the number
    low: float  # the lower end of its interval
    high: float  # the upper end of its interval
    level: float | None = None  # the confidence level of the interval, in (0, 1); None if unknown
    determined: bool = True  # whether the measurements determine it; if not, other numbers fit as well

    @classmethod
    def exactly(cls, value: float) -> Quantity:
        """Return a number without an interval."""
        return cls(value, value, value)

    @classmethod
    def undetermined(cls, value: float) -> Quantity:
        """Return a number that the measurements do not determine."""
        return cls(value, value, value, determined=False)

    @property
    def is_exact(self) -> bool:
        """True if it is determined and has no interval."""
        return self.determined and self.low == self.value == self.high


@dataclass(frozen=True)
class ParameterTable:
    """One quantity per value of an expression."""

    by: str  # the expression, or its name
    rows: tuple[tuple[float, Quantity], ...]  # pairs (value of the expression, quantity), ascending and distinct


@dataclass(frozen=True)
class Parameters:
    """The machine parameters of a system."""

    quantities: Mapping[str, Quantity | ParameterTable] = field(default_factory=dict)  # name → number or table
    expressions: Mapping[str, str] = field(default_factory=dict)  # name → expression of options, for tables and models
    source: str = ""  # the file they were read from, empty if none
    lines: Mapping[str, int] = field(default_factory=dict)  # name → line in the file
    # name → origin of a value that is not from the file, such as `--parameter`; empty if unknown
    given: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, values: Mapping[str, float] | Parameters | None) -> Parameters:
        """Return parameters from plain numbers."""
        if isinstance(values, Parameters):
            return values
        numbers = values or {}
        wrong = [
            Problem(f"the parameter {name!r} is {value:g}; it must be a finite number")
            for name, value in numbers.items()
            if not math.isfinite(value)
        ]
        if wrong:
            raise ExpressionError(wrong)
        return cls({name: Quantity.exactly(float(value)) for name, value in numbers.items()})

    def changed(self, values: Mapping[str, float | Quantity | ParameterTable], given: str = "") -> Parameters:
        """Return the parameters with some values replaced or added."""
        new = {name: Quantity.exactly(float(v)) if isinstance(v, int | float) else v for name, v in values.items()}
        return replace(
            self,
            quantities={**self.quantities, **new},
            expressions={name: text for name, text in self.expressions.items() if name not in new},
            given={**self.given, **dict.fromkeys(values, given)},
        )

    def place(self, name: str, part: str = "") -> tuple[str | None, int | None]:
        """Return the file and the line of a parameter, or of a part of it; None if unknown."""
        if name in self.given:
            return self.given[name] or None, None
        return self.source or None, self.lines.get(f"{name}.{part}", self.lines.get(name))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all parameters and expressions."""
        return (*self.quantities, *self.expressions)


def wrong_name(name: str) -> tuple[str, str]:
    """Return the problem of a parameter's name, which would hide operators, and the cure; empty if there is none."""
    if not name.strip():
        return "a parameter has no name", "write NAME = NUMBER"
    if name in MODEL_FUNCTIONS:
        return f"{name!r} is a function, not the name of a parameter", "choose another name"
    if not _NAME.fullmatch(unicodedata.normalize("NFC", name)):
        return f"{name!r} cannot be the name of a parameter", "use letters, digits, '_', '.' and '-', a letter first"
    return "", ""


def symbol(name: str, quantity: Quantity | ParameterTable, key: Addends = (), place: str = "") -> Parameter:
    """Return a parameter that terms use by name."""
    rows = ((math.nan, quantity),) if isinstance(quantity, Quantity) else quantity.rows
    return Parameter(
        name,
        tuple(row.value for _, row in rows),
        tuple(row.low for _, row in rows),
        tuple(row.high for _, row in rows),
        quantity.by if isinstance(quantity, ParameterTable) else "",
        tuple(at for at, _ in rows) if isinstance(quantity, ParameterTable) else (),
        key,
        tuple(sorted({row.level for _, row in rows if row.level is not None})),
        all(row.determined for _, row in rows),
        place,
    )


def chosen_rows(parameters: Iterable[Parameter], at: Mapping[str, float]) -> dict[str, int]:
    """Return the row of each parameter to use if one number is needed: by default its middle row."""
    listed_parameters = list(parameters)
    known = sorted({parameter.by for parameter in listed_parameters if parameter.keys})
    problems = [
        Problem(
            f"no parameter of the models is a table over {name!r}",
            hint=unknown_name_hint(name, known) if known else "remove it: no parameter is a table",
        )
        for name in at
        if _squeezed(name) not in {_squeezed(by) for by in known}
    ]
    keys = {_squeezed(name): value for name, value in at.items()}
    rows: dict[str, int] = {}
    for parameter in listed_parameters:
        rows[parameter.name] = parameter.middle
        value = keys.get(_squeezed(parameter.by)) if parameter.keys else None
        if value is None:
            continue
        row = parameter.row(value)
        if row is None:
            hint = f"it has rows for {listed([f'{key:g}' for key in parameter.keys])}"
            problems.append(Problem(f"{parameter.name} has no row for {parameter.by} = {value:g}", hint=hint))
        else:
            rows[parameter.name] = row
    if problems:
        raise InputError(list(dict.fromkeys(problems)))
    return rows


def _squeezed(text: str) -> str:
    return "".join(text.split())
