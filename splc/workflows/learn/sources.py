"""Stored models of other versions, workloads or machines as sources: their rows are learned from, too."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import ConfigurationError, InputError, LearningError, Problem, listed
from splc.formats.models.stored_model import StoredModel
from splc.learning.contexts.contrasts import joint_ensemble
from splc.learning.contexts.joint_model import ContextRows
from splc.learning.contexts.sharing import Sharing
from splc.project import Project
from splc.system.extension import extended, joint_system
from splc.system.variability import VariabilityModel
from splc.types import Array

# The name of the rows of the model itself, in addition to the files.
OWN = "measurements"


@dataclass(frozen=True)
class StoredSources:
    """Models whose rows are learned from, too."""

    models: tuple[StoredModel, ...]  # the models

    @classmethod
    def read(cls, files: Sequence[str]) -> StoredSources:
        """Read the models."""
        # Most models have no sources.
        from splc.formats.models.read import read_stored_models

        models = tuple(read_stored_models(files, full=True))
        repeated = {model.name for model in models if [other.sha256 for other in models].count(model.sha256) > 1}
        if repeated:
            raise InputError([Problem("this model is given twice", name) for name in sorted(repeated)])
        return cls(models)

    def project(self, project: Project) -> Project:
        """Return the project; an inferred system has the options and values of the models, too.

        Without --system, that of the models is used where the one of the folder lacks an option of theirs.
        """
        if not project.infers:
            # Further options and values of the folder's description are those of the measurements.
            systems = [model.system for model in self.models if model.system is not None]
            return project.with_system_of_model(systems, every=False)
        inferred = project.variability_model(observed=False)
        joint = joint_system([model.system for model in self.models if model.system is not None] or [inferred])
        if joint is None:
            raise InputError(Problem("the models have different options", self.models[0].name))
        names = {option.name for option in joint.numeric_options}
        values = {option.name: option.values for option in inferred.numeric_options if option.name in names}
        return replace(project, learned_system=replace(extended(joint, values), name=inferred.name))

    @property
    def files(self) -> list[dict[str, str]]:
        """The files and their hashes."""
        return [{"path": model.name, "sha256": model.sha256} for model in self.models]

    def nfp(self, name: str | None) -> str:
        """Return the property of the models; `name`: the one that is asked for."""
        names = dict.fromkeys(model.nfp for model in self.models if model.nfp is not None)
        if name is not None or len(names) == 1:
            return name or next(iter(names))
        raise InputError(Problem(f"the models are about {listed([*names])}", self.models[0].name))

    @property
    def system(self) -> VariabilityModel:
        """A system that has the configurations of all models."""
        systems = [model.system for model in self.models if model.system is not None]
        joint = joint_system(systems) if systems else None
        if joint is None:
            raise InputError(Problem("the models have different options", self.models[0].name))
        return joint

    def sharing(self, nfp: str, scale: str, system: VariabilityModel, measured: Measurements) -> Sharing:
        """Return the rows of the models and those of the measurements."""
        usable = measured.measured(nfp)
        part = ContextRows.of(usable.configurations, usable.column(nfp), usable.repetitions(nfp))
        return Sharing({**self.parts(nfp, system, measured.contexts.items()), OWN: part}, scale)

    def parts(
        self, nfp: str, system: VariabilityModel, learned: Collection[tuple[str, str]], by: str | None = None
    ) -> dict[str, ContextRows]:
        """Return the rows of the models by the values of their contexts.

        Args:
            nfp: the property.
            system: the system of the rows.
            learned: contexts with the values that are learned, whose rows are left out.
            by: the context whose value names the rows of a model of one value; None: its file.

        Raises:
            InputError: as `sharing`.
            LearningError: if the models are of the value that is learned.
        """
        values = {value for _, value in learned}
        parts: dict[str, ContextRows] = {}
        for model in self.models:
            if model.nfp is not None and model.nfp != nfp:
                raise InputError(Problem(f"the model is about {model.nfp}, not {nfp}", model.name))
            for name, configurations, y in _rows(model):
                # Rows of the value that is learned may be those that the error is estimated on.
                if name in values or not model.columns.contexts.items().isdisjoint(learned):
                    continue
                try:
                    converted = Configurations.from_columns(system, configurations.to_columns())
                except ConfigurationError as error:
                    message = f"the model has other options or values: {error.problems[0].message}"
                    raise InputError(Problem(message, model.name)) from None
                # Files of the same value have rows of their own.
                unique = f"{name} ({model.name})" if name in parts and not _is_joint(model) else name
                parts[unique] = ContextRows(converted, y, np.ones(len(y)))
        if not parts:
            hint = "leave --from out, or choose models of other values"
            raise LearningError(Problem("the models are of the value that is learned", self.models[0].name, hint=hint))
        # Not before: a model that learned from another one has its rows by the name of the file, too.
        values_of_files = {model.name: model.columns.contexts.get(by or "", model.name) for model in self.models}
        titled: dict[str, ContextRows] = {}
        for name, part in parts.items():
            title = values_of_files.get(name, name)
            titled[name if title in titled else title] = part
        return titled


def _rows(model: StoredModel) -> Iterator[tuple[str, Configurations, Array]]:
    """Yield the name, configurations and values of each context that a model was learned from."""
    full = joint_ensemble(model.full)
    if full is None or not full.parts:
        hint = "use the .json file of a model of the default learner that is no constant and no sum"
        raise InputError(Problem("the file has no measured values to learn from", model.name, hint=hint))
    context = full.basis.context
    if context is None or full.places is None:
        # A value of the context says more than the name of a file.
        yield ", ".join(model.columns.contexts.values()) or model.name, full.configurations, full.measured
        return
    for index, name in enumerate(context.names):
        rows = np.flatnonzero(full.places == index)
        # The same context of several files counts once.
        yield name if name != OWN else model.name, full.configurations[rows], full.measured[rows]


def _is_joint(model: StoredModel) -> bool:
    """Return whether a model was learned from the rows of several values."""
    full = joint_ensemble(model.full)
    return full is not None and full.basis.context is not None


def note_of(sharing: Sharing, learned: Collection[str] = (OWN,)) -> str:
    """Return a note about the rows of other models; `learned`: the names of the other rows."""
    sources = [f"{len(part.y)} rows of {name}" for name, part in sharing.parts.items() if name not in learned]
    weight = sharing.weights.get(OWN)
    text = "" if weight is None else f"; weight of learning alone: {weight:.2f}"
    return f"learned with {listed(sources, 5)}{text}"
