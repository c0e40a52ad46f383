"""Settings of learners: their meaning, and how their values are parsed from texts.

`--set NAME=VALUE`, `[learning]` in `splc.toml`, learners of studies, scripts and `docs/reference/configuration.md` use
the same settings. A class of settings is a dataclass whose fields are annotated with them:

    trees: Annotated[int, Setting("number of trees", least=1)] = 100
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from splc.errors import Problem, SpecError, listed, unknown_name_hint
from splc.io.toml import plain_text

_TRUTH = {"true": True, "false": False}


@dataclass(frozen=True)
class Setting:
    """A setting."""

    meaning: str  # what it is for, as Markdown
    choices: tuple[str, ...] = ()  # the texts that it can be; empty for other settings
    least: float = -math.inf  # the least number
    most: float = math.inf  # the largest number
    words: Mapping[str, Any] = field(default_factory=dict)  # text → value of further texts, such as `auto`
    parse: Callable[[str], Any] | None = None  # returns the value of a text, or raises ValueError; None: by the type
    shown: str = ""  # the default on pages, as Markdown, where `default` does not say it
    reason: str = ""  # the reason of the default, where there is one to state
    kind: type = str  # the type of its values
    default: Any = None  # the value that it has unless another one is stated

    def value(self, given: Any) -> Any:
        """Return the value of a text, or of a value of TOML or Python."""
        text = plain_text(given).strip()
        folded = text.casefold()
        if folded in self.words:
            return self.words[folded]
        if self.choices:
            choices = {choice.casefold(): choice for choice in self.choices}
            if folded not in choices:
                raise ValueError(f"{text!r} is not one of {listed(self.choices)}")
            return choices[folded]
        if self.kind is bool:
            if folded not in _TRUTH:
                raise ValueError(f"{text!r} is neither true nor false")
            return _TRUTH[folded]
        if self.kind is str:
            return text if self.parse is None else self.parse(text)
        number = _number(text) if self.parse is None else self.parse(text)
        if self.kind is int and number != math.floor(number):
            raise ValueError(f"{text!r} is not a whole number")
        if number < self.least:
            raise ValueError(f"{text} is less than {self.least:g}")
        if number > self.most:
            raise ValueError(f"{text} is more than {self.most:g}")
        return self.kind(number)

    @property
    def shown_default(self) -> str:
        """The default as Markdown; empty if it says nothing."""
        if self.shown or self.default in (None, ""):
            return self.shown
        text = f"{self.default:.15g}" if isinstance(self.default, float) else plain_text(self.default)
        return f"`{text}`"


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{text!r} is not a number")
    return number


@cache
def settings_in(kind: type) -> Mapping[str, Setting]:
    """Return name → setting of a class of settings."""
    settings = {}
    for name, hint in get_type_hints(kind, include_extras=True).items():
        value_type, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
        types = [candidate for candidate in (value_type, *get_args(value_type)) if candidate in (bool, int, float)]
        for note in notes:
            if isinstance(note, Setting):
                settings[name] = replace(note, kind=types[0] if types else str, default=getattr(kind, name))
    return MappingProxyType(settings)


def setting_name(name: str) -> str:
    """Return the name of a setting in the form in which names are compared."""
    return name.strip().casefold().replace("-", "_")


def stated_values(settings: Mapping[str, Setting], stated: Mapping[str, Any], owner: str = "") -> dict[str, Any]:
    """Return name → value of the settings that are stated.

    `settings`: the known settings by name; in stated names, `-` and `_` are the same, and case does not matter.
    `owner`: the learner, for messages; empty if the settings are those of several learners.
    """
    names = {setting_name(name): name for name in settings}
    problems: list[Problem] = []
    values: dict[str, Any] = {}
    for name, value in stated.items():
        if (key := names.get(setting_name(name))) is None:
            message = f"{owner} has no setting {name!r}" if owner else f"unknown setting {name!r}"
            problems.append(Problem(message, hint=unknown_name_hint(name, list(settings))))
            continue
        try:
            values[key] = settings[key].value(value)
        except ValueError as error:
            problems.append(Problem(f"setting {key}: {error}"))
    if problems:
        raise SpecError(problems)
    return values
