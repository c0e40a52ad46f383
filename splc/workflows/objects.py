"""JSON objects that several verbs have: files, inferred descriptions, failures, and configurations."""

from __future__ import annotations

import math
from typing import Any

from splc.data.configurations import Configurations
from splc.data.failures import FailureRule, Failures
from splc.formats.measurements.inference import Inference
from splc.io.json import picked
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


def inference_as_json(inference: Inference) -> dict[str, Any]:
    """Return the JSON object of a system description that was inferred from a table.

    In those of constraints, `rows` is the number of distinct rows that could have contradicted it, `expected` how many
    would contradict it if the options were independent.
    """
    system = inference.system
    mined = {
        key: [{"text": str(constraint), **picked(constraint, "kind, rows, expected")} for constraint in constraints]
        for key, constraints in (("constraints", inference.mined.constraints), ("unseen", inference.mined.unseen))
    }
    return {
        "source": system.source,
        "binary_options": [option.name for option in system.binary_options],
        "numeric_options": {option.name: option.values for option in system.numeric_options},
        "alternative_groups": system.alternative_groups,
        "uncertain_groups": inference.uncertain,
        **picked(inference, "properties, contexts, ignored, assumptions"),
        **mined,
    }


def failures_as_json(failures: Failures | None) -> dict[str, Any] | None:
    """Return the JSON object of the configurations that never worked, and of the combinations that always fail."""
    if failures is None:
        return None
    return {
        "configurations": len(failures.configurations),
        "runs": failures.runs.sum(),
        "rules": failures.rules,
    }


def option_values(configuration: Configurations) -> dict[str, float | int | None]:
    """Return option → value of one configuration: a whole number where it is one, None where it is deselected."""
    return {
        name: None if math.isnan(value) else int(value) if value.is_integer() else value
        for name, value in configuration.assignment(0).items()
    }
