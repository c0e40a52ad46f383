"""JSON objects that several verbs have: files, inferred descriptions, failures, and configurations."""

from __future__ import annotations

import math
from typing import Any

from splc.data.configurations import Configurations
from splc.data.measurements import Failures
from splc.formats.inference import Inference
from splc.io.json import picked


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
