"""The state of a run of scripts: what scripts share, and what each of them has of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sampling import Space
from splc.data.measurements import Measurements
from splc.errors import LearningError, MeasurementError
from splc.formats.scripts.strategies import Sampling
from splc.learning.result import LearningResult
from splc.types import Array


@dataclass(frozen=True, eq=False)
class Learned:
    """A model that a script learned.

    Attributes:
        script: the script.
        line: the line of the command.
        command: the command.
        nfp: the property.
        sampling: the samplings of the learning set, as the script has them.
        result: the result.
        errors: the mean relative error in percent after each round, on the evaluation set or else on all measurements.
        validation: the number of configurations that candidates were judged by.
        log: the log that has the rounds, None without one.
    """

    script: str
    line: int
    command: str
    nfp: str
    sampling: tuple[str, ...]
    result: LearningResult
    errors: tuple[float | None, ...]
    validation: int
    log: str | None = None

    @property
    def error(self) -> float | None:
        """The error of the model."""
        return self.errors[-1] if self.errors else None


@dataclass(frozen=True, eq=False)
class Shared:
    """The state that a script shares with the scripts that it calls.

    Attributes:
        space: the valid configurations of the system, None without a system.
        system_file: the file of the system.
        measured: the measurements, None without any.
        evaluation: the evaluation set, None without one.
        nfp: the property that the script names, None if it names none.
        model: the model that was learned last, None without one.
        order: the order of options in printed configurations; empty: that of the system.
    """

    space: Space | None = None
    system_file: str = ""
    measured: Measurements | None = None
    evaluation: Measurements | None = None
    nfp: str | None = None
    model: Learned | None = None
    order: tuple[str, ...] = ()

    @property
    def known_space(self) -> Space:
        """The valid configurations of the system.

        Raises:
            LearningError: without a system.
        """
        if self.space is None:
            raise LearningError("there is no system", hint="the command vm reads one")
        return self.space

    @property
    def known_measured(self) -> Measurements:
        """The measurements.

        Raises:
            MeasurementError: without measurements.
        """
        if self.measured is None:
            raise MeasurementError("there are no measurements", hint="the command all reads them")
        return self.measured

    @property
    def known_nfp(self) -> str:
        """The property: the one that the script names, or the only one.

        Raises:
            MeasurementError: if it is unknown, or there are several and none is named.
        """
        return self.known_measured.resolve_property(self.nfp)

    @property
    def known_model(self) -> Learned:
        """The model that was learned last.

        Raises:
            LearningError: without a model.
        """
        if self.model is None:
            raise LearningError("no model is learned", hint="the command learn-splconqueror learns one")
        return self.model


@dataclass(frozen=True)
class Own:
    """The state that a script does not share with the scripts that it calls.

    Attributes:
        settings: the settings that differ from the defaults, as texts.
        samplings: the samplings that were chosen.
        everything: whether all measurements are learned from.
    """

    settings: Mapping[str, str] = field(default_factory=dict)
    samplings: tuple[Sampling, ...] = ()
    everything: bool = False


@dataclass(frozen=True, eq=False)
class State:
    """The state after a command."""

    shared: Shared = field(default_factory=Shared)
    own: Own = field(default_factory=Own)


@dataclass(frozen=True, eq=False)
class MatchedRows:
    """The measured configurations to learn from.

    Attributes:
        rows: the positions of the learning set.
        validation: the positions of the configurations that candidates are judged by; None: the learning set.
        notes: the sampled configurations that were replaced or left out.
    """

    rows: Array
    validation: Array | None = None
    notes: tuple[str, ...] = ()
