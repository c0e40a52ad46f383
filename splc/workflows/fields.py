"""Fields of requests, and their spelling on command lines and pages.

A field of a request has what one of the functions here returns as its default, or a type with it as an annotation:

    jobs: int = option(1, "N", "Processes.", names="--jobs -j", minimum=1)
    Jobs = Annotated[int, as_option("N", "Processes.", names="--jobs -j", minimum=1)]

Command lines (`splc.cli.signature`), `docs/reference/commands.md` and the docstrings of requests are made from it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, field, fields
from textwrap import fill
from typing import Annotated, Any, Literal, TypeVar, cast, dataclass_transform, get_args, get_origin, get_type_hints

from splc.errors import SpecError

T = TypeVar("T")
# The key of a field's spelling in the metadata of a dataclass.
_FIELD = "field"


@dataclass(frozen=True)
class Field:
    """The spelling of a field on the command line, and its help."""

    help: str  # what it is, in plain sentences
    # whether it is an argument, an option with a value, or one without; `python` is none of them
    kind: Literal["argument", "option", "flag", "python"]
    metavar: str = ""  # what stands for the value in help texts
    panel: str = ""  # the section of the help text; empty is the section of all options
    names: str = ""  # the spellings of an option, separated by spaces; empty is the name of the field
    minimum: float | None = None  # the least number
    default: str = ""  # what the default is, where the value of the field does not say it
    # returns the value of a text, or of the texts of a repeated option; None where the type says enough
    parse: Callable[[Any], Any] | None = None
    repeated: bool = False  # whether `parse` expects the texts of a repeated option


def as_option(metavar: str, text: str, panel: str = "", **settings: Any) -> Field:
    """Return a field that is an option with a value; `settings` are further attributes of `Field`."""
    return Field(text, "option", metavar, panel, **settings)


def as_flag(names: str, text: str, panel: str = "") -> Field:
    """Return a field that is an option without a value; `--x/--no-x` spells both of its values."""
    return Field(text, "flag", panel=panel, names=names)


def as_argument(metavar: str, text: str, **settings: Any) -> Field:
    """Return a field that is an argument; `settings` are further attributes of `Field`."""
    return Field(text, "argument", metavar, **settings)


def option(initial: T, metavar: str, text: str, panel: str = "", **settings: Any) -> T:
    """Return the default of a field that is an option with a value; `settings` are further attributes of `Field`."""
    return _stated(initial, as_option(metavar, text, panel, **settings))


def flag(names: str, text: str, panel: str = "", *, initial: bool = False) -> bool:
    """Return the default of a field that is an option without a value; `--x/--no-x` spells both of its values."""
    return _stated(initial, as_flag(names, text, panel))


def argument(initial: T, metavar: str, text: str, **settings: Any) -> T:
    """Return the default of a field that is an argument; `settings` are further attributes of `Field`."""
    return _stated(initial, as_argument(metavar, text, **settings))


def internal(initial: T, text: str) -> T:
    """Return the default of a field that no command line has."""
    return _stated(initial, Field(text, "python"))


def _stated(initial: T, how: Field) -> T:
    default: dict[str, Any] = {"default_factory": dict} if initial == {} else {"default": initial}
    return cast(T, field(**default, metadata={_FIELD: how}))


@dataclass(frozen=True)
class BoundField:
    """A field of a request, or a parameter of a command."""

    name: str  # its name
    field: Field  # how it is spelled
    type: Any  # the type of its values
    default: Any  # the default; `MISSING` if it must be given
    own: bool = True  # whether it is a field of the request itself, not one that all requests of its kind share

    @property
    def spellings(self) -> tuple[str, ...]:
        """The spellings of an option."""
        return tuple(self.field.names.split()) or (f"--{self.name.replace('_', '-')}",)

    @property
    def required(self) -> bool:
        """True if there is no default."""
        return self.default is MISSING

    @property
    def repeated(self) -> bool:
        """True if the option may be repeated."""
        return self.field.repeated or (get_origin(self.type) is tuple and self.field.parse is None)

    @property
    def number(self) -> type | None:
        """`int` or `float` if values are numbers, else None."""
        kinds = (self.type, *get_args(self.type)) if self.field.parse is None and not self.repeated else ()
        return next((kind for kind in kinds if kind in (int, float)), None)

    @property
    def choices(self) -> tuple[str, ...]:
        """The values, where they are a few words."""
        kinds = (self.type, *get_args(self.type))
        return next((get_args(kind) for kind in kinds if get_origin(kind) is Literal), ())

    def value(self, given: Any) -> Any:
        """Return the value of a text, or of the texts of an option that may be repeated."""
        if self.field.parse is not None:
            return self.field.parse(given)
        if self.choices:
            if given not in self.choices:
                raise SpecError(f"{given!r} is not one of {', '.join(map(repr, self.choices))}.")
            return given
        if self.number is None:
            return tuple(given) if self.repeated else given
        try:
            number = self.number(given)
        except ValueError:
            kind = "integer" if self.number is int else "number"
            raise SpecError(f"{given!r} is not a valid {kind}.") from None
        if self.field.minimum is not None and not number >= self.field.minimum:
            raise SpecError(f"{given} is not in the range x>={self.field.minimum}.")
        return number

    @property
    def shown_default(self) -> str:
        """The default as help texts show it; empty if there is none, or if it is not informative."""
        if self.field.default or self.field.kind in ("flag", "argument"):
            return self.field.default
        return "" if self.default in (None, MISSING, "", (), {}) else str(self.default)


def fields_of(kind: type) -> Iterator[BoundField]:
    """Yield the annotated fields of a request."""
    hints = get_type_hints(kind, include_extras=True)
    declared = inspect.get_annotations(kind)
    for item in fields(cast(Any, kind)):
        hint, *notes = get_args(hints[item.name]) if get_origin(hints[item.name]) is Annotated else (hints[item.name],)
        stated = next((note for note in (item.metadata.get(_FIELD), *notes) if isinstance(note, Field)), None)
        if stated is None:
            raise TypeError(f"{kind.__module__}.{kind.__name__}.{item.name} has no help")
        default = item.default if item.default_factory is MISSING else item.default_factory()
        yield BoundField(item.name, stated, hint, default, own=item.name in declared)


@dataclass_transform(frozen_default=True, kw_only_default=True)
def request(kind: type[T]) -> type[T]:
    """Return a class of requests as a frozen dataclass with keywords only, whose docstring lists its fields."""
    made = dataclass(frozen=True, kw_only=True)(kind)
    lines = [
        fill(f"{item.name}: {item.field.help}", 116, initial_indent=" " * 4, subsequent_indent=" " * 8)
        for item in fields_of(made)
    ]
    made.__doc__ = f"{inspect.cleandoc(kind.__doc__ or '')}\n\nAttributes:\n" + "\n".join(lines) + "\n"
    return made


def given_fields(made: Any) -> tuple[str, ...]:
    """Return the names of the fields of a request that differ from their defaults."""
    return tuple(item.name for item in fields_of(type(made)) if getattr(made, item.name) != item.default)


def values_of(made: Any) -> dict[str, Any]:
    """Return name → value of the fields of a request."""
    return {item.name: getattr(made, item.name) for item in fields(made)}
