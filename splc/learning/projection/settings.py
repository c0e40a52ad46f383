"""The settings of the default learner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self, get_args

from splc.io.settings import Setting, settings_in, stated_values
from splc.models.basis.atom import function_names

Form = Literal["auto", "sum", "product"]
ScaleChoice = Literal["auto", "log", "raw"]

_AUTO = {"auto": None, "none": None}


def _functions(text: str) -> str:
    return ",".join(function_names(text))


@dataclass(frozen=True)
class ProjectionSettings:
    """Settings of the default learner."""

    terms: Annotated[
        int | None,
        Setting(
            "the largest number of terms; `auto`: chosen by the expected error", least=1, words=_AUTO, shown="`auto`"
        ),
    ] = None
    readable: Annotated[bool, Setting("at most 10 terms, for a score that is up to 10 % larger")] = False
    form: Annotated[
        Form,
        Setting(
            "`sum`: a sum of terms; `product`: a product of factors; `auto`: a product only where a sum cannot follow "
            "the full model",
            choices=get_args(Form),
        ),
    ] = "auto"
    scale: Annotated[
        ScaleChoice,
        Setting(
            "the scale of the full model: `log` (ln y), `raw` (y), or `auto`, chosen by evidence",
            choices=get_args(ScaleChoice),
        ),
    ] = "auto"
    order: Annotated[
        int | None,
        Setting(
            "the largest number of options in a term; `auto`: 5, or 6 with as many numeric options",
            least=1,
            words=_AUTO,
            shown="`auto`",
        ),
    ] = None
    functions: Annotated[
        str,
        Setting(
            "[functions of one argument](../explanation/comparison.md#an-analytical-model), such as `sqrt,exp`, that "
            "terms may have besides powers and logarithms",
            parse=_functions,
        ),
    ] = ""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Return the defaults with some settings changed; values may be texts."""
        return cls(**stated_values(settings_in(ProjectionSettings), values))
