"""A model with everything that a report shows of it: its file, its system, its measurements, and its explanation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from sampling import Space
from splc.data.accuracy import signed_errors
from splc.data.configurations import Configurations, describe_configuration
from splc.data.measurements import Measurements
from splc.data.property_unit import quantity, titled
from splc.data.table import assignment_texts, text_values
from splc.errors import ConfigurationError, SpaceError, SplcError
from splc.formats.models.stored_model import StoredModel
from splc.learning.folds import MOST_JUDGED, JudgedRows
from splc.learning.projection import Ensemble
from splc.types import Array
from splc.workflows import optimize
from splc.workflows.explain.importance import Overview
from splc.workflows.note import Note, Notes
from splc.workflows.subspace import known_failures
from splc.workflows.views import UNWATCHED, Watch

UNNAMED = "performance"  # the word for what a model is about if neither its file nor the user names the property
TOP = 5  # the number of best configurations that are listed


@dataclass(frozen=True, eq=False)
class MeasuredRows:
    """Measured configurations with their predictions."""

    configurations: Configurations  # the configurations, n of them
    measured: Array  # the measured values, shape (n,)
    predicted: Array  # predictions, (n,): of rows learned from without their own values, where the model allows that
    learned: Array  # which of them were learned from, shape (n,)
    held_out: bool  # whether predictions of rows that were learned from are without their own values

    def __len__(self) -> int:
        return len(self.measured)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Each configuration as text."""
        return tuple(describe_configuration(self.configurations, row) for row in range(len(self)))

    @cached_property
    def errors(self) -> Array:
        """The relative errors in percent, with the sign of prediction − measurement, NaN for 0, shape (n,)."""
        return signed_errors(self.predicted, self.measured)


@dataclass(frozen=True, eq=False)
class ModelSubject:
    """A model with everything that a report shows of it."""

    file: str  # the file of the model
    stored: StoredModel  # the model
    space: Space  # the valid configurations of its system
    overview: Overview  # the importance of options
    measurements: Measurements | None = None  # the measurements, None where they are not there
    notes: Sequence[str] = ()  # what is unusual about the files
    content: Mapping[str, Any] = field(default_factory=dict)  # what the model's file says: errors, estimates, path

    @property
    def nfp(self) -> str:
        """The property."""
        return self.stored.nfp or UNNAMED

    @property
    def product(self) -> bool:
        """True if the printed model is a product."""
        return self.stored.model.link == "log"

    @property
    def quantity(self) -> str:
        """The property with its unit, for axes."""
        return titled(self.nfp, self.stored.unit)

    def value_text(self, value: float, digits: int = 4) -> str:
        """Return a value of the property with a readable unit."""
        return quantity(value, self.stored.unit, digits)

    def named(self, text: str) -> str:
        """Return a text with values (`codec=zlib`) instead of the options that stand for them."""
        if self._values is None:
            return text
        pattern, values = self._values
        return pattern.sub(lambda match: values[match["name"]], text)

    @cached_property
    def _values(self) -> tuple[re.Pattern[str], dict[str, str]] | None:
        """The options that stand for values, longer names first, and the texts of these; None without any."""
        values = {name: "=".join(value) for name, value in text_values(self.space.system).items()}
        names = "|".join(map(re.escape, sorted(values, key=len, reverse=True)))
        return (re.compile(rf"(?<![\w.])(`?)(?P<name>{names})\1(?![\w.])"), values) if values else None

    @property
    def title(self) -> str:
        """The system, the property and the contexts."""
        contexts = [f"{name} = {value}" for name, value in self.stored.contexts.items()]
        return ", ".join([f"{self.space.system.name}: {self.nfp}", *contexts])

    @cached_property
    def valid_configurations(self) -> int | None:
        """The number of valid configurations, None where the constraints are too complex."""
        try:
            return self.space.count
        except SpaceError:
            return None

    @cached_property
    def rows(self) -> MeasuredRows | None:
        """The measured configurations; None if neither the table nor the model has them."""
        learned = self._learned
        if self.shown is None:
            return learned
        configurations, values = self.shown.configurations, self.shown[self.nfp]
        predicted = np.array(self.stored.predictor.predict(configurations))
        mask = np.zeros(len(values), dtype=bool)
        if learned is not None:
            rows = learned.configurations.find(configurations)
            mask = rows >= 0
            predicted[mask] = learned.predicted[rows[mask]]
        return MeasuredRows(configurations, values, predicted, mask, learned is not None)

    @cached_property
    def shown(self) -> Measurements | None:
        """The measurements that the page shows, each row as text: all with a value, or as many as judge a model."""
        if self.measurements is None or self.nfp not in self.measurements.values:
            return None
        measured, learned = self.measurements.measured(self.nfp), np.zeros(0, dtype=int)
        if self._learned is not None:
            learned = measured.configurations.find(self._learned.configurations)
        places = JudgedRows.of(measured, self.nfp, learned[learned >= 0], limit=MOST_JUDGED).places
        return measured if len(places) == len(measured) else measured[places]

    @cached_property
    def _learned(self) -> MeasuredRows | None:
        """Return the configurations that the full model was learned from, each predicted without its own value.

        None if their system has other options.
        """
        full = self.stored.full
        if not isinstance(full, Ensemble) or not full.parts:
            return None
        scale, rows = full.scale, full.own
        try:
            configurations, kept = full.configurations[rows].within(self.space.system)
        except ConfigurationError:
            return None
        rows = rows[kept]
        t = np.mean([part.left_out for part in full.parts], axis=0)
        t = t if full.stacked is None else full.stacked.mixed(t, full.stacked.held_out)
        predicted = scale.backward(t[rows]) * scale.unit
        every = np.ones(len(predicted), dtype=bool)
        return MeasuredRows(configurations, full.measured[rows], predicted, every, held_out=True)


def differing_texts(rows: Iterable[tuple[Configurations, int]]) -> tuple[list[str], tuple[str, ...]]:
    """Return configurations as texts of what differs among them, and a text of what several of them have alike."""
    texts = [[*assignment_texts(part.system, part.assignment(row)).values()] for part, row in rows]
    alike = [text for text in texts[0] if all(text in other for other in texts)] if len(texts) > 1 else []
    differing = [", ".join(text for text in row if text not in alike) or "(nothing else)" for row in texts]
    return differing, (f"All of these have {', '.join(alike)}.",) if alike else ()


def best_of(
    subject: ModelSubject, notes: Notes, *, maximize: bool = False, watch: Watch = UNWATCHED
) -> optimize.Result | None:
    """Return the best configurations; None, and a note, if they cannot be found."""
    stored, space = subject.stored, subject.space
    failures = known_failures(subject.measurements, [stored.provenance], space.system)
    objective = optimize.Objective(subject.nfp, space.system, stored, maximize=maximize, failures=failures)
    if subject.measurements is not None and subject.nfp in subject.measurements.values:
        objective = optimize.with_values(objective, subject.measurements, subject.nfp)
    try:
        return optimize.best_configurations([objective], space, top=TOP, watch=watch)
    except SplcError as error:
        notes.append(Note(f"the report has no best configurations: {error}"))
        return None
