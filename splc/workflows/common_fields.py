"""Fields that several requests have, as annotated types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from splc.errors import RequestError
from splc.io.files import STANDARD
from splc.project import keys
from splc.types import Aggregate, Duplicates, Invalid
from splc.workflows.field_values import names_in, numbers_of, one_or_several, values_of
from splc.workflows.fields import Field, as_flag, as_option, fields_of

INPUTS = "Inputs (default: those of the current folder)"
POLICIES = "Problematic measurements"


def policy(name: str, panel: str = POLICIES, **settings: Any) -> Field:
    """Return the option of a policy about problematic measurements, which study files have as a key."""
    key = keys.POLICIES[name]
    return as_option(key.metavar, key.meaning, panel, **settings)


def columns(name: str, metavar: str, panel: str, **settings: Any) -> Field:
    """Return the repeated option of a role of columns, which project files have as a key."""
    return as_option(metavar, f"{keys.COLUMNS[name].meaning} Can be repeated.", panel, **settings)


def as_numbers(text: str, panel: str = "", **settings: Any) -> Field:
    """Return the repeated option of numbers by name."""
    return as_option("NAME=VALUE", text, panel, parse=numbers_of, repeated=True, **settings)


System = Annotated[str | None, as_option("FILE", keys.FILES["system"].meaning, INPUTS)]
MeasurementsFile = Annotated[
    str | tuple[str, ...] | None,
    as_option(
        "FILE", f"{keys.FILES['measurements'].meaning} Can be repeated.", INPUTS, parse=one_or_several, repeated=True
    ),
]
ParametersFile = Annotated[str | None, as_option("FILE", keys.FILES["parameters"].meaning, INPUTS)]
Nfp = Annotated[str | None, as_option("NAME", keys.INPUTS[keys.PROPERTY].meaning, INPUTS, names="--property --nfp")]
InvalidRows = Annotated[Invalid, policy("invalid")]
DuplicateRows = Annotated[Duplicates, policy("duplicates")]
Repetitions = Annotated[Aggregate | None, policy("aggregate", default="mean")]
OptionColumns = Annotated[
    tuple[str, ...], as_option("NAME,…", keys.COLUMNS["options"].meaning, INPUTS, parse=names_in, repeated=True)
]
ContextColumns = Annotated[tuple[str, ...], columns("contexts", "COLUMN,…", POLICIES)]
IgnoredColumns = Annotated[tuple[str, ...], columns("ignore", "COLUMN,…", POLICIES)]
NoConstraints = Annotated[bool, as_flag("--no-constraints", "Infer no constraints from a table.", INPUTS)]
Seed = Annotated[int, as_option("N", "The seed of random draws.", minimum=0)]
Sampling = Annotated[str | None, as_option("SPEC", "The sampling: 'pb:9,3', 'pairwise+ff', …")]
SelectedRows = Annotated[Mapping[str, str], columns("where", "COLUMN=VALUE", POLICIES, parse=values_of, repeated=True)]
FixedValues = Annotated[
    tuple[str, ...],
    as_option("NAME=VALUE", "A value that the configurations must have: 'tls=1', 'tls', 'x=4'. Can be repeated."),
]
Printed = Annotated[bool, as_flag("--printed", "Predict with the printed model although the file has the full one.")]
By = Annotated[
    str | None,
    as_option(
        "COLUMN",
        "Do this for each value of this context (version, machine). Files are written per value: the value replaces {} "
        "in the name, or is added to it.",
        POLICIES,
    ),
]


def scheduler_of(backend: str, scheduler: str | None) -> str | None:
    """Return the dask scheduler of a request, `local` to start one here, or None without dask."""
    if backend == "dask":
        return scheduler or "local"
    if scheduler is not None:
        raise RequestError("a scheduler needs --backend dask", "scheduler")
    return None


def inputs_of(request: Any, kind: type, *, policies: bool = True) -> tuple[str, ...] | None:
    """Return the options that give another request the inputs of a request; None if one is standard input."""
    words: list[str] = []
    for bound in fields_of(kind):
        value = getattr(request, bound.name, bound.default)
        if value == bound.default or not (policies or bound.field.panel == INPUTS):
            continue
        if value == STANDARD:
            return None
        if bound.field.kind == "flag":
            words.append(bound.spellings[0])
            continue
        texts = [f"{name}={entry}" for name, entry in value.items()] if isinstance(value, Mapping) else [str(value)]
        if isinstance(value, tuple):
            # A list of names is one text.
            texts = [",".join(value)] if bound.field.parse is names_in else list(map(str, value))
        words += [word for text in texts for word in (bound.spellings[0], text)]
    return tuple(words)
