"""The tasks of a study: each learns one model, and is named by a hash of everything that decides its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from splc._version import __version__
from splc.io.file_names import distinct_names, file_name
from splc.io.files import read_source
from splc.study.runner import key_of
from splc.study.specification import Study, StudyLearner

if TYPE_CHECKING:
    from sampling import SamplingSpec
    from splc.study.inputs import Inputs

# The version of records; increase it if the same inputs give another record.
VERSION = 3


@dataclass(frozen=True)
class Task:
    """A model to learn.

    Attributes:
        sampling: the sampling spec.
        seed: the seed of random draws.
        seeded: whether anything is drawn, so that the seed matters.
        learner: the learner with its settings.
        key: the hash of everything that decides the result.
        log: the file of the log (of learners whose models no log can express: JSON) within the results folder; models
            without terms have none.
    """

    sampling: str
    seed: int
    seeded: bool
    learner: StudyLearner
    key: str
    log: str

    @property
    def label(self) -> str:
        """The sampling with its seed: `random:50 seed 3`."""
        return self.sampling + (f" seed {self.seed}" if self.seeded else "")

    @property
    def title(self) -> str:
        """The learner and the sampling."""
        return f"{self.learner.name}: {self.label}"


def tasks_of(study: Study, learners: tuple[StudyLearner, ...], inputs: Inputs) -> tuple[Task, ...]:
    """Return the tasks of a study: learners, then samplings, then seeds, in the file's order."""
    plan = [
        (learner, sampling, seed, draws(sampling, learner))
        for learner in learners
        for sampling in study.samplings
        for seed in (study.seeds if draws(sampling, learner) else study.seeds[:1])
    ]
    folders = distinct_names({learner.name: file_name(learner.name) for learner in learners})
    draws_of_logs = {(sampling, seed, seeded) for _, sampling, seed, seeded in plan}
    logs = distinct_names({draw: file_name(draw[0], f"seed-{draw[1]}" if draw[2] else "") for draw in draws_of_logs})
    from sampling import parse_spec

    tasks = []
    for learner, sampling, seed, seeded in plan:
        log = logs[sampling, seed, seeded] + learner.resolved().suffix
        log_path = f"logs/{folders[learner.name]}/{log}" if len(learners) > 1 else f"logs/{log}"
        # Without random draws the seed does not matter, so the record serves any list of seeds.
        task_seed = seed if seeded else 0
        settings = dict(learner.resolved().settings)
        content = {
            "task": VERSION,
            "version": __version__,
            "inputs": inputs.identity,
            "missing": study.missing,
            "sampling": sampling,
            "seed": task_seed,
            "learner": learner.name,
            "preset": learner.preset,
            "settings": settings,
        }
        if learner.observed or learner.parts:
            # The results of other learners do not depend on observed variables.
            content |= {"observed": list(learner.observed), "sum": list(learner.parts), **inputs.observed_identity}
        if populations := parse_spec(sampling).files:
            content |= {"populations": {name: read_source(name).sha256 for name in populations}}
        tasks.append(Task(sampling, task_seed, seeded, learner, key_of(content), log_path))
    return tuple(tasks)


def draws(sampling: str, learner: StudyLearner) -> bool:
    """Return whether a sampling, or a learner, draws at random by the study's seeds.

    A design that draws has a `seed` of its own, which is None unless the spec states it.
    """
    from sampling import parse_spec

    spec: SamplingSpec = parse_spec(sampling)
    if learner.resolved().draws:
        return True
    parts = [part for part in (spec.whole, spec.binary, spec.numeric) if part is not None]
    return any(getattr(part, "seed", 0) is None for part in parts)
