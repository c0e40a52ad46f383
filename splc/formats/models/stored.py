"""Readers and writers of all formats of models, with one signature."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from splc.formats.models.json import parse_stored_json
from splc.formats.models.json_writer import stored_json_text
from splc.formats.models.log_reader import WhichRound, parse_stored_log
from splc.formats.models.stored_model import StoredModel
from splc.formats.models.text import model_text_file, parse_stored_text, with_link
from splc.io.files import Source
from splc.models.parameters import Parameters
from splc.system.variability import VariabilityModel

__all__ = ["ReadOptions", "StoredModel", "json_text", "log_text", "plain_text", "read_json", "read_log", "read_text"]


@dataclass(frozen=True)
class ReadOptions:
    """Options of the reader of models."""

    parameters: Mapping[str, float] | Parameters | None = None  # the machine parameters of model text
    round: WhichRound = "last"  # which round of a log: 'last', 'best' or a number
    learning: int | None = None  # which learning of a log: 1, 2, …; None is the last, 0 all
    symbols: Collection[str] = ()  # the parameters that stay names in the terms of model text


def read_json(source: Source, system: VariabilityModel | None, options: ReadOptions) -> list[StoredModel]:
    """Read the model of a JSON file."""
    del options
    return [parse_stored_json(source, system)]


def read_log(source: Source, system: VariabilityModel | None, options: ReadOptions) -> list[StoredModel]:
    """Read the models of a log."""
    logged_models = parse_stored_log(source, system, options.round, options.learning)
    return [
        StoredModel(logged.model, logged.nfp, "log", notes=logged.notes, columns=logged.columns)
        for logged in logged_models
    ]


def read_text(source: Source, system: VariabilityModel | None, options: ReadOptions) -> list[StoredModel]:
    """Read the model of a model text."""
    model, used_parameters = parse_stored_text(source, system, options.parameters, options.symbols)
    return [StoredModel(with_link(model), used=used_parameters)]


def json_text(stored: StoredModel, base: str) -> str:
    """Return a model as JSON."""
    del base
    return stored_json_text(stored)


def log_text(stored: StoredModel, base: str) -> str:
    """Return a model as a log."""
    from splc.formats.models.log_writer import model_log_text

    return model_log_text(stored.model, base, stored.nfp)


def plain_text(stored: StoredModel, base: str) -> str:
    """Return a model as model text."""
    del base
    return model_text_file(stored.model)
