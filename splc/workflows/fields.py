"""Fields of requests: their spelling on command lines and pages, values of their texts, and those that several have.

A field of a request has what one of the functions here returns as its default, or a type with it as an annotation:

    jobs: int = option(1, "N", names="--jobs -j", minimum=1)("Processes.")
    Jobs = Annotated[int, as_option("N", "Processes.", names="--jobs -j", minimum=1)]

Command lines (`splc.cli.signature`), `docs/reference/commands.md` and the docstrings of requests are made from it.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from textwrap import TextWrapper
from typing import Annotated, Any, Literal, TypeVar, cast, dataclass_transform, get_args, get_origin, get_type_hints

from splc.errors import RequestError, SpecError
from splc.io.files import STANDARD
from splc.project import keys
from splc.types import Aggregate, Duplicates, Invalid

T = TypeVar("T")
_WRAPPER = TextWrapper(116, initial_indent=" " * 4, subsequent_indent=" " * 8)  # of docstrings
_FIELD = "field"  # the key of a field's spelling in the metadata of a dataclass


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
    parse: Callable[[Any], Any] | None = None  # returns the value of a text, or of repeated texts; None: by the type
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


def option(initial: Any, metavar: str, panel: str = "", **settings: Any) -> Callable[[str], Any]:
    """Return what makes the default of an option with a value from its help; `settings` are attributes of `Field`."""
    return lambda text: _stated(initial, as_option(metavar, text, panel, **settings))


def numbers(panel: str = "", **settings: Any) -> Callable[[str], Any]:
    """Return what makes the default of a repeated option of numbers by name from its help."""
    return option({}, "NAME=VALUE", panel, parse=numbers_of, repeated=True, **settings)


def flag(names: str, panel: str = "", *, initial: bool = False) -> Callable[[str], Any]:
    """Return what makes the default of an option without a value from its help."""
    return lambda text: _stated(initial, as_flag(names, text, panel))


def argument(initial: Any, metavar: str, **settings: Any) -> Callable[[str], Any]:
    """Return what makes the default of an argument from its help; `settings` are further attributes of `Field`."""
    return lambda text: _stated(initial, as_argument(metavar, text, **settings))


def internal(initial: Any, text: str) -> Any:
    """Return the default of a field that no command line has."""
    return _stated(initial, Field(text, "python"))


def _stated(initial: Any, how: Field) -> Any:
    default: dict[str, Any] = {"default_factory": dict} if initial == {} else {"default": initial}
    return field(**default, metadata={_FIELD: how})


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
    lines = [_WRAPPER.fill(f"{item.name}: {item.field.help}") for item in fields_of(made)]
    made.__doc__ = f"{inspect.cleandoc(kind.__doc__ or '')}\n\nAttributes:\n" + "\n".join(lines) + "\n"
    return made


def given_fields(made: Any) -> tuple[str, ...]:
    """Return the names of the fields of a request that differ from their defaults."""
    return tuple(item.name for item in fields_of(type(made)) if getattr(made, item.name) != item.default)


W = TypeVar("W")
_DURATION = re.compile("".join(rf"(?:(\d+\.?\d*){unit})?" for unit in ("d", "h", r"m(?:in)?", "s")))
_UNITS = (86400, 3600, 60, 1)  # the seconds of these units


def assigned(
    texts: Sequence[str], form: str, convert: Callable[[str], Any] = str, split: Callable[..., Any] = str.partition
) -> Iterator[tuple[str, Any]]:
    """Yield name and value of texts `NAME=VALUE`; with `str.rpartition`, a name may contain an equals sign."""
    for text in texts:
        name, equals, written = (part.strip() for part in split(text, "="))
        value = convert(written)
        if not equals or not name or value is None:
            raise SpecError(f"{text!r} is not {form}")
        yield name, value


def _once(pairs: Iterable[tuple[str, Any]], *, same: bool = False) -> dict[str, Any]:
    """Return name → value; `same`: whether a name may be repeated with the same value."""
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name in values and not (same and values[name] == value):
            raise SpecError(f"{name} is given twice{', with different values' * same}")
        values[name] = value
    return values


def numbers_of(texts: Sequence[str]) -> dict[str, float]:
    """Return name → number of texts `NAME=NUMBER`."""
    return _once(assigned(texts, "NAME=NUMBER", _number, str.rpartition))


def point_of(text: str) -> dict[str, float]:
    """Return name → number of a text `NAME=NUMBER,NAME=NUMBER`."""
    return numbers_of(text.split(","))


def one_or_several(texts: Sequence[str]) -> str | tuple[str, ...] | None:
    """Return the only text, several texts as a tuple, None without any."""
    return tuple(texts) if len(texts) > 1 else next(iter(texts), None)


def points_of(texts: Sequence[str]) -> tuple[dict[str, float], ...]:
    """Return the points of texts `NAME=NUMBER,NAME=NUMBER`."""
    return tuple(point_of(text) for text in texts)


def values_of(texts: Sequence[str]) -> dict[str, str]:
    """Return column → value of texts `COLUMN=VALUE`."""
    return _once(assigned(texts, "COLUMN=VALUE"), same=True)


def texts_of(texts: Sequence[str]) -> dict[str, str]:
    """Return name → value of texts `NAME=VALUE`; the last one of a name counts."""
    return dict(assigned(texts, "NAME=VALUE"))


def names_of(text: str) -> tuple[str, ...]:
    """Return the names in `NAME,NAME`."""
    return names_in([text])


def names_in(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the names in `--free a,b --free c`."""
    names = [name.strip() for text in texts for name in text.split(",")]
    if not all(names):
        raise SpecError("a name is missing; write NAME,NAME")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise SpecError(f"{twice[0]} is given twice")
    return tuple(names)


def bounds_of(texts: Sequence[str]) -> dict[str, tuple[float | None, float | None]]:
    """Return name → bounds of texts `NAME=LOW..HIGH`; None is an end that is left out."""

    def bounds(interval: str) -> tuple[float | None, float | None] | None:
        low, dots, high = interval.partition("..")
        try:
            ends = [float(end) if end.strip() else None for end in (low, high)]
        except ValueError:
            return None
        return (ends[0], ends[1]) if dots and not any(end is not None and math.isnan(end) for end in ends) else None

    return _once(assigned(texts, "NAME=LOW..HIGH, such as alpha=1e-8..1e-5", bounds, str.rpartition))


def axes_of(texts: Sequence[str]) -> dict[str, list[float]]:
    """Return name → numbers of texts `NAME=NUMBER,NUMBER`."""

    def axis(values: str) -> list[float] | None:
        numbers = [number for value in values.split(",") if (number := _number(value)) is not None]
        return numbers if len(numbers) == values.count(",") + 1 else None

    return _once(assigned(texts, "NAME=NUMBER,NUMBER…", axis))


def counts_of(text: str) -> tuple[int, ...]:
    """Return the positive numbers of a text `NUMBER,NUMBER…`, ascending."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and len(part) < 8 and int(part) > 0 for part in parts):
        raise SpecError(f"{text!r} is not a positive number, or several such as 20,50,100")
    return tuple(sorted({int(part) for part in parts}))


def seconds_of(text: str) -> float:
    """Return the seconds of a duration: `90`, `90s`, `30m`, `1h30m`, `2d`."""
    parts = _DURATION.fullmatch(text.replace(" ", ""))
    seconds = _number(text)
    if seconds is None and parts is not None and any(parts.groups()):
        seconds = sum(float(part) * unit for part, unit in zip(parts.groups(), _UNITS, strict=True) if part)
    if seconds is None or seconds <= 0:
        raise SpecError(f"{text!r} is not a time such as 90s, 30m, 2h or 1h30m")
    return seconds


def percentage_of(text: str) -> float:
    """Return the number of a text `NUMBER` or `NUMBER%`, at least 0."""
    number = _number(text.strip().removesuffix("%"))
    if number is None or number < 0:
        raise SpecError(f"{text!r} is not a percentage of at least 0, such as 5%")
    return number


def number_or(words: Mapping[str, W], least: int = 0) -> Callable[[str], W | int]:
    """Return the function that returns the value of a word, or a whole number of at least `least`."""

    def value_of(text: str) -> W | int:
        if text in words:
            return words[text]
        if text.isdecimal() and len(text) < 10 and int(text) >= least:
            return int(text)
        names = " nor ".join(map(repr, words))
        raise SpecError(f"{text!r} is neither {names} nor a {'positive ' * least}number")

    return value_of


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


INPUTS = "Inputs (default: those of the current folder)"
POLICIES = "Problematic measurements"


def policy(name: str, panel: str = POLICIES, **settings: Any) -> Field:
    """Return the option of a policy about problematic measurements, which study files have as a key."""
    key = keys.POLICIES[name]
    return as_option(key.metavar, key.meaning, panel, **settings)


def columns(name: str, metavar: str, panel: str, **settings: Any) -> Field:
    """Return the repeated option of a role of columns, which project files have as a key."""
    return as_option(metavar, f"{keys.COLUMNS[name].meaning} Can be repeated.", panel, **settings)


System = Annotated[str | None, as_option("FILE", keys.FILES["system"].meaning, INPUTS)]
_TABLES = f"{keys.FILES['measurements'].meaning} Can be repeated."
_MEASUREMENTS = as_option("FILE", _TABLES, INPUTS, parse=one_or_several, repeated=True)
MeasurementsFile = Annotated[str | tuple[str, ...] | None, _MEASUREMENTS]
ParametersFile = Annotated[str | None, as_option("FILE", keys.FILES["parameters"].meaning, INPUTS)]
Nfp = Annotated[str | None, as_option("NAME", keys.INPUTS[keys.PROPERTY].meaning, INPUTS, names="--property --nfp")]
InvalidRows = Annotated[Invalid, policy("invalid")]
DuplicateRows = Annotated[Duplicates, policy("duplicates")]
Repetitions = Annotated[Aggregate | None, policy("aggregate", default="mean")]
_OPTIONS = as_option("NAME,…", keys.COLUMNS["options"].meaning, INPUTS, parse=names_in, repeated=True)
OptionColumns = Annotated[tuple[str, ...], _OPTIONS]
ContextColumns = Annotated[tuple[str, ...], columns("contexts", "COLUMN,…", POLICIES)]
IgnoredColumns = Annotated[tuple[str, ...], columns("ignore", "COLUMN,…", POLICIES)]
NoConstraints = Annotated[bool, as_flag("--no-constraints", "Infer no constraints from a table.", INPUTS)]
Seed = Annotated[int, as_option("N", "The seed of random draws.", minimum=0)]
Sampling = Annotated[str | None, as_option("SPEC", "The sampling: 'pb:9,3', 'pairwise+ff', …")]
SelectedRows = Annotated[Mapping[str, str], columns("where", "COLUMN=VALUE", POLICIES, parse=values_of, repeated=True)]
_FIXED = as_option("NAME=VALUE", "A value that the configurations must have: 'tls=1', 'tls', 'x=4'. Can be repeated.")
FixedValues = Annotated[tuple[str, ...], _FIXED]
Printed = Annotated[bool, as_flag("--printed", "Predict with the printed model although the file has the full one.")]
_EACH_VALUE = (
    "Do this for each value of this context (version, machine). Files are written per value: the value replaces {} in "
    "the name, or is added to it."
)
By = Annotated[str | None, as_option("COLUMN", _EACH_VALUE, POLICIES)]
_OUTPUT = as_option("FILE", "The file to write.", names="--output -o", default="standard output")
OutputFile = Annotated[str | None, _OUTPUT]


def refuse(*cases: tuple[Any, ...]) -> None:
    """Raise the error of the first case that holds: a condition, its message, and the fields that it is about."""
    for wrong, message, *names in cases:
        if wrong:
            raise RequestError(message, *names)


def scheduler_of(backend: str, scheduler: str | None) -> str | None:
    """Return the dask scheduler of a request, `local` to start one here, or None without dask."""
    if backend == "dask":
        return scheduler or "local"
    if scheduler is not None:
        raise RequestError("a scheduler needs --backend dask", "scheduler")
    return None


def inputs_of(request: Any, kind: type, *, policies: bool = True) -> tuple[str, ...] | None:
    """Return the words that give another request the inputs of a request; None if one is standard input."""
    arguments, words = list[str](), list[str]()
    for bound in fields_of(kind):
        value = getattr(request, bound.name, bound.default)
        if value == bound.default or bound.field.kind == "python" or not (policies or bound.field.panel == INPUTS):
            continue
        if value == STANDARD:
            return None
        if bound.field.kind == "flag":
            words.append(bound.spellings[0])
            continue
        texts = [f"{value:.12g}" if isinstance(value, float) else str(value)]
        if isinstance(value, Mapping):
            texts = [f"{name}={entry}" for name, entry in value.items()]
        if isinstance(value, tuple):
            # A list of names or of counts is one text.
            texts = [",".join(map(str, value))] if bound.field.parse in (names_in, counts_of) else list(map(str, value))
        if bound.field.kind == "argument":
            arguments += texts
        else:
            words += [word for text in texts for word in (bound.spellings[0], text)]
    return (*arguments, *words)
