"""The writers of learned models by the suffix of the file; each module is imported on first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from types import MappingProxyType

from splc.data.experiment import DEFAULT_METRIC
from splc.errors import OutputError
from splc.formats.models.entries import ModelFile


def models_log_text(content: ModelFile) -> str:
    """Return the only model of a file as a log."""
    from splc.formats.models.log_writer import learned_log_text, model_log_text

    if len(content.entries) > 1:
        raise OutputError("a log holds one model", hint="write .json, .txt, .py or .tex")
    (entry,) = content.entries
    if entry.below is not None:
        raise OutputError("a log cannot hold a model of two segments", hint="write it as .json, .txt or .py")
    if content.result is not None:
        return learned_log_text(content.result, test_errors=content.test_errors)
    return model_log_text(entry.model, nfp=None if entry.key[1] == DEFAULT_METRIC else entry.key[1])


def _text(name: str, content: ModelFile) -> str:
    """Return the text that `module:function` writes."""
    module, _, function = name.partition(":")
    text: str = getattr(import_module(f"splc.formats.models.{module}"), function)(content)
    return text


# To add a format that learned models are written in, add a line.
WRITERS: Mapping[str, Callable[[ModelFile], str]] = MappingProxyType(
    {
        ".json": partial(_text, "json_writer:models_json_text"),
        ".txt": partial(_text, "text:models_text"),
        ".log": models_log_text,
        ".py": partial(_text, "python:python_module"),
        ".tex": partial(_text, "latex:latex_table"),
    }
)
