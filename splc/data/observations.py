"""Observed variables: quantities that become known when a configuration runs, as the unknowns per level of a solver.

They are no options: nobody chooses them, so no sampling can ask for them and no constraint can speak of them. They can
appear in models, which then say something only about configurations that were observed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from splc.errors import ConfigurationError, SpecError, unknown_name_hint
from splc.types import Array


@dataclass(frozen=True, eq=False)
class Observed:
    """What was observed of n configurations.

    Args:
        columns: variable → its values, shape (n,), NaN in configurations that do not have it (a level too many); made
            read-only. What such a variable is a factor of contributes nothing there.
        known: whether a configuration was observed at all, shape (n,), made read-only.

    Raises:
        ConfigurationError: if shapes disagree or a value is infinite.
    """

    columns: Mapping[str, Array]
    known: Array

    def __post_init__(self) -> None:
        known = np.array(self.known, dtype=bool)
        kept = {}
        for name, values in self.columns.items():
            column = np.array(values, dtype=float)
            if known.ndim != 1 or column.shape != known.shape:
                raise ConfigurationError(f"{name}: {known.size} configurations, but values of shape {column.shape}")
            if np.isinf(column).any():
                raise ConfigurationError(f"{name}: an observed value is a finite number, or NaN where there is none")
            column.setflags(write=False)
            kept[name] = column
        known.setflags(write=False)
        object.__setattr__(self, "columns", kept)
        object.__setattr__(self, "known", known)

    def __getitem__(self, rows: Any) -> Observed:
        """Return what was observed of the configurations at `rows` (a slice, positions, or a mask)."""
        columns = {name: np.atleast_1d(values[rows]) for name, values in self.columns.items()}
        return Observed(columns, np.atleast_1d(self.known[rows]))

    def at(self, positions: Array) -> Observed:
        """Return what was observed at positions, shape (m,), of configurations; -1 is one that was not observed."""
        here = positions >= 0
        columns = {name: np.full(len(positions), np.nan) for name in self.columns}
        for name, values in self.columns.items():
            columns[name][here] = values[positions[here]]
        return Observed(columns, here & self.known[positions] if len(self.known) else here)

    @classmethod
    def concatenate(cls, parts: Sequence[Observed | None]) -> Observed | None:
        """Return what was observed of several sets of configurations, of the variables that all of them have.

        None where one of them has none.
        """
        there = [part for part in parts if part is not None]
        if len(there) < len(parts) or not there:
            return None
        names = [name for name in there[0].columns if all(name in part.columns for part in there)]
        columns = {name: np.concatenate([part.columns[name] for part in there]) for name in names}
        return cls(columns, np.concatenate([part.known for part in there]))


def chosen_variables(patterns: Iterable[str], known: Sequence[str]) -> tuple[str, ...]:
    """Return the observed variables that patterns such as `C_*` stand for, in the order of `known`.

    Args:
        patterns: names, or patterns with `*`, `?` and `[…]` as in file names.
        known: the observed variables.

    Raises:
        SpecError: for patterns that no variable fits.
    """
    wanted = list(patterns)
    for pattern in wanted:
        if not any(pattern == name or fnmatchcase(name, pattern) for name in known):
            hint = unknown_name_hint(pattern, known) if known else "nothing was observed of this system"
            raise SpecError(f"no observed variable fits {pattern!r}", hint=hint)
    return tuple(name for name in known if any(pattern == name or fnmatchcase(name, pattern) for pattern in wanted))
