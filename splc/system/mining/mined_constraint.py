"""Constraints that all rows of a table satisfy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from splc.io.numbers import number_text
from splc.system.constraints import OptionLiteral

Kind = Literal["identical", "implies", "excludes", "either", "at most one", "exactly one", "at least one", "values"]
# How the allowed values of a numeric option are stated.
Bounds = Literal["", "=", "<=", ">=", "in"]
_SHOWN_VALUES = 6


@dataclass(frozen=True)
class MinedConstraint:
    """A constraint that all rows of a table satisfy."""

    kind: Kind  # the kind of the statement
    premise: OptionLiteral | None  # the literal that it is about, None for a set of options
    # the options that the premise implies, excludes, or selects one of; or the option that is compared
    options: tuple[str, ...]
    rows: int  # the number of distinct rows that could have contradicted it
    expected: float  # the number of rows that would contradict it if the options were independent
    values: tuple[float, ...] = ()  # the values that the compared option can have if the premise holds
    # for values, whether they are all up to the largest, or all from the smallest (`<=`, `>=`), or `in`
    bounds: Bounds = ""

    @property
    def contradiction(self) -> str:
        """The selections of two options that would contradict it: `a with b`."""
        premise, (other,) = self.premise, self.options
        assert premise is not None
        if self.kind == "excludes":
            return f"{premise.name} with {other}"
        return f"{premise.name} without {other}" if self.kind == "implies" else f"neither {premise.name} nor {other}"

    def __str__(self) -> str:
        premise = "" if self.premise is None else ("" if self.premise.positive else "!") + self.premise.name
        listed = ", ".join(self.options)
        match self.kind:
            case "identical":
                return f"{premise} <=> {listed}"
            case "implies":
                return f"{premise} => {listed}"
            case "excludes":
                return f"{premise} excludes {listed}"
            case "either":
                return f"{premise} | {listed}"
            case "values":
                return f"{premise} => {listed} {self._comparison}"
            case _:
                return f"{premise} => {self.kind} of {listed}" if premise else f"{self.kind} of {listed}"

    @property
    def _comparison(self) -> str:
        values = [number_text(value) for value in self.values]
        match self.bounds:
            case "=" | ">=":
                return f"{self.bounds} {values[0]}"
            case "<=":
                return f"<= {values[-1]}"
        shown = values if len(values) <= _SHOWN_VALUES else [*values[: _SHOWN_VALUES - 1], "…", values[-1]]
        return f"in {{{', '.join(shown)}}}"


@dataclass(frozen=True)
class MinedConstraints:
    """The constraints of a table."""

    # the constraints, none of which follows from the others and from the known groups
    constraints: tuple[MinedConstraint, ...] = ()
    rows: int = 0  # the number of distinct rows of options
    # constraints with less evidence, which would exclude further pairs of values that no row has
    unseen: tuple[MinedConstraint, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.constraints)
