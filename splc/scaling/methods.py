"""The methods that choose a hypothesis, by their names, and their settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from splc.errors import SpecError, listed, unknown_name_hint
from splc.scaling.exponents import FALLING, SETS, Exponents, exponents, grid
from splc.scaling.multi.default import default as default_of_several
from splc.scaling.multi.extrap import Method, combined
from splc.scaling.noise import CONDENSATIONS, Condensation, Condensed
from splc.scaling.selection import Selection
from splc.scaling.single import refinement
from splc.scaling.single.classic import CRITERIA, Criterion, basic, classic
from splc.scaling.single.default import default
from splc.scaling.single.refinement import refined
from splc.types import Array

# The methods, with their settings beside `aggregate`.
METHODS: Mapping[str, frozenset[str]] = {
    "default": frozenset({"strong_scaling", "local"}),
    "classic": frozenset({"strong_scaling", "exponents", "terms", "criterion"}),
    "basic": frozenset(),
    "refinement": frozenset(),
    "extrap": frozenset(),
}
# The methods that find one term of a parameter, and combine those of several parameters.
SINGLE_TERM: Mapping[str, Method] = {
    "basic": basic,
    "refinement": partial(refined, rule=refinement.PAPER),
    "extrap": partial(refined, rule=refinement.EXTRAP),
}


@dataclass(frozen=True)
class FitSettings:
    """A method with its settings.

    Attributes:
        method: 'default', 'classic', 'basic', 'refinement' or 'extrap'.
        aggregate: the statistic of repetitions: 'robust' (the mean, in which outliers have less weight), 'mean',
            'median', 'minimum' or 'maximum'; by default 'robust' for the method 'default', and 'mean' for the others.
        strong_scaling: whether negative powers are searched; None: where values fall for the method 'default', else
            False.
        local: whether 'default' fits models of several parameters to the points near the largest values where no
            hypothesis is exact (`splc.scaling.multi.misfit`).
        exponents: the terms that 'classic' searches.
        terms: the largest number of terms beside the constant of 'classic', 1 or 2.
        criterion: the error that 'classic' compares: 'loo' or 'rss'.
    """

    method: str
    aggregate: Condensation
    strong_scaling: bool | None
    exponents: tuple[Exponents, ...]
    terms: int
    criterion: Criterion
    local: bool

    def as_dict(self) -> dict[str, Any]:
        """Return the settings that the method has, as plain values."""
        own = METHODS[self.method]
        found: dict[str, Any] = {"aggregate": self.aggregate}
        if "strong_scaling" in own:
            found["strong_scaling"] = self.strong_scaling
        if "local" in own:
            found["local"] = self.local
        if "terms" in own:
            found |= {
                "exponents": [[str(each.power), str(each.log)] for each in self.exponents],
                "terms": self.terms,
                "criterion": self.criterion,
            }
        return found

    @property
    def searches_falling(self) -> bool:
        """True if negative powers are searched for values that fall."""
        return self.method == "default" if self.strong_scaling is None else self.strong_scaling

    def select(self, points: Array, measured: Condensed) -> Selection:
        """Choose a hypothesis for each quantity.

        `points`: distinct points in lexicographic order, shape (n, parameters). `measured`: values without gaps, shape
        (models, n), none larger than about 1.
        """
        x = points[:, 0]
        if self.method == "default":
            if points.shape[1] > 1:
                return default_of_several(points, measured, self.strong_scaling, self.local)
            return default(x, measured, self.strong_scaling)
        if self.method == "classic":
            among = self.exponents + (FALLING if self.strong_scaling else ())
            return classic(x, measured.values, tuple(dict.fromkeys(among)), self.terms, self.criterion)
        single = SINGLE_TERM[self.method]
        return combined(points, measured.values, single) if points.shape[1] > 1 else single(x, measured.values)


def settings_of(
    method: str = "default",
    *,
    aggregate: str | None = None,
    strong_scaling: bool | None = None,
    exponents: Any = None,
    terms: int | None = None,
    criterion: str | None = None,
    local: bool | None = None,
) -> FitSettings:
    """Return checked settings; None is the default of the method.

    All arguments are those of `FitSettings`; `exponents` as for `exponent_set`.
    """
    if method not in METHODS:
        raise SpecError(f"unknown method {method!r}", hint=unknown_name_hint(str(method), list(METHODS)))
    given = {
        "strong_scaling": strong_scaling,
        "exponents": exponents,
        "terms": terms,
        "criterion": criterion,
        "local": local,
    }
    foreign = [name for name, value in given.items() if value is not None and name not in METHODS[method]]
    if foreign:
        able = [name for name, own in METHODS.items() if set(foreign) <= own]
        raise SpecError(
            f"the method {method!r} has no setting {listed(foreign)}", hint=f"methods that do: {listed(able)}"
        )
    condense = aggregate or ("robust" if method == "default" else "mean")
    if condense not in CONDENSATIONS:
        raise SpecError(
            f"unknown aggregate of repetitions {condense!r}", hint=unknown_name_hint(condense, CONDENSATIONS)
        )
    number = 1 if terms is None else terms
    if number not in (1, 2):
        raise SpecError(f"terms must be 1 or 2, not {number}")
    chosen = "loo" if criterion is None else criterion
    if chosen not in CRITERIA:
        raise SpecError(f"unknown criterion {chosen!r}", hint=unknown_name_hint(chosen, CRITERIA))
    among = SETS["paper"] if exponents is None else exponent_set(exponents)
    near = True if local is None else local
    return FitSettings(
        method, cast(Condensation, condense), strong_scaling, among, number, cast(Criterion, chosen), near
    )


def exponent_set(given: Any) -> tuple[Exponents, ...]:
    """Return a set of exponents, given by name, as powers and logarithms, or as `Exponents`."""
    hint = "name 'paper' or 'extrap', or give two sequences: powers, and exponents of the logarithm"
    if isinstance(given, str):
        if given not in SETS:
            raise SpecError(f"unknown set of exponents {given!r}", hint=hint)
        return SETS[given]
    if not isinstance(given, Sequence) or isinstance(given, bytes):
        raise SpecError(f"{given!r} is not a set of exponents", hint=hint)
    if all(isinstance(each, Exponents) for each in given):
        found = tuple(exponents(each.power, each.log) for each in given if not each.is_constant)
    elif len(given) == 2 and all(isinstance(each, Sequence) and not isinstance(each, str) for each in given):
        found = grid(*given)
    else:
        raise SpecError(f"{given!r} is not a set of exponents", hint=hint)
    if not found:
        raise SpecError("the set of exponents is empty", hint=hint)
    return found
