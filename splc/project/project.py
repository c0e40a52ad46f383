"""The inputs of a project folder, read."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from splc.errors import InputError, MeasurementError, Problem, SpaceError, SplcError, unknown_name_hint
from splc.project.files import ProjectFile, ProjectFiles
from splc.project.keys import PROPERTY
from splc.system.variability import VariabilityModel, joint_system

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sampling.space.space import Space
    from splc.data.configurations import Configurations
    from splc.data.measurements import Measurements
    from splc.formats.column_choice import ColumnChoice
    from splc.formats.inference import Inference
    from splc.formats.measurements.rows import Policy
    from splc.formats.table import TableSource
    from splc.io.files import Source
    from splc.models.parameters import Parameters
    from splc.types import Array


@dataclass(frozen=True)
class Project(ProjectFiles):
    """The inputs of one system, found and read when they are asked for."""

    learned: ColumnChoice | None = None  # column roles of the table that a model was learned from, to infer a system
    learned_nfp: str | None = None  # the property of this model, which the measurements may lack
    learned_system: VariabilityModel | None = None  # the system of a model, used instead of the folder's
    measured: bool | None = True  # whether a table must have a measured column; None: it may lack one

    def with_system_of_model(self, systems: Sequence[VariabilityModel], *, every: bool = True) -> Project:
        """Return the project with the systems of models, as far as their files describe them.

        It is not that of models if options name another one. `every`: whether all models have one; others may use
        further options, which the system of the folder has.
        """
        joint = joint_system(systems) if systems and not self.names_system else None
        if joint is None:
            return self
        project = replace(self, learned_system=joint)
        with suppress(SplcError):
            if self.has_system:
                own = self.variability_model(observed=False)
                if not all(option.name in own.spellings for option in joint.options):
                    # Its settings and measurements belong to another system.
                    project = replace(project, file=ProjectFile(), foreign=True)
                # The values of observed variables are in the folder.
                elif own == joint or joint.observed or not every:
                    return self
        with suppress(SplcError):
            if joint.inferred and project.has_measurements:
                return replace(project, learned_system=project._with_values(joint))
        return project

    def _with_values(self, system: VariabilityModel) -> VariabilityModel:
        """Return an inferred system that has the further values in the measurements."""
        from splc.formats.measurements.configurations import with_unlisted

        return with_unlisted(self.table, system, self.columns.unread)

    @property
    def names_system(self) -> bool:
        """True if an option names a description, or without one what it is inferred from: a table or its columns."""
        inferred = "measurements" in self.given or (bool(self.chosen.options) and self.has_measurements)
        return "system" in self.given or (inferred and not self.has_system)

    @cached_property
    def observations(self) -> Configurations | None:
        """The observed configurations with their observed variables, None if there are none."""
        files = self.observed_files
        if not files or self.learned_system is not None:
            return None
        from splc.formats.measurements.configurations import read_observed

        return read_observed(files, self.variability_model(observed=False))

    def with_observed(self, configurations: Configurations) -> Configurations:
        """Return configurations with their observed variables."""
        return configurations if self.observations is None else configurations.with_observed(self.observations)

    def parameters(self) -> Parameters:
        """Read the parameters of the analytical model; without a file there are none."""
        from splc.formats.models.read import read_parameters
        from splc.models.parameters import Parameters

        file = self.parameters_file
        return Parameters() if file is None else read_parameters(file)

    def variability_model(self, *, observed: bool = True) -> VariabilityModel:
        """Read or infer the system; with its observed variables, which only models of performance need, if wanted."""
        from splc.formats.detect import read_variability_model

        if observed and self.observations is not None:
            return self.observations.system
        if self.learned_system is not None:
            for name in self.chosen.options:
                if name not in self.learned_system.spellings:
                    hint = unknown_name_hint(name, self.learned_system.names)
                    raise InputError(f"the system of the model has no option {name!r}", hint=hint)
            return self.learned_system
        if self.inference is not None:
            return self.inference.system
        file = self.system_file
        if self.chosen.options:
            hint = "leave --options out, or infer the options from a table: --system TABLE"
            raise InputError(Problem("the options are those of this description", file, hint=hint))
        return read_variability_model(file)

    @cached_property
    def inference(self) -> Inference | None:
        """The system inferred from the measurements; None if there is a description, or there are no measurements."""
        return self.infer() if self.infers else None

    @cached_property
    def _system_source(self) -> Source:
        from splc.formats.measurements.tables import read_table

        return self.table if self.system_table is None else read_table(self.system_table)

    @cached_property
    def _own_table(self) -> Inference | None:
        """The system, without constraints, of a table that is named besides measurements and may have a property.

        None if there is no such table, or nothing can be inferred, which the reader of the system reports.
        """
        if self.system_table is None or self.system_table == self.given.get("measurements"):
            return None
        from splc.formats.inference import inference_of

        choice = replace(self.columns.lenient, constraints=False)
        with suppress(SplcError):
            return inference_of(self._system_source, usual=self.nfp, choice=choice, measured=None)
        return None

    @property
    def lists_configurations(self) -> bool:
        """True if the system is inferred from a table of its own that has no measured column."""
        return self._own_table is not None and not self._own_table.properties

    @property
    def infers(self) -> bool:
        """True if the system is inferred: from a table that is named as the system, or there is no description."""
        if self.system_table is not None or self.learned_system is not None:
            return self.system_table is not None
        return not self.has_system and not self.descriptions(None) and self.has_measurements

    def infer(self) -> Inference:
        """Infer the system from its measurements, whether or not there is a description."""
        from splc.formats.inference import inference_of

        choice = self.columns if self.learned is None else self.columns.over(self.learned)
        usual = self.learned_nfp if self.nfp is None else None
        nfp, measured, found = self.nfp, self.measured, None
        if self.lists_configurations or self.system_table not in (None, self.measurements_file):
            if self._own_table is not None and self.learned is None and usual is None:
                found = self._own_table.with_constraints() if choice.constraints else self._own_table
            # The property is a column of the measurements, and the table may list configurations.
            choice, nfp, usual, measured = choice.lenient, None, nfp or usual, None
        if found is None:
            with self._errors_with_table():
                found = inference_of(self._system_source, nfp=nfp, usual=usual, choice=choice, measured=measured)
        if self.system_table is not None and not self.lists_configurations and self.has_measurements:
            # A table does not restrict the values of other measurements.
            found = replace(found, system=self._with_values(found.system))
        return found

    def measurements(self, system: VariabilityModel, space: Space | None = None, **settings: Any) -> Measurements:
        """Read the measurements with observed variables, checked against a space (else that of the system)."""
        return self.measurement_parts(system, space, **settings)[0]

    def measurement_parts(
        self,
        system: VariabilityModel,
        space: Space | None = None,
        *,
        file: str | None = None,
        by: tuple[str, ...] = (),
        learned: ColumnChoice | None = None,
        **policies: Any,
    ) -> tuple[Measurements, ...]:
        """Read the measurements separately for each value of the contexts in `by`; else as `measurements`.

        `file`: another file of this system's measurements (an evaluation set). `learned`: the roles of columns in the
        measurements that a model was learned from. `policies`: `invalid`, `duplicates` and `aggregate` of `Policy`.
        """
        from splc.formats.measurements.read import read_parts

        policy = self._policy(system, space, file, by, **policies)
        policy = policy if learned is None else replace(policy, columns=policy.columns.over(learned))
        with self._errors_with_table():
            parts = read_parts(self._own_measurements if file is None else file, system, policy)
        parts = self._with_failures(parts, policy) if file is None else parts
        # Without observed variables in the system, none are attached.
        if not system.observed:
            return parts
        return tuple(replace(part, configurations=self.with_observed(part.configurations)) for part in parts)

    def every_part(self, system: VariabilityModel, space: Space, **policies: Any) -> tuple[Measurements, ...]:
        """Read the measurements separately for each combination of values of their contexts.

        Contexts that differ in nearly all rows, such as dates, do not separate rows. `policies`: as `measurements`.
        """
        from splc.formats.measurements.read import read_every_part

        with self._errors_with_table():
            policy = self._policy(system, space, **policies)
            parts = read_every_part(self._own_measurements, system, policy)
        return self._with_failures(parts, policy)

    def _with_failures(self, parts: tuple[Measurements, ...], policy: Policy) -> tuple[Measurements, ...]:
        from splc.formats.measurements.constraints import with_failures

        assert policy.check is not None
        files = (self.measurements_file, *self.further)
        return tuple(with_failures(part, files, policy.check) for part in parts)

    @property
    def _own_measurements(self) -> Source:
        if self.inference is None or (self.system_table is not None and self.system_table != self.measurements_file):
            return self.table
        return self.inference.source

    @cached_property
    def _union(self) -> TableSource | None:
        if not self.further:
            return None
        from splc.formats.measurements.tables import read_union

        return read_union((self.measurements_file, *self.further), self.columns)

    @cached_property
    def table(self) -> Source:
        """The table of the measurements, read once."""
        from splc.formats.measurements.tables import read_table

        return read_table(self.measurements_file if self._union is None else self._union)

    def _errors_with_table(self) -> AbstractContextManager[None]:
        """Let errors in a block name the table that they are about, where several are read together."""
        return nullcontext() if self._union is None else self._union.placing()

    def _policy(
        self,
        system: VariabilityModel,
        space: Space | None,
        file: str | None = None,
        by: tuple[str, ...] = (),
        **policies: Any,
    ) -> Policy:
        """Return the treatment of rows of the project's measurements, or of another file of the system."""
        from sampling.space.space import Space
        from splc.formats.column_choice import ColumnChoice
        from splc.formats.measurements.rows import Policy

        checked_space = Space(system) if space is None else space

        def check(configurations: Configurations) -> Array:
            valid = checked_space.check(configurations)
            if len(valid) and not valid.any():
                # If no row is valid, the cause is the description.
                with suppress(SpaceError):
                    checked_space.require_valid()
            return valid

        columns = ColumnChoice(by=by).over(self.columns)
        if self.inference is not None:
            columns = self.inference.completed(columns)
        columns = columns if file is None else columns.lenient
        explain, units = checked_space.violations, self.file.units
        return Policy(**policies, columns=columns, check=check, explain=explain, units=units, nfp=self.nfp)

    def resolve_property(self, measurements: Measurements) -> str:
        """Return the property to use: the one that is named, or the only one that was measured."""
        from splc.formats.table import table_of

        nfp, main = self.nfp, None
        if nfp is None and len(measurements.properties) > 1 and self.has_measurements:
            # The format of the file, or the inference, may say which of several it is.
            main = table_of(self.table).main if self.inference is None else self.inference.main
        elif nfp is not None and nfp not in measurements.properties and self.has_measurements:
            nfp = table_of(self.table).own_names.get(nfp, nfp)
        try:
            return measurements.resolve_property(nfp or (main if main in measurements.properties else None))
        except MeasurementError as error:
            if "nfp" not in self.given and PROPERTY in self.file.values:
                raise error.at(self.file.path, self.file.lines.get(PROPERTY)) from None
            raise
