"""Models in files: how each format of models is read and written, with one signature for all of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from splc.formats.models.columns import LearnedColumns
from splc.formats.models.json import parse_stored_json
from splc.formats.models.json_writer import model_json_text
from splc.formats.models.log_reader import WhichRound, parse_stored_log
from splc.formats.models.text import model_text_file, parse_stored_text, with_link
from splc.io.files import Source
from splc.learning.result import Intervals
from splc.models.influence import InfluenceModel
from splc.models.parameters import Parameters
from splc.system.variability import VariabilityModel


@dataclass(frozen=True)
class StoredModel:
    """A model and what its file says about it.

    Attributes:
        model: the model.
        nfp: the property that it was learned from, None if the file does not name it.
        kind: 'log', 'json' or 'text'. A model text is an analytical model: an expert wrote it.
        used: the parameters that a model text uses.
        name: a name in messages and tables: the file, with a number for one of several models.
        file: the file, None for a model that was not read from one.
        sha256: the hash of the file's content.
        intervals: its prediction intervals, None if the file has none.
        notes: what is unusual about the file.
        columns: the roles of columns in the measurements that it was learned from, as far as the file states them.
    """

    model: InfluenceModel
    nfp: str | None = None
    kind: Literal["log", "json", "text"] = "text"
    used: frozenset[str] = frozenset()
    name: str = ""
    file: str | None = None
    sha256: str = ""
    intervals: Intervals | None = None
    notes: tuple[str, ...] = ()
    columns: LearnedColumns = field(default_factory=LearnedColumns)


@dataclass(frozen=True)
class ReadOptions:
    """Options of the reader of models.

    Attributes:
        parameters: the machine parameters of model text.
        round: which round of a log: 'last', 'best' or a number.
        learning: which learning of a log: 1, 2, …; None is the last, 0 all.
        symbols: the parameters that stay names in the terms of model text.
    """

    parameters: Mapping[str, float] | Parameters | None = None
    round: WhichRound = "last"
    learning: int | None = None
    symbols: Collection[str] = ()


def read_json(source: Source, system: VariabilityModel | None, options: ReadOptions) -> list[StoredModel]:
    """Read the model of a JSON file."""
    del options
    model, nfp, intervals, columns, notes = parse_stored_json(source, system)
    return [StoredModel(model, nfp, "json", intervals=intervals, columns=columns, notes=notes)]


def read_log(source: Source, system: VariabilityModel | None, options: ReadOptions) -> list[StoredModel]:
    """Read the models of a log."""
    found = parse_stored_log(source, system, options.round, options.learning)
    return [StoredModel(each.model, each.nfp, "log", notes=each.notes, columns=each.columns) for each in found]


def read_text(source: Source, system: VariabilityModel | None, options: ReadOptions) -> list[StoredModel]:
    """Read the model of a model text."""
    model, used = parse_stored_text(source, system, options.parameters, options.symbols)
    return [StoredModel(with_link(model), used=used)]


def json_text(model: InfluenceModel, base: str, nfp: str | None) -> str:
    """Return a model as JSON."""
    del base
    return model_json_text(model, nfp)


def plain_text(model: InfluenceModel, base: str, nfp: str | None) -> str:
    """Return a model as model text."""
    del base, nfp
    return model_text_file(model)
