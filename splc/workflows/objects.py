"""JSON objects that several verbs have: files, inferred descriptions, failures, and configurations."""

from __future__ import annotations

import math

from splc.data.configurations import Configurations
from splc.data.failures import FailureRule
from splc.io.json_object import JsonObject, at, count, each

OptionValues = dict[str, float | None]


class FileObject(JsonObject):
    """A file that was read, with the hash of its content."""

    path: str | None
    sha256: str | None


class InferredConstraintObject(JsonObject):
    """A constraint that all rows of a table satisfy.

    `rows` is the number of distinct rows that could have contradicted it, `expected` how many would contradict it if
    the options were independent.
    """

    text: str = at(str)
    kind: str
    rows: int
    expected: float


class InferenceObject(JsonObject):
    """A system description that was inferred from a table."""

    source: str = at("system.source")
    binary_options: list[str] = each("system.binary_options", "name")
    numeric_options: dict[str, list[float]] = at(
        lambda result: {option.name: option.values for option in result.system.numeric_options}
    )
    alternative_groups: list[list[str]] = at("system.alternative_groups")
    uncertain_groups: list[list[str]] = at("uncertain")
    properties: list[str]
    contexts: list[str]
    ignored: dict[str, str]
    assumptions: list[str]
    constraints: list[InferredConstraintObject] = at("mined.constraints")
    unseen: list[InferredConstraintObject] = at("mined.unseen")


class FailuresObject(JsonObject):
    """The configurations that never worked, and the combinations of values of which every run failed."""

    configurations: int = count("configurations")
    runs: int = at(lambda failures: int(failures.runs.sum()))
    rules: list[FailureRule]


def option_values(configuration: Configurations) -> dict[str, float | int | None]:
    """Return option → value of one configuration: a whole number where it is one, None where it is deselected."""
    return {
        name: None if math.isnan(value) else int(value) if value.is_integer() else value
        for name, value in configuration.assignment(0).items()
    }
