"""The settings of `splc.scaling.fit` as texts: what `--set NAME=VALUE` and study files state."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from splc.io.settings import Setting, stated_values
from splc.scaling.methods import settings_of


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


_TRUTH = {"yes": True, "1": True, "no": False, "0": False}
# The settings of `fit`; the methods that have one are in `splc.scaling.methods.METHODS`.
SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {
        "method": Setting(
            "the rule that chooses exponents: `default`, `classic`, `basic`, `refinement`, `extrap`", default="default"
        ),
        "aggregate": Setting(
            "the value of several repetitions: `robust`, `mean`, `median`, `minimum`, `maximum`",
            # Names of `splc.types.Aggregate` that differ here.
            words={"min": "minimum", "max": "maximum"},
            shown="`robust` for `default`, else `mean`",
        ),
        "strong_scaling": Setting(
            "whether to search negative powers",
            kind=bool,
            words=_TRUTH,
            shown="where values fall for `default`, else `false`",
        ),
        "local": Setting(
            "whether to fit several parameters mainly to the points near the largest values where no hypothesis is "
            "exact",
            kind=bool,
            words=_TRUTH,
            shown="`false` (`splc scale`: `true`)",
        ),
        "segmented": Setting(
            "whether to look for one change of behaviour (a line of six points or more)",
            kind=bool,
            words=_TRUTH,
            default=False,
        ),
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
)


def parsed_settings(stated: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as keyword arguments of `splc.scaling.fit`.

    `stated`: name → value or its text.
    """
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
