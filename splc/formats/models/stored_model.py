"""A model with the facts that its file states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from splc.data.property_unit import unit_in_name
from splc.formats.models.columns import LearnedColumns
from splc.learning.contexts.unmeasured_context import UnmeasuredContext
from splc.learning.projection import Ensemble
from splc.learning.result import Intervals, Predictor
from splc.models.influence import InfluenceModel
from splc.system.variability import VariabilityModel

# The options of a term → the number of folds whose own models have a term of the same options, None if unknown.
Support = Mapping[frozenset[str], int | None]


@dataclass(frozen=True)
class StoredModel:
    """A model with the facts that its file states."""

    model: InfluenceModel  # the performance-influence model; where there is a full model, the printed one
    nfp: str | None = None  # the property that it was learned from, None if the file does not name it
    # 'log', 'json' or 'text'. A model text is an analytical model: an expert wrote it.
    kind: Literal["log", "json", "text"] = "text"
    used: frozenset[str] = frozenset()  # the parameters that a model text uses
    name: str = ""  # a name in messages and tables: the file, with a number for one of several models
    file: str | None = None  # the file, None for a model that was not read from one
    sha256: str = ""  # the hash of the file's content
    full: Predictor | None = None  # the full model, which predicts; None if the file has none
    intervals: Intervals | None = None  # the prediction intervals of what predicts, None if the file has none
    printed_intervals: Intervals | None = None  # those of the printed model, None if the file has none
    notes: tuple[str, ...] = ()  # what is unusual about the file
    # the roles of columns in the measurements that it was learned from, as far as the file states them
    columns: LearnedColumns = field(default_factory=LearnedColumns)
    system: VariabilityModel | None = None  # the system that it was learned from, None if the file does not describe it
    # what produced it, as far as the file states it
    provenance: Mapping[str, Any] = field(default_factory=dict, hash=False)
    # the support of the terms of the printed model; empty if the file does not state it
    support: Support = field(default_factory=dict, hash=False)
    folds: int = 0  # the number of folds that support is counted in
    unused: str = ""  # why a full model that was written with the file is not used, empty otherwise
    companion: str | None = None  # the JSON file that was written with a log, None if it is not used
    stated_unit: str | None = None  # the unit of the property, None if the file does not state it
    # the error to expect, as `splc learn --json` has it; empty if the file does not state it
    expected_error: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def unit(self) -> str | None:
        """The unit of the property: the one that the file states, else the one in the name of the property."""
        return self.stated_unit or (None if self.nfp is None else unit_in_name(self.nfp))

    @property
    def basis_of_unmeasured(self) -> str:
        """The kind of prediction for a value of a context of which nothing was measured; empty for other models."""
        if isinstance(self.full, UnmeasuredContext):
            return "the order of configurations is predicted, not the level"
        block = self.full.basis.context if isinstance(self.full, Ensemble) else None
        return "it is predicted as a number" if block is not None and block.unmeasured else ""

    @property
    def predictor(self) -> Predictor:
        """The full model, or else the performance-influence model."""
        return self.model if self.full is None else self.full

    @property
    def printed(self) -> StoredModel:
        """The model without its full model: the printed one predicts, with its own intervals."""
        if self.full is None:
            return replace(self, unused="")
        return replace(self, full=None, intervals=self.printed_intervals, unused="")
