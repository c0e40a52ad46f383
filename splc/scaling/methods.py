"""The methods that choose a hypothesis, by their names, and their settings, also as texts (`--set NAME=VALUE`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, cast

from splc.errors import SpecError, listed, unknown_name_hint
from splc.io.settings import Setting, stated_values
from splc.scaling.classic import CRITERIA, EXTRAP_RULE, PAPER_RULE, Criterion, basic, classic, refined
from splc.scaling.data import CONDENSATIONS, Condensation, Condensed
from splc.scaling.exponents import FALLING, SETS, Exponents, exponents, grid
from splc.scaling.multi.default import default as default_of_several
from splc.scaling.multi.extrap import Method, combined
from splc.scaling.selection import Selection
from splc.scaling.single import default
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
    "refinement": partial(refined, rule=PAPER_RULE),
    "extrap": partial(refined, rule=EXTRAP_RULE),
}


@dataclass(frozen=True)
class FitSettings:
    """A method with its settings, whose meanings `SETTINGS` states."""

    method: str
    aggregate: Condensation  # 'robust' is the mean, in which outliers have less weight
    strong_scaling: bool | None
    exponents: tuple[Exponents, ...]
    terms: int
    criterion: Criterion
    local: bool  # see `splc.scaling.multi.posterior`

    def as_dict(self) -> dict[str, Any]:
        """Return the settings that the method has, as plain values."""
        values = {name: value for name, value in vars(self).items() if name in {"aggregate", *METHODS[self.method]}}
        if "exponents" in values:
            values["exponents"] = [[str(term.power), str(term.log)] for term in self.exponents]
        return values

    @property
    def searches_falling(self) -> bool:
        """True if negative powers are searched for values that fall."""
        return self.method == "default" if self.strong_scaling is None else self.strong_scaling

    def select(self, points: Array, measured: Condensed) -> Selection:
        """Choose a hypothesis for each quantity at distinct points in lexicographic order, (n, parameters)."""
        x = points[:, 0]
        if self.method == "default":
            if points.shape[1] > 1:
                return default_of_several(points, measured, self.strong_scaling, self.local)
            return default(x, measured, self.strong_scaling)
        if self.method == "classic":
            terms = self.exponents + (FALLING if self.strong_scaling else ())
            return classic(x, measured.values, tuple(dict.fromkeys(terms)), self.terms, self.criterion)
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
    """Return checked settings, the arguments being those of `FitSettings`; None is the default of the method."""
    if method not in METHODS:
        raise SpecError(f"unknown method {method!r}", hint=unknown_name_hint(str(method), list(METHODS)))
    stated = {"strong_scaling": strong_scaling, "exponents": exponents, "terms": terms}
    stated |= {"criterion": criterion, "local": local}
    foreign = [name for name, value in stated.items() if value is not None and name not in METHODS[method]]
    if foreign:
        methods = [name for name, settings in METHODS.items() if set(foreign) <= settings]
        raise SpecError(
            f"the method {method!r} has no setting {listed(foreign)}", hint=f"methods that do: {listed(methods)}"
        )
    condense = aggregate or ("robust" if method == "default" else "mean")
    if condense not in CONDENSATIONS:
        raise SpecError(
            f"unknown aggregate of repetitions {condense!r}", hint=unknown_name_hint(condense, CONDENSATIONS)
        )
    if terms not in (None, 1, 2):
        raise SpecError(f"terms must be 1 or 2, not {terms}")
    if criterion not in (None, *CRITERIA):
        raise SpecError(f"unknown criterion {criterion!r}", hint=unknown_name_hint(str(criterion), CRITERIA))
    searched = SETS["paper"] if exponents is None else exponent_set(exponents)
    chosen = cast(Condensation, condense), strong_scaling, searched, terms or 1, cast(Criterion, criterion or "loo")
    return FitSettings(method, *chosen, local is not False)


def exponent_set(stated: Any) -> tuple[Exponents, ...]:
    """Return a set of exponents, given by name, as powers and logarithms, or as `Exponents`."""
    hint = "name 'paper' or 'extrap', or give two sequences: powers, and exponents of the logarithm"
    if isinstance(stated, str):
        if stated not in SETS:
            raise SpecError(f"unknown set of exponents {stated!r}", hint=hint)
        return SETS[stated]
    if not isinstance(stated, Sequence) or isinstance(stated, bytes):
        raise SpecError(f"{stated!r} is not a set of exponents", hint=hint)
    if all(isinstance(term, Exponents) for term in stated):
        searched = tuple(exponents(term.power, term.log) for term in stated if not term.is_constant)
    elif len(stated) == 2 and all(isinstance(part, Sequence) and not isinstance(part, str) for part in stated):
        searched = grid(*stated)
    else:
        raise SpecError(f"{stated!r} is not a set of exponents", hint=hint)
    if not searched:
        raise SpecError("the set of exponents is empty", hint=hint)
    return searched


def _exponents(text: str) -> Any:
    """Return the name of a set of exponents, or powers and exponents of the logarithm."""
    if ";" not in text:
        return text
    try:
        powers, logs = ([Fraction(number.strip()) for number in part.split(",")] for part in text.split(";"))
    except (ValueError, ZeroDivisionError):
        known = "the name of a set, or powers and exponents of the logarithm such as '0,1/2,1;0,1'"
        raise ValueError(f"{text!r} is not {known}") from None
    return powers, logs


_truth = partial(Setting, kind=bool, words={"yes": True, "1": True, "no": False, "0": False})
# The settings of `fit`; the methods that have one are in `splc.scaling.methods.METHODS`.
SETTINGS: Mapping[str, Setting] = {
    "method": Setting(
        "the rule that chooses exponents: `default`, `classic`, `basic`, `refinement`, `extrap`", default="default"
    ),
    "aggregate": Setting(
        "the value of several repetitions: `robust`, `mean`, `median`, `minimum`, `maximum`",
        # Names of `splc.types.Aggregate` that differ here.
        words={"min": "minimum", "max": "maximum"},
        shown="`robust` for `default`, else `mean`",
    ),
    "strong_scaling": _truth(
        "whether to search negative powers", shown="where values fall for `default`, else `false`"
    ),
    "local": _truth(
        "whether to fit several parameters mainly to the points near the largest values where no hypothesis is exact",
        shown="`false` (`splc scale`: `true`)",
    ),
    "segmented": _truth("whether to look for one change of behaviour (a line of six points or more)", default=False),
    "exponents": Setting(
        "the search space: `paper`, `extrap`, or powers and logarithms as `0,1/2,1;0,1`",
        parse=_exponents,
        shown="`paper`",
    ),
    "terms": Setting("the number of terms without the constant, 1 or 2", kind=int, shown="`1`"),
    "criterion": Setting(
        "what selects: `loo` (SMAPE at points left out) or `rss` (residual sum of squares)", shown="`loo`"
    ),
}


def parsed_settings(stated: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings, given as values or as texts, as keyword arguments of `splc.scaling.fit`."""
    texts = {name: value for name, value in stated.items() if isinstance(value, str) or name not in SETTINGS}
    values = {name: value for name, value in stated.items() if name not in texts}
    settings = {**values, **stated_values(SETTINGS, texts, "pmnf")}
    # Refuses what the method does not have before anything is fitted.
    resolved_settings(settings)
    return settings


def resolved_settings(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return all settings of a method by name, in JSON's types."""
    settings = settings_of(**{name: value for name, value in chosen.items() if name != "segmented"})
    segmented = {"segmented": True} if chosen.get("segmented") else {}
    return {"method": settings.method, **settings.as_dict(), **segmented}
