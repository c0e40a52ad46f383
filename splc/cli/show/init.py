"""The output of `splc init`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from splc.formats.measurements.inference import Inference
    from splc.workflows.init import Result


def as_json(result: Result) -> dict[str, Any]:
    """Return the content of the JSON object."""
    from splc.io.files import STANDARD

    return {
        **inference_json(result.inference),
        "name": result.inference.system.name,
        "differences": list(result.differences),
        "output": None if result.output == STANDARD else result.output,
        "notes": [note.text for note in result.notes],
    }


def inference_json(inference: Inference) -> dict[str, Any]:
    """Return the JSON object of an inferred description."""
    system = inference.system
    return {
        "source": system.source,
        "binary_options": [option.name for option in system.binary_options],
        "numeric_options": {option.name: option.values for option in system.numeric_options},
        "alternative_groups": system.alternative_groups,
        "uncertain_groups": inference.uncertain,
        "properties": inference.properties,
        "contexts": inference.contexts,
        "ignored": dict(inference.ignored),
        "assumptions": inference.assumptions,
    }
