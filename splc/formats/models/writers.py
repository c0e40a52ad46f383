"""The writers of learned models by the suffix of the file; each module is imported on first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from splc.data.experiment import DEFAULT_METRIC
from splc.errors import OutputError
from splc.formats.models.entries import ModelFile

if TYPE_CHECKING:
    from splc.formats.models.stored_model import StoredModel


def models_log_text(content: ModelFile) -> str:
    """Return the only model of a file as a log."""
    from splc.formats.models.log_writer import learned_log_text, model_log_text

    if len(content.entries) > 1:
        raise OutputError("a log holds one model", hint="write .json, .txt, .py or .tex")
    (entry,) = content.entries
    if entry.below is not None:
        raise OutputError("a log cannot hold a model of two segments", hint="write it as .json, .txt or .py")
    if content.result is not None:
        return learned_log_text(content.result, test_errors=content.test_errors, companion=content.companion)
    return model_log_text(entry.model, nfp=None if entry.key[1] == DEFAULT_METRIC else entry.key[1])


def _json_text(content: ModelFile) -> str:
    from splc.formats.models.json_writer import models_json_text

    return models_json_text(content)


def _text(content: ModelFile) -> str:
    from splc.formats.models.text import models_text

    return models_text(content)


def _python_module(content: ModelFile) -> str:
    from splc.formats.models.python import python_module

    return python_module(content)


def _program_python(content: ModelFile) -> str:
    if content.result is None or content.result.scaling is not None:
        return _python_module(content)
    from splc.formats.models.programs.program_writers import python_text

    return python_text(stored_model_of(content))


def _program_json(content: ModelFile) -> str:
    from splc.formats.models.programs.program_writers import json_text

    return json_text(stored_model_of(content))


def stored_model_of(content: ModelFile) -> StoredModel:
    """Return the only model of a file as it is read again."""
    from splc.formats.models.stored_model import StoredModel
    from splc.learning.full_predictor import FullPredictor

    if len(content.entries) > 1:
        raise OutputError("a program predicts with one model", hint="write .json, .txt, .py or .tex")
    (entry,) = content.entries
    if entry.below is not None:
        raise OutputError("a program cannot have a model of two segments", hint="write it as .json, .txt or .py")
    nfp = None if entry.key[1] == DEFAULT_METRIC else entry.key[1]
    result = content.result
    if result is None:
        return StoredModel(entry.model, nfp)
    full_model = result.predictor if isinstance(result.predictor, FullPredictor) else None
    return StoredModel(
        entry.model,
        nfp,
        full=full_model,
        intervals=result.intervals,
        printed_intervals=result.printed_intervals,
        system=content.system,
        provenance=result.provenance,
    )


def _latex_table(content: ModelFile) -> str:
    from splc.formats.models.latex import latex_table

    return latex_table(content)


# To add a format that learned models are written in, add a line.
WRITERS: Mapping[str, Callable[[ModelFile], str]] = MappingProxyType(
    {
        ".json": _json_text,
        ".txt": _text,
        ".log": models_log_text,
        ".py": _program_python,
        ".program.json": _program_json,
        ".tex": _latex_table,
    }
)
