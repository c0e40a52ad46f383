"""The settings of a study: inputs, samplings, seeds, learners, and how models are compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from splc.formats.measurements.columns import ColumnChoice
from splc.learning.registry import DEFAULT
from splc.project.keys import FILES, PROPERTY
from splc.study.reference import Reference

if TYPE_CHECKING:
    from splc.learning import learner
    from splc.project import Project
    from splc.types import Aggregate, Duplicates, Invalid, Missing


@dataclass(frozen=True)
class StudyLearner:
    """A learner with its settings.

    Attributes:
        name: its name in tables and files.
        kind: its name in the table of learners (`splc.learning.registry`).
        preset: the settings that it starts from.
        settings: those that differ, by name.
        observed: observed variables to learn from, as names or patterns (`splc learn --observed`).
        parts: the parts whose models are added up (`splc learn --sum`); empty: the property is learned as a whole.
    """

    name: str = "default"
    kind: str = DEFAULT
    preset: str = "default"
    settings: Mapping[str, Any] = field(default_factory=dict)
    observed: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()

    def resolved(self) -> learner.Learner:
        """Return the learner with all its settings.

        Raises:
            SpecError: for an unknown learner, preset or setting.
        """
        from splc.learning.registry import learner_of

        return learner_of(self.kind, self.preset, self.settings)


@dataclass(frozen=True)
class Study:
    """The content of a study file.

    Attributes:
        path: the study file.
        given: those of `system`, `measurements`, `property`, `analytical`, `parameters` that the file states; paths
            are relative to the file.
        samplings: sampling specs in canonical spelling, distinct, at least one.
        seeds: the seeds of random draws, distinct, at least one.
        learners: the learners, None: one with the settings of the project's `[learning]`.
        scale: a factor on the analytical model.
        at: expression of tabled parameters → the value whose row is their number in terms.
        constant: whether the constant takes part in the syntactic comparison.
        measures: further measures.
        missing: what happens to a sampled configuration that was not measured; with 'error' the run fails, and its
            record has the reason.
        columns: the roles of columns of the measurements.
        by: the context that a study is done of each value of; None is none.
        invalid: see `Project.measurements`; so `duplicates`, `aggregate`.
        duplicates: see `invalid`.
        aggregate: see `invalid`.
        reference: published values to show beside ours.
        lines: key → its line in the file, for messages.
    """

    path: Path
    samplings: tuple[str, ...]
    seeds: tuple[int, ...] = (0,)
    given: Mapping[str, str] = field(default_factory=dict)
    learners: tuple[StudyLearner, ...] | None = None
    scale: float = 1.0
    at: Mapping[str, float] = field(default_factory=dict)
    constant: bool = True
    measures: tuple[str, ...] = ()
    missing: Missing = "error"
    columns: ColumnChoice = field(default_factory=ColumnChoice)
    by: str | None = None
    invalid: Invalid = "error"
    duplicates: Duplicates = "error"
    aggregate: Aggregate = "mean"
    reference: Reference = field(default_factory=Reference)
    lines: Mapping[str, int] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """The folder of the study file."""
        return self.path.parent

    def project(self) -> Project:
        """Return the project of the study's folder, with the inputs that the study file states.

        Raises:
            InputError: if its `splc.toml` is wrong.
        """
        from splc.project import Project

        files: dict[str, Any] = {key: str(self.folder / self.given[key]) for key in FILES if key in self.given}
        return Project.load(self.folder, nfp=self.given.get(PROPERTY), columns=self.columns, **files)
