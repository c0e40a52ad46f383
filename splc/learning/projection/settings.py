"""The settings of the default learner."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

from splc.errors import Problem, SpecError, listed, unknown_name_hint
from splc.io.toml import plain_text
from splc.models.basis.atom import function_names

Form = Literal["auto", "sum", "product"]
ScaleChoice = Literal["auto", "log", "raw"]

_CHOICES = {"form": ("auto", "sum", "product"), "scale": ("auto", "log", "raw")}


@dataclass(frozen=True)
class ProjectionSettings:
    """Settings of the default learner.

    Attributes:
        terms: the largest number of terms, the constant included; None is chosen by the error.
        readable: whether at most 10 terms are printed, for a score that is up to 10 % larger.
        form: 'sum' of terms, 'product' of factors (the exponential of a sum), or 'auto'.
        scale: the scale of the full model: 'log' is ln y, 'raw' is y, 'auto' is chosen by evidence.
        order: the largest number of options in a term; None is between 5 and 6, by the number of numeric options.
        functions: further functions of numeric options that terms may have, such as `sqrt`, separated by commas.
    """

    terms: int | None = None
    readable: bool = False
    form: Form = "auto"
    scale: ScaleChoice = "auto"
    order: int | None = None
    functions: str = ""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Return the defaults with some settings changed; values may be texts.

        Raises:
            SpecError: naming every unknown setting and every wrong value.
        """
        known = [field.name for field in dataclasses.fields(cls)]
        problems: list[Problem] = []
        changes: dict[str, Any] = {}
        for name, value in values.items():
            if name not in known:
                problems.append(Problem(f"unknown setting {name!r}", hint=unknown_name_hint(name, known)))
                continue
            try:
                changes[name] = _converted(name, value)
            except ValueError as error:
                problems.append(Problem(f"setting {name}: {error}"))
        if problems:
            raise SpecError(problems)
        return cls(**changes)


def _converted(name: str, value: Any) -> Any:
    """Return a value in the type of its setting."""
    text = plain_text(value).strip()
    if name == "functions":
        return ",".join(function_names(text))
    if name in _CHOICES:
        if text not in _CHOICES[name]:
            raise ValueError(f"{text!r} is not one of {listed(_CHOICES[name])}")
        return text
    if name == "readable":
        if text.casefold() not in {"true", "false"}:
            raise ValueError(f"{text!r} is neither true nor false")
        return text.casefold() == "true"
    if text.casefold() in {"none", "auto"}:
        return None
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"{text!r} is not a positive whole number")
    return int(text)
