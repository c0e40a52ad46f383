"""The writers of models, one for each format (see `splc.formats.registry`); other modules are imported on first use."""

from __future__ import annotations

from splc.errors import OutputError
from splc.formats.models.stored_model import ModelFile, StoredModel
from splc.system.variability import ROOT


def json_text(content: ModelFile, base: str = ROOT) -> str:
    """Return models as JSON."""
    from splc.formats.models.json_writer import models_json_text

    del base
    return models_json_text(content)


def plain_text(content: ModelFile, base: str = ROOT) -> str:
    """Return models as model text."""
    from splc.formats.models.text import model_text_file, models_text

    del base
    return models_text(content) if content.about else model_text_file(content.models[0].model)


def log_text(content: ModelFile, base: str = ROOT) -> str:
    """Return a model as a log; `base`: the option that represents the constant."""
    from splc.formats.models.log_writer import learned_log_text, model_log_text

    stored = _only(content, "a log holds", "a log cannot hold")
    if stored.result is not None:
        return learned_log_text(stored.result, test_errors=content.test_errors, companion=content.companion)
    return model_log_text(stored.model, base, stored.nfp)


def python_text(content: ModelFile, base: str = ROOT) -> str:
    """Return models as a Python module: a program, or functions of scaling models."""
    del base
    if any(stored.scaling is not None for stored in content.models):
        from splc.formats.models.python import python_module

        return python_module(content)
    from splc.formats.models.programs.program import program_of
    from splc.formats.models.programs.python_program import python_program

    return python_program(program_of(_only(content, "a program predicts with", "a program cannot have")))


def program_text(content: ModelFile, base: str = ROOT) -> str:
    """Return a model as the JSON of its program."""
    from splc.formats.models.programs import program_text
    from splc.formats.models.programs.program import program_of

    del base
    return program_text.program_text(program_of(_only(content, "a program predicts with", "a program cannot have")))


def latex_text(content: ModelFile, base: str = ROOT) -> str:
    """Return models as a table in LaTeX."""
    from splc.formats.models.latex import latex_table

    del base
    return latex_table(content)


def _only(content: ModelFile, holds: str, cannot: str) -> StoredModel:
    """Return the only model of a file, which has one segment."""
    if len(content.models) > 1:
        raise OutputError(f"{holds} one model", hint="write .json, .txt, .py or .tex")
    if content.models[0].lower is not None:
        raise OutputError(f"{cannot} a model of two segments", hint="write it as .json, .txt or .py")
    return content.models[0]
