"""Observed variables: quantities that become known when a configuration runs, as the unknowns per level of a solver.

They are not options: they cannot be chosen, sampled or constrained. Models may contain them, and then predict only
configurations that were observed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from splc.data.table import names_of
from splc.errors import ConfigurationError, SpecError, unknown_name_hint
from splc.types import Array


@dataclass(frozen=True, eq=False)
class Observed:
    """The observed variables of n configurations; arrays are made read-only."""

    # variable → its values, shape (n,), NaN in configurations that do not have it (such as a level that they lack),
    # where its terms contribute nothing
    columns: Mapping[str, Array]
    known: Array  # whether a configuration was observed at all, shape (n,)

    def __post_init__(self) -> None:
        known = np.array(self.known, dtype=bool)
        columns = {}
        for name, values in self.columns.items():
            column = np.array(values, dtype=float)
            if known.ndim != 1 or column.shape != known.shape:
                raise ConfigurationError(f"{name}: {known.size} configurations, but values of shape {column.shape}")
            if np.isinf(column).any():
                raise ConfigurationError(f"{name}: an observed value is a finite number, or NaN where there is none")
            column.setflags(write=False)
            columns[name] = column
        known.setflags(write=False)
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "known", known)

    def __getitem__(self, rows: Any) -> Observed:
        """Return the observations of the configurations at `rows` (a slice, positions, or a mask)."""
        return self.at(np.atleast_1d(np.arange(len(self.known))[rows]))

    def at(self, positions: Array) -> Observed:
        """Return the observations of the configurations at positions, shape (m,); -1 is not observed."""
        is_known = positions >= 0
        columns = {name: np.full(len(positions), np.nan) for name in self.columns}
        for name, values in self.columns.items():
            columns[name][is_known] = values[positions[is_known]]
        return Observed(columns, is_known & self.known[positions] if len(self.known) else is_known)

    @classmethod
    def concatenate(cls, parts: Sequence[Observed | None]) -> Observed | None:
        """Return the observations of several sets of configurations, for the variables that all of them have.

        None if one of the sets has none.
        """
        known = [part for part in parts if part is not None]
        if len(known) < len(parts) or not known:
            return None
        names = [name for name in known[0].columns if all(name in part.columns for part in known)]
        columns = {name: np.concatenate([part.columns[name] for part in known]) for name in names}
        return cls(columns, np.concatenate([part.known for part in known]))


def chosen_variables(patterns: str | Iterable[str], known: Sequence[str]) -> tuple[str, ...]:
    """Return the observed variables that match patterns such as `C_*`, in the order of `known`."""
    requested = names_of(patterns)
    for pattern in requested:
        if not any(pattern == name or fnmatchcase(name, pattern) for name in known):
            hint = unknown_name_hint(pattern, known) if known else "this system has no observed variables"
            raise SpecError(f"no observed variable matches {pattern!r}", hint=hint)
    return tuple(name for name in known if any(pattern == name or fnmatchcase(name, pattern) for pattern in requested))
