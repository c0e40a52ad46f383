"""One printed model of all values of a context: the terms that they share, and those that differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.learning.contexts.joint_model import ContextRows
from splc.system.definition import with_alternatives
from splc.types import Array
from splc.workflows import learn

# The name of its file, instead of a value.
SHARED = "shared"
# With more values, most terms would be about single values.
MAX_VALUES = 10


@dataclass(frozen=True, eq=False)
class SharedModel:
    """One printed model of all values of a context, which is one more alternative group in it.

    Attributes:
        result: the model.
        options: value → its option in the model.
    """

    result: learn.Result
    options: Mapping[str, str]

    @property
    def differing(self) -> int:
        """The number of terms that are about single values."""
        names = {*self.options.values()}
        return sum(not names.isdisjoint(term.options) for term in self.result.result.terms)


def shared_model(
    request: learn.Request, parts: Mapping[str, ContextRows], by: str, nfp: str, output: str | None
) -> SharedModel:
    """Learn one model of the rows of all values, and write it.

    Args:
        request: the request of the values.
        parts: value → its rows.
        by: the context.
        nfp: the property.
        output: the file.
    """
    measured, options = pooled_rows(parts, by, nfp)
    requested = replace(
        request,
        nfp=nfp,
        output=output,
        companion=False,
        plot=None,
        sources=(),
        sampling=None,
        binary=None,
        numeric=None,
        evaluate_on=None,
        validation=None,
        baselines=False,
        folds=0,
    )
    return SharedModel(learn.run(requested, given=measured), options)


def pooled_rows(parts: Mapping[str, ContextRows], by: str, nfp: str) -> tuple[Measurements, dict[str, str]]:
    """Return the rows of all values with the context as an alternative group, and the options of the values."""
    every = Configurations.concatenate([part.configurations for part in parts.values()])
    places = np.repeat(np.arange(len(parts)), [len(part.configurations) for part in parts.values()])
    joint = with_context(every, by, tuple(parts), places)
    children = [option.name for option in joint.system.binary_options if option.parent == by]
    values = np.concatenate([part.y for part in parts.values()])
    return Measurements(joint, {nfp: values}), dict(zip(parts, children, strict=True))


def with_context(configurations: Configurations, by: str, values: Sequence[str], places: Array) -> Configurations:
    """Return configurations with the context as one more alternative group.

    Args:
        configurations: n configurations.
        by: the context.
        values: its values.
        places: which of them each configuration has, shape (n,).
    """
    system = configurations.system
    joint = replace(system, options=with_alternatives(system.options, by, values))
    columns = {**configurations.to_columns(), by: np.array(values, dtype=object)[places]}
    return Configurations.from_columns(joint, columns)
